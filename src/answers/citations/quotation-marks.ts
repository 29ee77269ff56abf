/** So many words between quotation marks are a quotation, cited or not. */
export const leastWords = 3;

/** **Shape** four letters of a script that sets no words apart are three words. */
export function countWords(text: string): number {
  if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{4}/u.test(text)) return leastWords;
  return text.match(/[\p{L}\p{Nd}]+/gu)?.length ?? 0;
}

/** **Source** Unicode, `Quotation_Mark`, the categories `Pi` and `Pf`; and signs that look like them. */
export const mark = /[\p{Quotation_Mark}\p{Pi}\p{Pf}❛-❠❮❯〈〉《》⟨-⟫⸢-⸥′-‷⁗´ˋ｀ʺˮ˝״˂˃˵˶🙶-🙸]/u;
/** Letters and signs that also stand in words. Among letters of their own script they are no marks. */
export const wordMark = /[ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]/u;
/** Quotation marks that a reader takes for such wherever they stand; an apostrophe is none. */
export const everyMark =
  /(?!['’´＇′-‷])[\p{Quotation_Mark}\p{Pi}\p{Pf}❛-❠❮❯〈〉《》⟨-⟫⸢-⸥⁗ʺˮ˝˂˃˵˶🙶-🙸]|(?<!\p{Nd})[′-‷]|(?<![\p{L}\p{Nd}])['’´＇ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]+|['’´＇ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]+(?![\p{L}\p{Nd}])|ˋ|(?<![^\s\p{Ps}\p{Pd}*_~:;|])(?:,,|>>)(?=\S)/gu;
export const outerMarks = new RegExp(`^(?:${everyMark.source})+|(?:${everyMark.source})+$`, "gu");

/** Whether a letter or sign of a word stands where it is none. */
export function isWordMark(character: string, previous: string, next: string): boolean {
  if (!wordMark.test(character)) return false;
  const beside = previous + next;
  if (/[᾽᾿῾]/u.test(character)) return !/\p{sc=Greek}/u.test(beside);
  if (/[՚՛՝]/u.test(character)) return !/\p{sc=Armenian}/u.test(beside);
  return character !== "׳" || !/\p{sc=Hebrew}/u.test(beside);
}

/** A backtick that is no code, as plain Markdown shows it. */
export const tick = "ˋ";

/** A mark and those of its kind that close it. A mark that is not here closes itself. */
export const closings: ReadonlyMap<string, string> = new Map([
  ["“", "”"],
  ["„", "“”"],
  ["‟", "”"],
  ["❝", "❞"],
  ["❠", "❝❞❠"],
  ["❟", "❛❜❟"],
  ["⹂", "“”"],
  ["‶", "″"],
  ["‷", "‴"],
  ["🙶", "🙷"],
  ["🙸", "🙷"],
  ["˂", "˃"],
  ["〝", "〞〟"],
  ["〟", "〞〟"],
  ["«", "»"],
  ["»", "«»"],
  ["‹", "›"],
  ["›", "‹›"],
  ["❮", "❯"],
  ["《", "》"],
  ["〈", "〉"],
  ["⟪", "⟫"],
  ["⟨", "⟩"],
  ["‘", "’"],
  ["‚", "‘’"],
  ["‛", "’"],
  ["❛", "❜"],
  ["‵", "′"],
  ["｀", "＇"],
  [tick, "'’´"],
  ["「", "」"],
  ["『", "』"],
  ["｢", "｣"],
  ["﹁", "﹂"],
  ["﹃", "﹄"],
  ["⸂", "⸃"],
  ["⸄", "⸅"],
  ["⸉", "⸊"],
  ["⸌", "⸍"],
  ["⸜", "⸝"],
  ["⸠", "⸡"],
  ["⸢", "⸣"],
  ["⸤", "⸥"],
  ["ʻ", "ʼ’ʻ"],
  // Two of these make a mark; see `opens`.
  [",", "“”"],
  [">", "<‹"],
]);
