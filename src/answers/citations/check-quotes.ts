import type { CheckedPiece } from "./checked-piece.ts";
import { createStrayMarks } from "./drop-stray-marks.ts";
import { createHeadGuard } from "./guard-line-heads.ts";
import {
  closings,
  countWords,
  everyMark,
  isWordMark,
  leastWords,
  mark,
  outerMarks,
  tick,
  wordMark,
} from "./quotation-marks.ts";
import { columnOf } from "../../text/untrusted/plain-markdown.ts";
import { blockHead, lineHead, type ScannedPiece } from "../../text/untrusted/scan-markers.ts";

export interface QuoteChecker {
  /** Quoted words that no source has, as written; each once. */
  readonly removed: readonly string[];
  push(pieces: Iterable<ScannedPiece>): Generator<CheckedPiece, void>;
  finish(): Generator<CheckedPiece, void>;
}

/** A stretch that is held back: words, a marker, or a quotation mark with the quote that it belongs to. */
type Held =
  | { readonly type: "text"; readonly text: string; readonly isCode?: boolean }
  | Extract<ScannedPiece, { type: "marker" }>
  | { readonly type: "mark"; readonly text: string; readonly quote: OpenQuote };

interface OpenQuote {
  /** Characters that close it; `""` for a block that is quoted. */
  readonly closing: string;
  words: string;
  closed: boolean;
  /** Pairs that it holds, where any mark may close it: the marks that close them. */
  readonly within: string[];
  /** Sources that its own sentence cites. */
  readonly numbers: number[];
  /** It begins a line: what follows it would begin the line without it. */
  readonly beginsLine: boolean;
  /** It goes on behind a blank line. */
  isAcross: boolean;
  /** The line up to its mark, the mark included, and the block of code that its mark stands in. */
  readonly place: { readonly head: string; readonly fence: string; readonly isCode: boolean };
}

/** No sign of a list, with the white space around it, is longer. **Units** UTF-16. */
const longestHead = 40;
/** No quotation over several paragraphs is waited for longer. **Units** UTF-16. */
const longestAcross = 4000;
/** The beginning of a line up to the first sign of a quoted block. */
const blockSign = /^(?:[^\S\n]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[^\S\n]*(?=>)/gmu;
/** The sign of an item that ends a quoted block before it. */
const itemHead = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]$/u;
/** Closes a mark that none of its kind closes, as in “so" or ,,so'': any other mark, unless it belongs to a pair within. */
const anyKind = "any";
/** Closes an apostrophe that even so nothing closes: also one behind an `s`. */
const anyApostrophe = "any apostrophe";
/** Closes another mark that even so nothing closes: also a sign of inches, an apostrophe or an angle bracket, as in “70". */
const anySign = "any sign";
const anyOther: ReadonlySet<string> = new Set([anyKind, anyApostrophe, anySign]);
/** Marks that open nothing in the middle of a text, where they close, or stand for inches and seconds. */
const positioned = /["”»›'’´ˋ＂＇′-‴⁗ʺˮ˝״˃˶ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ,>]/u;
/** They also stand for an apostrophe within a word. */
const apostrophes = "'’´＇";
/**
 * Checks quotations. Three words or more between quotation marks must stand in a source, word for word. With a marker in their sentence, they must stand in that marker's source, and so must fewer.
 *
 * Otherwise the quotation marks go, and the words stay. They lose their citation: the markers of the sentence, or of the next one where it has none.
 *
 * **Shape** `holds(number, quote)` says whether source `number` has the words, and without a number whether any has. Text waits from an opening quotation mark until the quote is
 * decided: to the end of its paragraph, or behind {@link longestAcross} characters of several. A block quote is a quotation. Shorter quotes without a citation, and quotes in code, stay as they are.
 * **Cost** linear in a paragraph, times the number of kinds of marks that nothing closes in it.
 */
export function createQuoteChecker(holds: (number: number | undefined, quote: string) => boolean): QuoteChecker {
  const removed = new Set<string>();
  const strays = createStrayMarks((words) => holds(undefined, words), removed);
  const guard = createHeadGuard();
  let held: Held[] = [];
  let quotes: OpenQuote[] = [];
  let inside: OpenQuote | undefined;
  /** Sentences that began since the last quote was closed, and whether the one before the next has ended. */
  let sentencesBegun = 0;
  let hasEnded = false;
  let isAttributed = false;
  let before = "\n";
  /** The line so far, as far as a block of code may begin behind it. */
  let head = "";
  let fence = "";
  /** Whether every renderer takes the block behind the fence for code. */
  let isCode = true;
  /** Columns at which the items of open lists have their text. */
  let items: readonly number[] = [];
  /** Whether a line was blank: the next one ends the items that it stands before. */
  let endsItems = false;
  /** The last character waits for the next, which tells an apostrophe from a mark. */
  let carried = "";
  /** Marks of this paragraph that nothing closes. */
  let unclosed = new Set<string>();

  function* release(): Generator<CheckedPiece, void> {
    const verified: string[] = [];
    const dropped = new Set<OpenQuote>();
    let isRefuted = false;
    for (const quote of quotes) {
      if (!quote.closed || (!isQuotation(quote) && !holdsBlock(quote))) continue;
      const sources = quote.numbers.length > 0 ? quote.numbers : [undefined];
      // A quotation within a quotation: “‘so’” is so, where no source has the inner marks.
      const wordings = [quote.words, quote.words.replace(outerMarks, "")];
      const words = wordings.find((wording) => sources.some((number) => holds(number, wording)));
      if (words !== undefined && !holdsBlock(quote)) {
        if (quote.numbers.length > 0) verified.push(words);
        continue;
      }
      removed.add(quote.words.replaceAll(/^[^\S\n]*(?:>[^\S\n]*)+/gmu, "").trim());
      dropped.add(quote);
      isRefuted = true;
    }
    let open: OpenQuote | undefined;
    let kept: OpenQuote | undefined;
    /** The quoted block that a source has. */
    let block: OpenQuote | undefined;
    let text = "";
    for (const piece of held) {
      if (piece.type === "mark") {
        const isDropped = dropped.has(piece.quote);
        // A block quote has a sign on each line, and an empty one at its end.
        const begins = piece.quote.closing === "" ? piece.text !== "" : open === undefined && kept !== piece.quote;
        open = isDropped && begins ? piece.quote : undefined;
        if (isDropped) continue;
        if (piece.quote.closing === "") {
          block = piece.text === "" ? undefined : piece.quote;
          if (piece.text !== "") yield { type: "text", text: piece.text, settled: "apart" };
          continue;
        }
        kept = begins ? piece.quote : undefined;
        text += piece.text;
        if (kept === undefined) {
          yield { type: "text", text, ...(countWords(piece.quote.words) > 0 && { settled: "quotation" as const }) };
          text = "";
        }
      } else if (piece.type === "marker") {
        if (text !== "") yield { type: "text", text, settled: "quotation" };
        text = "";
        yield { ...piece, quoted: verified, refuted: isRefuted, late: true };
      } else if (kept !== undefined) text += piece.text;
      else {
        const said = open === undefined ? piece.text : withoutMarks(piece.text, open.beginsLine);
        const isApart = piece.isCode === true || (block !== undefined && isQuotation(block));
        if (said !== "") yield { type: "text", text: said, ...(isApart && { settled: "apart" }) };
      }
    }
    held = [];
    quotes = [];
    inside = undefined;
    isAttributed = false;
    sentencesBegun = 0;
    hasEnded = false;
    if (text !== "") yield { type: "text", text, settled: "quotation" };
  }

  /** The text behind a mark that nothing closes is read again, without it, or with the mark where another may close it. */
  function* readAgain(): Generator<CheckedPiece, void> {
    while (inside !== undefined && inside.closing !== "") {
      unclosed.add(inside.closing);
      const at = held.findIndex((piece) => piece.type === "mark" && piece.quote === inside);
      const rest = held.slice(at + 1);
      const found = held[at];
      const sign = found?.type === "mark" ? found.text : "";
      held = held.slice(0, at);
      quotes = quotes.filter((quote) => quote !== inside);
      const another = closingOf(sign, inside.closing, unclosed);
      const { beginsLine } = inside;
      // A block of code that began behind the mark begins there again.
      ({ head, fence, isCode } = inside.place);
      inside = undefined;
      if (another !== undefined) open(sign, another, beginsLine);
      else if (held.length > 0) hold(sign);
      else yield { type: "text", text: sign };
      before = sign;
      const last = carried;
      carried = "";
      for (const piece of rest) yield* piece.type === "marker" ? take(piece) : readText(piece.text, true);
      carried = last;
    }
  }

  /** The end of a paragraph, or of several that a quotation goes over. */
  function* endParagraph(): Generator<CheckedPiece, void> {
    yield* readAgain();
    if (inside !== undefined) inside.closed = true;
    yield* release();
    unclosed = new Set();
  }

  const hold = (text: string, isCode = isInCode()): void => {
    const last = held.at(-1);
    if (last?.type === "text" && last.isCode === isCode)
      held[held.length - 1] = { type: "text", text: last.text + text, isCode };
    else held.push({ type: "text", text, isCode });
  };
  const isInCode = (): boolean => fence !== "" && isCode;
  const open = (sign: string, closing: string, beginsLine = blockHead.test(head.slice(0, -sign.length))): void => {
    inside = {
      closing,
      words: "",
      closed: false,
      within: [],
      numbers: [],
      beginsLine,
      isAcross: false,
      place: { head, fence, isCode },
    };
    quotes.push(inside);
    held.push({ type: "mark", text: sign, quote: inside });
    sentencesBegun = 0;
    hasEnded = false;
    isAttributed = false;
  };
  /** Text that is code to every reader. */
  function* pass(code: string): Generator<CheckedPiece, void> {
    if (inside !== undefined) inside.words += code;
    if (held.length > 0) hold(code, true);
    else yield { type: "text", text: code, settled: "apart" };
    before = "`";
  }

  function* readText(given: string, isEnd = false): Generator<CheckedPiece, void> {
    const text = carried + given;
    carried = "";
    let free = "";
    for (let at = 0; at < text.length;) {
      const isStart = lineHead.test(head);
      const code = codeAt(text, at, isStart ? fence : undefined);
      if (code > 0 && (fence === "" || isStart)) {
        const ticks = text.slice(at, at + code);
        head += "`";
        if (isStart && /^(?:`{3,}|~{3,})$/u.test(ticks)) {
          const column = columnOf(/^[ \t]*/u.exec(head)![0]);
          // Deeper than its item, it goes on with the paragraph before it.
          isCode = column - Math.max(0, ...items.filter((item) => item <= column)) < 4;
          fence = fence === "" ? ticks : "";
        }
        if (free !== "") yield { type: "text", text: free };
        free = "";
        yield* pass(ticks);
        at += code;
        continue;
      }
      const character = characterAt(text, at);
      if (at + character.length === text.length && !isEnd) {
        carried = character;
        break;
      }
      at += character.length;
      const next = characterAt(text, at) || " ";
      const previous = character === ">" && blockHead.test(head) ? "\n" : before;
      head = character === "\n" ? "" : (head + character).slice(0, longestHead);
      before = /[ \t]/u.test(character) && previous === "\n" ? "\n" : character;
      // A blank line.
      if (character === "\n" && previous === "\n") {
        if (inside !== undefined && mayGoAcross(inside, held)) inside.isAcross = true;
        else if (held.length > 0) {
          hold(character);
          yield* endParagraph();
          continue;
        } else unclosed = new Set();
      }
      if (itemHead.test(head)) {
        const column = columnOf(/^[ \t]*/u.exec(head)![0]);
        items = [...items.filter((item) => item <= column), columnOf(head)];
      } else if (character === "\n" && previous === "\n") endsItems = true;
      else if (endsItems && !/\s/u.test(character)) {
        endsItems = false;
        if (!/^[ \t]*(?:[-*+]|\d{1,9}[.)]?)$/u.test(head)) {
          const column = columnOf(/^[ \t]*/u.exec(head)![0]);
          items = items.filter((item) => item <= column);
        }
      }
      if (inside?.closing === "" && itemHead.test(head)) {
        inside.words = inside.words.replace(/\n.*$/u, "");
        inside.closed = true;
        held.push({ type: "mark", text: "", quote: inside });
        isAttributed = inside.numbers.length > 0;
        inside = undefined;
      }
      if (inside?.isAcross === true && opens(character, previous, next) === inside.closing) {
        // Each paragraph of a quotation may begin with its mark. Elsewhere the mark opens another, and nothing closes the first.
        if (previous === "\n") {
          hold(character);
          continue;
        }
        yield* readAgain();
        // A quoted block that began behind the first goes on.
        if (inside === undefined) yield* release();
        unclosed = new Set();
      }
      if (inside?.closing === "" && previous === "\n" && character === ">") {
        held.push({ type: "mark", text: character, quote: inside });
        before = "\n";
        continue;
      }
      const last = held.at(-1);
      if (last?.type === "mark" && isSame(last.text, character) && goesOn(last.quote, character, next)) {
        held[held.length - 1] = { ...last, text: last.text + character };
        continue;
      }
      if (inside !== undefined && ends(inside, character, previous, next)) {
        held.push({ type: "mark", text: character, quote: inside });
        inside.closed = true;
        hasEnded = /[.!?。！？]\s*$/u.test(inside.words);
        inside = undefined;
        continue;
      }
      if (inside !== undefined) {
        inside.words += character;
        hold(character);
        continue;
      }
      if (held.length > 0 && hasEnded && /[\s。！？]/u.test(previous) && !/[\s\p{P}\p{Ll}]/u.test(character)) {
        sentencesBegun += 1;
        hasEnded = false;
      }
      if (held.length > 0 && (isAttributed || sentencesBegun > 1)) yield* release();
      const first = isInCode() ? undefined : opens(character, previous, next);
      const closing = closingOf(character, first, unclosed);
      if (closing !== undefined) {
        if (free !== "") yield { type: "text", text: free };
        free = "";
        open(character, closing);
        // Another `>` behind it is a quote within the quote.
        if (closing === "") before = "\n";
        continue;
      }
      if (held.length === 0) {
        if (isInCode()) yield { type: "text", text: character, settled: "apart" };
        else free += character;
        continue;
      }
      if (/[.!?。！？]/u.test(character)) hasEnded = true;
      else if (!/[\s\p{P}]/u.test(character)) hasEnded = false;
      hold(character);
    }
    if (free !== "") yield { type: "text", text: free };
  }

  function* take(piece: Extract<ScannedPiece, { type: "marker" }>): Generator<CheckedPiece, void> {
    before = "]";
    if (held.length === 0) {
      yield { ...piece, quoted: [], refuted: false, late: false };
      return;
    }
    held.push(piece);
    // "… every 90 days [1]." is "… every 90 days."
    if (inside !== undefined) inside.words = inside.words.trimEnd();
    // One behind a full stop belongs to the sentence before it.
    if (sentencesBegun === 0) for (const quote of quotes) quote.numbers.push(...piece.numbers);
    isAttributed = inside === undefined;
  }

  function* read(pieces: Iterable<ScannedPiece>): Generator<CheckedPiece, void> {
    for (const piece of pieces) {
      if (piece.type === "text") yield* readText(piece.text);
      else {
        yield* readText("", true);
        yield* take(piece);
      }
    }
  }
  function* end(): Generator<CheckedPiece, void> {
    yield* readText("", true);
    yield* endParagraph();
  }

  return {
    get removed() {
      return [...removed];
    },
    push: (pieces) => guard(strays.push(read(pieces))),
    *finish() {
      yield* guard(strays.push(end()));
      yield* guard(strays.finish());
    },
  };
}

/** Whether a quotation that is open at a blank line may go on behind it. */
function mayGoAcross({ closing, words }: OpenQuote, held: readonly Held[]): boolean {
  const sign = held.findLast((piece) => piece.type === "mark")?.text ?? "";
  return closing !== "" && !anyOther.has(closing) && words.length < longestAcross && /^[^'’´＇ˋ‹>,]/u.test(sign);
}

/** Words without the marks in them. A sign that quotes a block, and stands where a line begins then, gets something before it. */
function withoutMarks(words: string, beginsLine: boolean): string {
  return words
    .replaceAll(everyMark, "")
    .replaceAll(blockSign, (lead, at: number) => (at > 0 || beginsLine ? `${lead}… ` : lead));
}

/** Whether a quoted block begins between two marks: they are no pair, and its sign was read as a word. */
function holdsBlock({ closing, words }: OpenQuote): boolean {
  return (
    closing !== "" &&
    words
      .split("\n")
      .slice(1)
      .some((line) => line.search(blockSign) >= 0)
  );
}

function isQuotation({ words, numbers }: OpenQuote): boolean {
  return countWords(words) >= leastWords || (numbers.length > 0 && words.trim() !== "");
}

const characterAt = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "";

/** Signs that close a mark; for one that none of the first kind closes in its paragraph, those of the next kind. */
function closingOf(sign: string, first: string | undefined, unclosed: ReadonlySet<string>): string | undefined {
  if (first === undefined || !unclosed.has(first)) return first;
  if (!unclosed.has(anyKind)) return anyKind;
  // An angle bracket may be one of a type, and a letter is one of a word.
  if (sign === "‹" || wordMark.test(sign)) return undefined;
  const last = apostrophes.includes(sign.charAt(0)) ? anyApostrophe : anySign;
  return unclosed.has(last) ? undefined : last;
}

/** Plain Markdown has another sign where a tag might begin. */
const isSame = (sign: string, character: string): boolean =>
  sign.endsWith(character) || /[<‹]{2}/u.test(`${sign.at(-1)}${character}`);

/** Whether a mark behind the same one makes one mark with it, as in ''so''. Before the words, something must follow it; behind them, no other word may. */
function goesOn({ closing, closed }: OpenQuote, character: string, next: string): boolean {
  if (closing === "") return false;
  if (closed) return !/[\p{L}\p{Nd}]/u.test(next);
  return next === character || /[\p{L}\p{Nd}\p{Ps}*_]/u.test(next);
}

/** Whether a character closes a quote. Where any mark may, those of the pairs within it do not. */
function ends({ closing, within, words }: OpenQuote, character: string, previous: string, next: string): boolean {
  const hasWords = /[\p{L}\p{Nd}]/u.test(words);
  // An empty pair is none before words: ":"so" and „"so" hold them.
  if (!anyOther.has(closing))
    return (hasWords || !/[\p{L}\p{Nd}]/u.test(next)) && closes(closing, character, previous, next);
  const pair = within.at(-1);
  if (pair !== undefined && closes(pair, character, previous, next)) {
    within.pop();
    return false;
  }
  if (hasWords && isAfterWords(character, previous, next, closing)) return true;
  const another = opens(character, previous, next);
  if (another !== undefined && another !== "") within.push(another);
  return false;
}

/** Whether a mark of any kind stands where one closes. For {@link anyKind}, one behind a digit stands for inches or seconds, and one behind an `s` for an apostrophe. */
function isAfterWords(character: string, previous: string, next: string, closing: string): boolean {
  if (/\s/u.test(previous) || /[\p{L}\p{Nd}]/u.test(next)) return false;
  if (character === ",") return next === ",";
  // No arrow.
  if (/[<>]/u.test(character))
    return next === character || previous === character || (closing === anySign && !/[-=]/u.test(previous));
  if (!mark.test(character) && !isWordMark(character, previous, next)) return false;
  if (closing !== anySign && /["'′-‴⁗]/u.test(character) && /\p{Nd}/u.test(previous)) return false;
  const isOfWord = apostrophes.includes(character) || wordMark.test(character);
  return closing !== anyKind || !isOfWord || previous !== "s" || next === character;
}

function closes(closing: string, character: string, previous: string, next: string): boolean {
  if (closing === "" || !closing.includes(character)) return false;
  if (apostrophes.includes(character) || wordMark.test(character))
    return (next === tick || !/[\p{L}\p{Nd}]/u.test(next)) && !/\s/u.test(previous);
  return !(/["′-‷ʺ˝״]/u.test(character) && /\s/u.test(previous));
}

/** The marks that close what `character` opens; `undefined` when it opens nothing: an inch mark, an apostrophe, a mark that closes, or anything else. */
function opens(character: string, previous: string, next: string): string | undefined {
  if (character === ">" && previous === "\n") return "";
  const isMark = mark.test(character) || isWordMark(character, previous, next);
  const closing = closings.get(character) ?? (isMark ? character : undefined);
  if (closing === undefined) return undefined;
  if (positioned.test(character)) {
    // ,,so'' and >>so<<, not a comma and a larger number.
    if (/[,>]/u.test(character))
      return next === character && /[\s\p{Ps}\p{Pd}*_~:;|]/u.test(previous) ? closing : undefined;
    const isFree = /[\s\p{Ps}\p{Pd}\p{Pi}`ˋ*_>\]=:,;/"]/u.test(previous);
    // An inch mark follows a digit, and Hebrew abbreviates with the mark.
    const isBetween =
      /[\p{P}\p{S}\p{L}]/u.test(previous) && /[\p{L}\p{Nd}*_]/u.test(next) && !/\p{sc=Hebrew}/u.test(previous);
    const isOfWord = apostrophes.includes(character) || wordMark.test(character);
    if (/\s/u.test(next) || !(isFree || (isBetween && !isOfWord))) return undefined;
  }
  return closing;
}

/** The length of the code span, or of the run that begins or ends a block, that begins here; 0 where none does. */
function codeAt(text: string, at: number, fence: string | undefined): number {
  if (text[at] !== "`" && !(text[at] === "~" && fence !== undefined)) return 0;
  const ticks = /^(?:`+|~+)/u.exec(text.slice(at, at + 120))?.[0] ?? "`";
  const line = text.slice(at + ticks.length).split("\n", 1)[0] ?? "";
  if (ticks.length >= 3 && fence !== undefined && !line.includes("`") && (fence === "" || ticks.startsWith(fence)))
    return ticks.length;
  if (ticks.startsWith("~") || (fence !== undefined && fence !== "")) return 0;
  for (const match of line.matchAll(/`+/gu))
    if (match[0].length === ticks.length) return ticks.length + match.index + match[0].length;
  return ticks.length;
}
