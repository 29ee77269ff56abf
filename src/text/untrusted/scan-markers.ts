import { completeMarker, normaliseLabel, openingBrackets, readMarker, unfinishedMarker } from "./citation-marker.ts";

/** A piece of a model's text: words, or the sources that a marker names. */
export type ScannedPiece =
  | { readonly type: "text"; readonly text: string }
  /** Without numbers: it names nothing that there is. */
  | { readonly type: "marker"; readonly raw: string; readonly numbers: readonly number[] };

export interface MarkerScanner {
  /** Yields the decided pieces, found as they are iterated; an unfinished marker waits for the next piece. */
  push(delta: string): Iterable<ScannedPiece>;
  /** The rest, at the end. */
  finish(): Iterable<ScannedPiece>;
  /** Says that the marker just given will not stand in the text: what follows it may then begin a line. */
  drop(): void;
  /** Whether the decided text ends in an open block of code. */
  isInCode(): boolean;
}

/**
 * Separates citation markers from words in text that arrives in pieces of any size.
 *
 * A marker is `[1]` or `[1, 2]`: numbers of up to three digits, commas and spaces, nothing else. `[Doc abc, Chunk 1 of
 * 5]` is one too, and names the source of that label. A form such as `【1】` is one too. In fenced code and in code spans
 * brackets are code.
 *
 * **Shape** the pieces of all calls, joined, are the text that went in. **Cost** linear; at most {@link longestWait} characters are held back.
 */
export function createMarkerScanner(labels: readonly string[] = []): MarkerScanner {
  const numberOf = new Map(labels.map((label, index) => [normaliseLabel(label), index + 1]));
  let pending = "";
  let fence = "";
  let lineStart = true;
  /** The line so far. */
  let head = "";
  let beforeMarker = true;

  function* scan(final: boolean): Generator<ScannedPiece, void> {
    let text = "";
    let position = 0;
    const take = (length: number): void => {
      const taken = pending.slice(position, position + length);
      text += taken;
      position += length;
      const lineBreak = taken.lastIndexOf("\n");
      head = (lineBreak < 0 ? head + taken : taken.slice(lineBreak + 1)).slice(0, longestWait);
      lineStart = lineHead.test(head);
    };

    while (position < pending.length) {
      special.lastIndex = position;
      const next = special.exec(pending)?.index ?? pending.length;
      if (next > position) {
        take(next - position);
        continue;
      }
      const rest = pending.slice(position, position + longestWait);
      const open = rest.length < longestWait && !final;

      if (rest.startsWith("`")) {
        const ticks = /^`+/u.exec(rest)?.[0] ?? "`";
        if (ticks.length === rest.length && open) break;
        if (ticks.length >= 3 && lineStart && fence === "" && open && !rest.includes("\n")) break;
        if (ticks.length >= 3 && lineStart && (fence === "" ? opensFence(rest, ticks) : ticks.startsWith(fence))) {
          fence = fence === "" ? ticks : "";
          take(ticks.length);
        } else if (fence === "") {
          const code = codeSpan(rest, ticks, open);
          if (code === undefined && open && !rest.includes("\n")) break;
          take(code ?? ticks.length);
        } else {
          take(ticks.length);
        }
        continue;
      }

      if (fence !== "") {
        take(1);
        continue;
      }
      const raw = completeMarker.exec(rest)?.[0];
      if (raw !== undefined) {
        if (text !== "") yield { type: "text", text };
        text = "";
        position += raw.length;
        beforeMarker = lineStart;
        lineStart = false;
        head = raw;
        const numbers = readMarker(raw).flatMap((name) =>
          typeof name === "number" ? name : (numberOf.get(name) ?? []),
        );
        yield { type: "marker", raw, numbers };
      } else if (open && unfinishedMarker.test(rest)) {
        break;
      } else {
        take(1);
      }
    }
    pending = pending.slice(position);
    if (text !== "") yield { type: "text", text };
  }

  return {
    push(delta) {
      pending += delta;
      return scan(false);
    },
    finish: () => scan(true),
    drop() {
      lineStart = beforeMarker;
    },
    isInCode: () => fence !== "",
  };
}

/** The part of a line before a fence: white space, and the sign of a list. **Source** CommonMark 0.31. */
export const lineHead = /^[ \t]*(?:(?:[-*+]|1[.)])[ \t]+)?$/u;
/** The part of a line before a block: signs of lists and of quoted blocks. **Source** CommonMark 0.31. */
export const blockHead = /^(?:[^\S\n]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[^\S\n]*$/u;
/** No marker and no code span is longer; what is longer is words. */
const longestWait = 120;
const special = new RegExp(`${openingBrackets}|\``, "gu");

/** Whether nothing in the line says that these ticks begin a code span instead. */
function opensFence(rest: string, ticks: string): boolean {
  const [line = ""] = rest.slice(ticks.length).split("\n", 1);
  return !line.includes("`");
}

/** Length of the code span that begins `rest` with `ticks`; `undefined` when it does not end in its line, or when more ticks may follow. */
function codeSpan(rest: string, ticks: string, open: boolean): number | undefined {
  const lineEnd = rest.indexOf("\n");
  const line = lineEnd === -1 ? rest : rest.slice(0, lineEnd);
  for (const match of line.slice(ticks.length).matchAll(/`+/gu)) {
    const end = ticks.length + match.index + match[0].length;
    if (match[0].length === ticks.length) return open && end === rest.length ? undefined : end;
  }
  return undefined;
}
