import type { GivenAnswer } from "../../contracts/verification.ts";
import { completeMarker, readMarker } from "../../text/untrusted/citation-marker.ts";
import { createMarkerScanner } from "../../text/untrusted/scan-markers.ts";
import type { CheckedPiece } from "../citations/checked-piece.ts";
import { cutText, type PlacedSentence } from "../citations/judge-text.ts";

/** A sentence of a given answer, with its citations. */
export interface GivenSentence extends PlacedSentence {
  /** Places among the answer's citations, from 0. */
  readonly citations: readonly number[];
}

/** A marker where it stands, and the citations that it names. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly citations: readonly number[];
}

/**
 * Cuts a given answer into its sentences, each with the citations that are for it.
 *
 * A sentence has the citations of its markers, of the stretches that it overlaps, and of the points in it. Without any, it has those without a place.
 *
 * **Shape** without the answer's asides; positions are those of its text. **Cost** linear in the text, times the number of its own kinds of markers.
 */
export function cutAnswer(answer: GivenAnswer): readonly GivenSentence[] {
  const { citations } = answer;
  // Positions stay: asides become white space.
  let text = answer.text;
  for (const [start, end] of answer.asides)
    text = text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/gu, " ") + text.slice(end);
  const marks = findMarks(text, answer);
  const placeless = citations.flatMap(({ marker, textStart }, index) =>
    marker === undefined && textStart === undefined ? [index] : [],
  );
  return cutText(text, toPieces(text, marks)).map((sentence) => {
    const named = sentence.cut.pieces
      .flatMap((piece) => (piece.type === "marker" ? piece.numbers : []))
      .map((number) => number - 1);
    const spanned = citations.flatMap(({ marker, textStart, textEnd }, index) => {
      if (marker !== undefined || textStart === undefined) return [];
      const end = textEnd ?? textStart;
      const overlaps =
        textStart < sentence.end &&
        sentence.start < end &&
        text.slice(Math.max(textStart, sentence.start), Math.min(end, sentence.end)).trim() !== "";
      return overlaps ? [index] : [];
    });
    const own = [...new Set([...named, ...spanned])];
    return { ...sentence, citations: own.length > 0 ? own : placeless };
  });
}

/** Numbers in brackets outside code, the markers that citations bring along, and points. */
function findMarks(text: string, { citations }: GivenAnswer): readonly Mark[] {
  const marks: Mark[] = [];
  const named = new Map<string, number[]>();
  for (const [index, { marker, textStart, textEnd }] of citations.entries()) {
    const isPoint = textStart !== undefined && textEnd === textStart;
    if (isPoint && marker === undefined) marks.push({ start: textStart, end: textStart, citations: [index] });
    if (marker !== undefined) named.set(nameOf(marker), [...(named.get(nameOf(marker)) ?? []), index]);
  }
  const others = [
    ...new Set(citations.flatMap(({ marker }) => (marker === undefined || isNumbers(marker) ? [] : marker))),
  ];
  for (const marker of others) {
    for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + marker.length))
      marks.push({ start: at, end: at + marker.length, citations: named.get(nameOf(marker)) ?? [] });
  }
  const scanner = createMarkerScanner();
  let at = 0;
  for (const piece of [...scanner.push(text), ...scanner.finish()]) {
    const raw = piece.type === "text" ? piece.text : piece.raw;
    if (piece.type === "marker")
      marks.push({
        start: at,
        end: at + raw.length,
        citations: piece.numbers.flatMap((number) => named.get(String(number)) ?? []),
      });
    at += raw.length;
  }
  const sorted = marks.toSorted((a, b) => a.start - b.start || b.end - a.end);
  // A marker inside another, such as the number in `【4:0†source】`, is part of it.
  let covered = 0;
  return sorted.filter(({ start, end }) => {
    if (start < covered) return false;
    covered = Math.max(covered, end);
    return true;
  });
}

/** `[1]` and `【1】` name the same; `【1†source】` is a name of its own. */
function nameOf(marker: string): string {
  return isNumbers(marker) ? readMarker(marker).join(",") : marker;
}

function isNumbers(marker: string): boolean {
  return completeMarker.test(marker) && !marker.includes("†");
}

function toPieces(text: string, marks: readonly Mark[]): readonly CheckedPiece[] {
  const pieces: CheckedPiece[] = [];
  let at = 0;
  for (const { start, end, citations } of marks) {
    if (start > at) pieces.push({ type: "text", text: text.slice(at, start) });
    const numbers = citations.map((index) => index + 1);
    pieces.push({ type: "marker", raw: text.slice(start, end), numbers, quoted: [], refuted: false, late: false });
    at = end;
  }
  if (at < text.length) pieces.push({ type: "text", text: text.slice(at) });
  return pieces;
}
