import type { ScannedPiece } from "../../text/untrusted/scan-markers.ts";

/** A piece whose quotes have been looked at. A marker knows the quotes before it that its sources have. */
export type CheckedPiece =
  | { readonly type: "text"; readonly text: string }
  | (Extract<ScannedPiece, { type: "marker" }> & {
      readonly quoted: readonly string[];
      /** It was put behind words that its source does not have, between quotation marks that could not go: it must. */
      readonly refuted: boolean;
      /** It was held back: what the scanner has read since stands behind it. */
      readonly late: boolean;
    });

export interface QuoteChecker {
  /** Quoted words that no source has, as written; each once. */
  readonly removed: readonly string[];
  push(pieces: Iterable<ScannedPiece>): Generator<CheckedPiece, void>;
  finish(): Generator<CheckedPiece, void>;
}

/** A stretch that is held back: words, a marker, or a quotation mark with the quote that it opens or closes. */
type Held = ScannedPiece | { readonly type: "mark"; readonly text: string; readonly quote: OpenQuote };

interface OpenQuote {
  readonly closing: string;
  words: string;
  closed: boolean;
}

/** A longer stretch between quotation marks is not taken for a quote, but shown as it is. **Units** UTF-16. */
const longestQuote = 1200;
/** How far behind a quote, within its sentence, the marker may stand. **Units** UTF-16. */
const attributionReach = 200;

const closings: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["“", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["»", "«"],
  ["「", "」"],
  ["『", "』"],
]);

/**
 * Checks quotations: quoted words with a marker in or behind them, in the same sentence, must stand in one of those sources, word for word.
 *
 * Otherwise the quotation marks go and the words stay, since they may still be true. If removing the marks could form a marker, the marks stay and the citation goes.
 *
 * **Shape** `holds(number, quote)` says whether source `number` has the words. Text waits from an opening quotation mark until the quote is decided, at most to the end of its
 * line. Quotes without a citation, and quotes in code, stay as they are.
 */
export function createQuoteChecker(holds: (number: number, quote: string) => boolean): QuoteChecker {
  const removed = new Set<string>();
  let held: Held[] = [];
  let quotes: OpenQuote[] = [];
  let inside: OpenQuote | undefined;
  let numbers: number[] = [];
  /** Since the last quote was closed. */
  let reach = 0;
  let attributed = false;
  let sentenceEnded = false;
  let before = "\n";
  let fenced = false;

  function* release(isDecided: boolean): Generator<CheckedPiece, void> {
    const verified: string[] = [];
    const dropped = new Set<OpenQuote>();
    let refuted = false;
    for (const quote of isDecided && numbers.length > 0 ? quotes.filter(({ closed }) => closed) : []) {
      if (numbers.some((number) => holds(number, quote.words))) verified.push(quote.words);
      else {
        removed.add(quote.words);
        if (canStandBare(quote.words)) dropped.add(quote);
        else refuted = true;
      }
    }
    let text = "";
    for (const piece of held) {
      if (piece.type === "marker") {
        if (text !== "") yield { type: "text", text };
        text = "";
        yield { ...piece, quoted: verified, refuted, late: true };
      } else if (piece.type === "text" || !dropped.has(piece.quote)) text += piece.text;
    }
    held = [];
    quotes = [];
    inside = undefined;
    numbers = [];
    attributed = false;
    if (text !== "") yield { type: "text", text };
  }

  const hold = (text: string): void => {
    const last = held.at(-1);
    if (last?.type === "text") held[held.length - 1] = { type: "text", text: last.text + text };
    else held.push({ type: "text", text });
  };
  const open = (mark: string, closing: string): void => {
    inside = { closing, words: "", closed: false };
    quotes.push(inside);
    held.push({ type: "mark", text: mark, quote: inside });
  };

  function* readText(text: string): Generator<CheckedPiece, void> {
    let free = "";
    for (let at = 0; at < text.length;) {
      const code = codeAt(text, at);
      if (code > 0 && inside === undefined) {
        const ticks = text.slice(at, at + code);
        if (/^`{3,}$/u.test(ticks) && before === "\n") fenced = !fenced;
        if (held.length > 0) hold(ticks);
        else free += ticks;
        before = "`";
        at += code;
        continue;
      }
      const character = text[at] ?? "";
      at += 1;
      const previous = before;
      before = character === " " && previous === "\n" ? "\n" : character;

      if (held.length === 0) {
        const closing = fenced ? undefined : opens(character, previous, text[at]);
        if (closing === undefined) free += character;
        else {
          if (free !== "") yield { type: "text", text: free };
          free = "";
          open(character, closing);
        }
        continue;
      }
      if (character === "\n") {
        hold(character);
        yield* release(inside === undefined);
        continue;
      }
      if (inside !== undefined) {
        if (inside.closing.includes(character) && !(character === '"' && /\s/u.test(previous))) {
          held.push({ type: "mark", text: character, quote: inside });
          inside.closed = true;
          sentenceEnded = /[.!?。]$/u.test(inside.words);
          inside = undefined;
          reach = 0;
          continue;
        }
        inside.words += character;
        hold(character);
        if (inside.words.length > longestQuote) yield* release(false);
        continue;
      }
      const closing = opens(character, previous, text[at]);
      const continues = /[\s\p{P}\p{Ll}]/u.test(character);
      reach += 1;
      if (attributed || reach > attributionReach || (sentenceEnded && /\s/u.test(previous) && !continues)) {
        yield* release(true);
        if (closing === undefined) free += character;
        else open(character, closing);
        continue;
      }
      if (closing !== undefined) {
        open(character, closing);
        continue;
      }
      if (/[.!?。]/u.test(character)) sentenceEnded = true;
      else if (!/[\s\p{P}]/u.test(character)) sentenceEnded = false;
      hold(character);
    }
    if (free !== "") yield { type: "text", text: free };
  }

  return {
    get removed() {
      return [...removed];
    },
    *push(pieces) {
      for (const piece of pieces) {
        if (piece.type === "text") yield* readText(piece.text);
        else if (held.length === 0) {
          before = "]";
          yield { ...piece, quoted: [], refuted: false, late: false };
        } else {
          before = "]";
          held.push(piece);
          numbers.push(...piece.numbers);
          // "… every 90 days [1]." is "… every 90 days."
          if (inside !== undefined) inside.words = inside.words.trimEnd();
          attributed = inside === undefined;
        }
      }
    },
    finish: () => release(inside === undefined),
  };
}

/** Without its quotation marks, what has brackets or ticks could become a marker or code with what stands around it. */
function canStandBare(words: string): boolean {
  return /\p{L}/u.test(words) && !/[[\]`]/u.test(words);
}

/** The marks that close what `character` opens; `undefined` when it opens nothing: an inch mark, a mark that closes, or anything else. */
function opens(character: string, previous: string, next: string | undefined): string | undefined {
  const closing = closings.get(character);
  if (closing === undefined) return undefined;
  if (character === '"' || character === "»") {
    if (!/[\s\p{Ps}\p{Pd}`*_>\]]/u.test(previous) || (next !== undefined && /\s/u.test(next))) return undefined;
  }
  return closing;
}

/** The length of the code span, or of the run of ticks, that begins here; 0 where none does. */
function codeAt(text: string, at: number): number {
  if (text[at] !== "`") return 0;
  const ticks = /^`+/u.exec(text.slice(at, at + 120))?.[0] ?? "`";
  const line = text.slice(at + ticks.length).split("\n", 1)[0] ?? "";
  if (ticks.length >= 3 && !line.includes("`")) return ticks.length;
  for (const match of line.matchAll(/`+/gu))
    if (match[0].length === ticks.length) return ticks.length + match.index + match[0].length;
  return ticks.length;
}
