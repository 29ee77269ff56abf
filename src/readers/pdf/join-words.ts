/** Before these a hyphen stands for a part left out: `Ein- und Ausgang`. */
const conjunction = /^(?:und|oder|bzw|sowie|bis|and|or|to|et|ou|y|o|e|en|of|og|och|eller)(?!\p{L})/u;

/** Parts of compounds that are written with a hyphen wherever they are not at a line's end. */
const keepsHyphenAfter = /^(?:self|half|quasi|well)$/iu;
const keepsHyphenBefore =
  /^(?:based|like|free|aware|specific|style|level|term|driven|related|oriented|grained|dimensional|dependent|trained|tuned|called|known|scale)$/u;

/**
 * Joins a word with a hyphen at the line end. The hyphen is dropped before a small letter. It stays when the document
 * writes the compound with it elsewhere, or when earlier hyphens in the word show that it belongs there. It is kept
 * before a capital or a number; `undefined` when the word does not continue.
 */
export function joinHyphenated(before: string, after: string, words: ReadonlySet<string>): "" | "drop" | undefined {
  if (before.endsWith("\u00AD")) return "drop";
  const head = /(?<![\p{L}\p{N}-])([\p{L}\p{N}-]{1,60})[-\u2010]$/u.exec(before)?.[1];
  if (head === undefined || conjunction.test(after)) return undefined;
  if (/^\p{N}/u.test(after)) return "";
  const next = /^\p{L}*/u.exec(after)?.[0] ?? "";
  if (/^\p{Lu}/u.test(next)) return words.has(`${head}${next}`.toLowerCase()) ? "drop" : "";
  const tail = /^[\p{Ll}\p{Lo}]\p{L}*/u.exec(after)?.[0];
  if (tail === undefined) return undefined;
  if (!/\p{L}$/u.test(head)) return "";
  const whole = `${head}${tail}`.toLowerCase();
  if (words.has(whole)) return "drop";
  if (keepsHyphenAfter.test(head) || keepsHyphenBefore.test(tail)) return "";
  return head.includes("-") || words.has(`${head}-${tail}`.toLowerCase()) ? "" : "drop";
}

/** Signs of scripts that put no space between words. */
export function isUnspaced(sign: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303F\uFF01-\uFF60]/u.test(
    sign,
  );
}

/** The lines of a cell on one line, words that a line's end parted whole again. */
export function joinCell(lines: readonly string[]): string {
  let joined = "";
  for (const line of lines) {
    if (joined === "" || line === "") joined += line;
    else if (isUnspaced(joined.slice(-1)) && isUnspaced(line.slice(0, 1))) joined += line;
    else {
      const joint = joinHyphenated(joined, line, noWords) ?? " ";
      joined = joint === "drop" ? joined.slice(0, -1) + line : joined + joint + line;
    }
  }
  return joined;
}

const noWords: ReadonlySet<string> = new Set();
