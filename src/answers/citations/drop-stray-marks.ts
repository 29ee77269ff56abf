import type { CheckedPiece } from "./checked-piece.ts";
import { countWords, isWordMark, leastWords, mark, outerMarks, wordMark } from "./quotation-marks.ts";

/** No paragraph is waited for longer. **Units** UTF-16. */
const longestWait = 8000;
/** So much of a paragraph that went out is remembered. **Units** UTF-16. */
const longestContext = 400;
/** Marks of one paragraph that are compared with one another; where there are more, all go that may. */
const mostCompared = 64;
/** Stands for the ends of a checked quotation. A noncharacter: no text means anything by it. */
const checkedEnd = "\uFDD0";

/** Marks in a row, and whatever else a reader may take for one. */
const signs = new RegExp(`(${mark.source}|${wordMark.source})\\1*|,,|<<|>>|${checkedEnd}`, "gu");
const anySign = new RegExp(signs.source, "u");
/** Lines, the longest in parts: no more waits at once than the others would let wait. */
const linesOrParts = /[^\n]{1,2000}\n?|\n/gu;
/** A text that the next piece may change. */
const unfinished = new RegExp(`(?:${signs.source}|[<>,])$`, "u");
const letter = /[\p{L}\p{M}\p{Nd}]/u;
/** A letter of a script that sets its words apart. */
const spacedLetter = /(?!\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Thai})[\p{L}\p{Nd}]/u;
const apostrophe = /^['’´＇ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]$/u;
/** Words that begin with an apostrophe, and years. */
const elided = /^(?:\p{Nd}{2}(?!\p{Nd})|(?:tis|twas|twere|em|cause|til|till|bout|round|tween|neath|n)(?!\p{L}))/iu;

/** A soft mark is an arrow, an operator or a bracket, unless another kind stands beside it. A partner makes others go, and stays; one that starts or ends does so on one side. */
type Kind = "stray" | "soft" | "partner" | "starts" | "ends" | "checked" | "glued";
interface Found {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface StrayMarks {
  push(pieces: Iterable<CheckedPiece>): Generator<CheckedPiece, void>;
  finish(): Generator<CheckedPiece, void>;
}

/**
 * Drops quotation marks that belong to no checked quotation, where three words or more stand between them and another mark. A reader may take any two of a paragraph for a pair.
 *
 * No list of forms says so. A mark stays where it is alone. So does an apostrophe, a sign of inches, a prime, an arrow, a bracket of a placeholder.
 * A checked quotation that touches a word loses its marks beside others. Words between two marks that went, which no source has, lose their markers, or the next one.
 *
 * **Shape** text waits from such a mark to the end of its paragraph, or for {@link longestWait} characters. **Cost** linear: at most {@link mostCompared} marks are compared.
 */
export function createStrayMarks(holds: (words: string) => boolean, removed: Set<string>): StrayMarks {
  let waiting: CheckedPiece[] = [];
  let length = 0;
  /** Whether a mark that may go waits. */
  let isCertain = false;
  /** The paragraph before what waits, in one sign for each character. */
  let context = "\n";

  function* take(piece: CheckedPiece): Generator<CheckedPiece, void> {
    if (piece.type !== "text" || piece.settled !== undefined) {
      if (waiting.length > 0 || (piece.type === "text" && piece.settled === "quotation")) yield* wait(piece);
      else yield* give(piece);
      return;
    }
    // A blank line ends the paragraph.
    for (const part of piece.text.match(linesOrParts) ?? []) {
      const isBlank = /^[^\S\n]*\n$/u.test(part) && /\n[^\S\n]*$/u.test(outlineOf(waiting, context));
      if (isBlank && isCertain) yield* decide();
      if (waiting.length > 0) yield* wait({ type: "text", text: part });
      else {
        const first = part.search(anySign);
        const possible = first < 0 ? part.search(/[<>,]$/u) : first;
        const at = possible < 0 ? part.length : possible;
        if (at > 0) yield* give({ type: "text", text: part.slice(0, at) });
        if (at < part.length) yield* wait({ type: "text", text: part.slice(at) });
      }
      if (isBlank) {
        yield* decide();
        context = "\n";
      }
    }
  }

  function* wait(piece: CheckedPiece): Generator<CheckedPiece, void> {
    waiting.push(piece);
    length += textOf(piece).length;
    if (!isCertain) {
      const text = outlineOf(waiting, context);
      const isOpen = piece.type === "text" && unfinished.test(text) && length <= longestWait;
      isCertain = findMarks(text).some(
        ({ kind, start, end }) => start >= context.length && mayGo.has(kind) && !(isOpen && end === text.length),
      );
      if (!isCertain && isOpen) return;
    }
    if (!isCertain || length > longestWait) yield* decide();
  }

  function* give(piece: CheckedPiece): Generator<CheckedPiece, void> {
    context = (context + outlineOf([piece], "")).slice(-longestContext);
    yield piece;
  }

  /** Says what waits, without the marks that go. */
  function* decide(): Generator<CheckedPiece, void> {
    const text = outlineOf(waiting, context);
    const going = isCertain ? marksThatGo(text, holds).filter(({ start }) => start >= context.length) : [];
    const refuted = refutedIn(going, text);
    let at = context.length;
    const pieces = waiting;
    waiting = [];
    length = 0;
    isCertain = false;
    for (const piece of pieces) {
      const end = at + textOf(piece).length;
      const within = going.filter(({ start, end: last }) => start < end && last > at);
      if (piece.type === "marker") yield* give(refuted(at) ? { ...piece, refuted: true } : piece);
      else if (within.length === 0) yield* give(piece);
      else if (piece.settled !== undefined) yield* give({ type: "text", text: piece.text.replace(outerMarks, "") });
      else yield* give({ type: "text", text: without(piece.text, within, at) });
      at = end;
    }
  }

  /** Says of a marker whether it stands among words between two marks that went, which no source has, or is the next one behind. */
  function refutedIn(going: readonly Found[], text: string): (at: number) => boolean {
    const stretches: { readonly start: number; readonly end: number }[] = [];
    for (const [index, { end: start }] of going.entries()) {
      const end = going[index + 1]?.start;
      if (end === undefined) break;
      const words = wordsIn(text, start, end);
      if (countWords(words) < leastWords || holds(words)) continue;
      removed.add(words);
      const next = text.slice(end).search(/\|/u);
      stretches.push({ start, end: next < 0 ? text.length : end + next + 1 });
    }
    return (at) => stretches.some(({ start, end }) => start <= at && at < end);
  }

  return {
    *push(pieces) {
      for (const piece of pieces) yield* take(piece);
    },
    *finish() {
      // The last sign is whole.
      isCertain = true;
      yield* decide();
    },
  };
}

const mayGo: ReadonlySet<Kind> = new Set(["stray", "soft", "glued"]);

const textOf = (piece: CheckedPiece): string => (piece.type === "text" ? piece.text : piece.raw);

/** Pieces as one text of the same length: code and markers as bars, and checked quotations between their ends. */
function outlineOf(pieces: readonly CheckedPiece[], before: string): string {
  let text = before;
  for (const piece of pieces) {
    const { length } = textOf(piece);
    if (piece.type === "text" && piece.settled === undefined) text += piece.text.replaceAll(/[|\uFDD0]/gu, "/");
    else if (piece.type === "text" && piece.settled === "quotation" && length > 1)
      text += checkedEnd + "/".repeat(length - 2) + checkedEnd;
    else text += (piece.type === "marker" ? "|" : "/").repeat(length);
  }
  return text;
}

function without(text: string, going: readonly Found[], at: number): string {
  let kept = text;
  for (const { start, end } of going.toReversed())
    kept = kept.slice(0, Math.max(0, start - at)) + kept.slice(Math.max(0, end - at));
  return kept;
}

function findMarks(text: string): readonly Found[] {
  const found: Found[] = [];
  let isInside = false;
  for (const { index, 0: sign } of text.matchAll(signs)) {
    const end = index + sign.length;
    const previous = Array.from(text.slice(Math.max(0, index - 2), index)).at(-1) ?? "\n";
    const behind = text.slice(end, end + 20);
    if (sign !== checkedEnd) {
      const kind = isInside ? undefined : kindOf(sign, previous, behind, text.slice(0, index));
      if (kind !== undefined) found.push({ kind, start: index, end, text: sign });
      continue;
    }
    isInside = !isInside;
    const beside = isInside ? previous : behind;
    found.push({ kind: spacedLetter.test(beside.charAt(0)) ? "glued" : "checked", start: index, end, text: sign });
  }
  return found;
}

/** `undefined` for a sign that no reader takes for a quotation mark. */
function kindOf(sign: string, previous: string, behind: string, before: string): Kind | undefined {
  const next = behind === "" ? " " : String.fromCodePoint(behind.codePointAt(0)!);
  const follows = letter.test(previous) && !/(?:[a-z]:|\/\/|www\.)\S*$/iu.test(before.slice(-200));
  const goesOn = letter.test(next) && !/^(?:[a-z][a-z\d+.-]*:|www\.)/iu.test(behind);
  const isSpaced = /\s/u.test(previous) && /\s/u.test(next);
  // Before a bracket or emphasis they could open something.
  const ends = /[\p{Ps}*_~`|/…]/u.test(next) ? "partner" : "ends";
  if (/^(?:,,|<<|>>)$/u.test(sign)) {
    if (sign !== ",," && (/[-=<>]/u.test(previous) || /[-=]/u.test(next))) return undefined;
    if (isSpaced) return sign === ",," ? "partner" : "soft";
    return follows && goesOn ? "partner" : "stray";
  }
  if (apostrophe.test(sign)) {
    if (!mark.test(sign) && !isWordMark(sign, previous, next)) return undefined;
    if (follows && goesOn) return /\p{Nd}/u.test(previous + next) ? "partner" : undefined;
    if (follows && (/[szx\p{Nd}]/iu.test(previous) || !mark.test(sign))) return ends;
    if (!follows && (elided.test(behind) || (goesOn && !mark.test(sign))))
      return /[\s\p{Ps}\p{Pd}]/u.test(previous) ? "starts" : "partner";
    return "stray";
  }
  if (sign === "‹" && (follows || /[\p{L}/!?]/u.test(next))) return follows ? "ends" : "soft";
  if (/^[«»›]$/u.test(sign) && isSpaced) return "soft";
  if (/^["״]$/u.test(sign) && /\p{sc=Hebrew}/u.test(previous) && goesOn) return undefined;
  if (/^(?:["″ʺ˝]|[′-‷])$/u.test(sign) && /\p{Nd}/u.test(previous)) {
    if (/\p{Nd}/u.test(next) && /[′-‷]/u.test(sign)) return undefined;
    return goesOn ? "stray" : ends;
  }
  if (/^[′-‷]$/u.test(sign) && /[\p{L}\p{M})\]]/u.test(previous) && !goesOn) return ends;
  return "stray";
}

/** With spaces around them, two of these shift bits or carry streams. Beside an angle of another kind, one of them is a mark. */
const isOperator = ({ text }: Found): boolean => text === "<<" || text === ">>";

/** Marks with three words or more, which no source has, between them and another one that a reader may take for their partner. */
function marksThatGo(text: string, holds: (words: string) => boolean): readonly Found[] {
  const found = findMarks(text);
  if (found.length > mostCompared) return found.filter(({ kind }) => mayGo.has(kind));
  const partners = (one: Found): readonly Found[] =>
    found.filter((other) => {
      if (other === one) return false;
      if (one.kind === "soft" && isOperator(one)) return other.kind === "soft" && !isOperator(other);
      if (other.kind === "starts") return other.start < one.start;
      if (other.kind === "ends") return other.start > one.start;
      if (one.kind === "soft") return (other.kind === "soft" && other.text !== one.text) || other.kind === "stray";
      return other.kind !== "soft" || one.text !== "‹";
    });
  return found.filter((one) => {
    if (!mayGo.has(one.kind)) return false;
    const others = partners(one);
    const near = [others.findLast(({ end }) => end <= one.start), others.find(({ start }) => start >= one.end)];
    return [...near, others[0], others.at(-1)].some((other) => {
      if (other === undefined) return false;
      const words = wordsIn(text, Math.min(one.end, other.end), Math.max(one.start, other.start));
      return countWords(words) >= leastWords && !holds(words);
    });
  });
}

/** Words without what stands for code, markers and the ends of checked quotations. */
function wordsIn(text: string, start: number, end: number): string {
  return text
    .slice(start, end)
    .replaceAll(/[|\uFDD0]/gu, " ")
    .trim();
}
