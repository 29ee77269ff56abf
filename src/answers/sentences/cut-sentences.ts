import { findSentences, type SentenceKind } from "../../text/find-sentences.ts";
import { endsInformalSentence } from "../../text/sentence-end.ts";
import type { CheckedPiece } from "../citations/checked-piece.ts";

/** A sentence of an answer as it arrived: a heading, a whole block of code, or a sentence of prose. The gap before it belongs to it. */
export interface CutSentence {
  readonly kind: SentenceKind;
  /** The sentence without markers and without the white space before them. */
  readonly words: string;
  /** White space, list sign or fence, then words and markers in order. */
  readonly pieces: readonly CheckedPiece[];
  /** Characters of text in the pieces before `words`. */
  readonly lead: number;
  /** Where a position of `words` stands in the texts of the pieces, joined. */
  readonly at: (position: number) => number;
}

/** Cuts an answer that arrives in pieces into its sentences. */
export interface SentenceCutter {
  /** The sentences that are complete. */
  push(piece: CheckedPiece): readonly CutSentence[];
  /** The rest, at the end. */
  finish(): readonly CutSentence[];
}

interface Placed {
  readonly piece: CheckedPiece;
  /** Where it stands in the buffer; a text piece covers its length. */
  readonly at: number;
}

interface Unit {
  start: number;
  end: number;
  kind: SentenceKind;
}

/** From this length on sentences are looked for at line breaks alone. **Units** UTF-16. */
const longBuffer = 2000;
const fenceLine = /^[ \t]*\n[ \t]*(?:`{3,}|~{3,})[^\n]*/u;
const openFence = /(?:^|\n)[ \t]*(?:`{3,}|~{3,})[^\n]*\n?[ \t]*$/u;

/**
 * A sentence is complete when the next one has a whole word, so that a full stop after an abbreviation is no end. It may begin with a small letter, as names of programs do. A marker right behind a sentence, or alone on a line
 * below it, belongs to it; one that begins a line belongs to what follows.
 *
 * **Shape** the same sentences however the answer is cut into pieces; their pieces, joined, are the answer. **Cost** linear in the answer, for sentences of usual length.
 */
export function createSentenceCutter(): SentenceCutter {
  let buffer = "";
  /** Last character of the buffer. Looking at the end of a long text that grows would copy it each time. */
  let tail = "";
  let placed: Placed[] = [];

  const take = (unit: Unit, next: Unit | undefined): CutSentence => {
    const isMine = (at: number): boolean =>
      next === undefined ||
      at <= unit.end ||
      (at <= next.start && (!beginsLine(buffer, at) || /^[ \t]*\n/u.test(buffer.slice(at, next.start))));
    const lastMarker = placed.findLast(({ piece, at }) => piece.type === "marker" && isMine(at))?.at ?? 0;
    const until = next === undefined ? buffer.length : Math.max(unit.end, lastMarker);
    const pieces: CheckedPiece[] = [];
    const rest: Placed[] = [];
    for (const { piece, at } of placed) {
      if (piece.type === "marker") {
        if (isMine(at)) pieces.push(piece);
        else rest.push({ piece, at: at - until });
        continue;
      }
      const split = Math.min(piece.text.length, Math.max(0, until - at));
      if (split > 0) pieces.push({ type: "text", text: piece.text.slice(0, split) });
      if (split < piece.text.length)
        rest.push({ piece: { type: "text", text: piece.text.slice(split) }, at: at + split - until });
    }
    const marks = placed.flatMap(({ piece, at }) => (piece.type === "marker" && isMine(at) ? at : []));
    const sentence = { kind: unit.kind, pieces, lead: unit.start, ...wordsOf(buffer, unit, marks) };
    buffer = buffer.slice(until);
    placed = rest;
    return sentence;
  };

  const cut = (isEnd: boolean): readonly CutSentence[] => {
    const sentences: CutSentence[] = [];
    for (;;) {
      const units = findUnits(buffer);
      const [unit, next] = units;
      if (unit === undefined) {
        // White space, a rule or a fence alone.
        if (isEnd && placed.length > 0)
          sentences.push(take({ start: buffer.length, end: buffer.length, kind: "markup" }, undefined));
        return sentences;
      }
      if (next === undefined && !isEnd) return sentences;
      sentences.push(take(unit, next));
      if (next === undefined) return sentences;
    }
  };

  return {
    push(piece) {
      if (piece.type === "marker") {
        placed.push({ piece, at: buffer.length });
        return [];
      }
      const sentences: CutSentence[] = [];
      // Word by word, so that the pieces in which an answer arrives decide nothing.
      for (const [word] of piece.text.matchAll(/\s|[^\s。！？]+|[。！？]/gu)) {
        const endsWord = /\s/u.test(tail) !== /^\s/u.test(word) || /[。！？]/u.test(tail);
        if (endsWord && (buffer.length < longBuffer || tail === "\n")) sentences.push(...cut(false));
        const last = placed.at(-1);
        if (last?.piece.type === "text")
          placed[placed.length - 1] = { ...last, piece: { type: "text", text: last.piece.text + word } };
        else placed.push({ piece: { type: "text", text: word }, at: buffer.length });
        buffer += word;
        tail = word.at(-1) ?? tail;
      }
      return sentences;
    },
    finish: () => cut(true),
  };
}

/** The words of a unit without the white space in front of markers. */
function wordsOf(text: string, { start, end }: Unit, marks: readonly number[]): Pick<CutSentence, "words" | "at"> {
  let words = "";
  let from = start;
  const stops: [said: number, at: number][] = [[0, start]];
  for (const mark of marks) {
    if (mark <= from || mark > end || !/^(?:[\s\p{P}]|$)/u.test(text.slice(mark, end))) continue;
    words += text.slice(from, mark).trimEnd();
    stops.push([words.length, mark]);
    from = mark;
  }
  words += text.slice(from, end);
  return { words, at: (position) => positionAt(stops, position) };
}

/** A position in one text as a position in another, given places that correspond, in order. */
export function positionAt(stops: readonly (readonly [said: number, at: number])[], position: number): number {
  const [said, at] = stops.findLast(([before]) => before <= position) ?? [0, 0];
  return at + position - said;
}

/** The sentences of a text, where a fenced block of code is one, fences included. */
function findUnits(text: string): readonly Unit[] {
  const units: Unit[] = [];
  let inFence = false;
  for (const { start, end, kind } of findSentences(text, { ends: endsInformalSentence })) {
    const last = units.at(-1);
    const gap = text.slice(last?.end ?? 0, start);
    if (kind === "code" && inFence && last !== undefined) last.end = end;
    else {
      inFence = kind === "code" && openFence.test(gap);
      units.push({ start, end, kind });
    }
    const unit = units.at(-1)!;
    const closing = inFence ? fenceLine.exec(text.slice(unit.end)) : null;
    if (closing === null) continue;
    unit.end += closing[0].length;
    inFence = false;
  }
  return units;
}

/** Whether nothing but white space and a list sign stands before a position in its line. */
function beginsLine(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[\s>]*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?$/u.test(line);
}
