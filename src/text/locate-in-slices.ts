import type { Place, PlaceLabels } from "../contracts/document.ts";
import type { ReadSlice } from "./find-sentences.ts";
import { createLocatorBy, type LineQuestion, type LocatableDocument } from "./locate.ts";
import type { Span } from "./sentences.ts";

/** **Units** UTF-16 code units. */
const pieceLength = 131_072;

/**
 * Locates a stretch of a document whose text is read in slices, none of which is kept.
 *
 * **Shape** `known` is a stretch whose labels are known, such as a chunk: lines are counted from it where it is nearer than their beginning.
 * **Cost** linear in the text between the stretch and `known`, or the beginning of its text, attachment or run of rows.
 */
export async function locateInSlices(
  document: Omit<LocatableDocument, "text">,
  { start, end }: Span,
  read: ReadSlice,
  known?: Span & PlaceLabels,
): Promise<Place> {
  const anchors = known === undefined ? [] : anchorsOf(document, known);
  const answers = new Map<string, number>();
  for (const question of questionsOf(document, start, end)) {
    const { kind, number, from, to } = question;
    const near = anchors.find((one) => one.kind === kind && one.number === number && one.from === from);
    const isNearer = near !== undefined && Math.abs(to - near.to) < to - from;
    const [at, value] = isNearer ? [near.to, near.value] : [from, number];
    const between = await countNewlines(read, Math.min(at, to), Math.max(at, to));
    answers.set(keyOf(question), at <= to ? value + between : value - between);
  }
  return createLocatorBy(document, (question) => answers.get(keyOf(question))!)(start, end);
}

/**
 * Locates positions of a document whose text is read in slices, none of which is kept.
 *
 * **Shape** a place for each position, in order.
 * **Cost** one pass over the text up to the last position. Nothing is read where no place has a line or row of the text.
 */
export async function locateStarts(
  document: Omit<LocatableDocument, "text">,
  starts: readonly number[],
  read: ReadSlice,
): Promise<readonly Place[]> {
  const questions = starts.flatMap((start) => questionsOf(document, start, start));
  const marks = [...new Set(questions.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const newlines = new Map<number, number>();
  let [at = 0] = marks;
  let count = 0;
  for (let next = 0; next < marks.length;) {
    const piece = await read(at, Math.min(marks.at(-1)!, at + pieceLength));
    let seen = 0;
    for (; next < marks.length && marks[next]! <= at + pieceLength; next++) {
      const mark = marks[next]! - at;
      for (; seen < mark; seen++) if (piece.charCodeAt(seen) === 0x0a) count++;
      newlines.set(marks[next]!, count);
    }
    for (; seen < piece.length; seen++) if (piece.charCodeAt(seen) === 0x0a) count++;
    at += pieceLength;
  }
  const locate = createLocatorBy(document, ({ number, from, to }) => number + newlines.get(to)! - newlines.get(from)!);
  return starts.map((start) => locate(start));
}

/** The lines that a locator asks for. They do not depend on the answers. */
function questionsOf(document: Omit<LocatableDocument, "text">, start: number, end: number): readonly LineQuestion[] {
  const questions: LineQuestion[] = [];
  createLocatorBy(document, (question) => {
    questions.push(question);
    return question.number;
  })(start, end);
  return questions;
}

interface Anchor extends LineQuestion {
  readonly value: number;
}

/** Lines and rows at the start of a stretch, as its labels tell them. */
function anchorsOf(document: Omit<LocatableDocument, "text">, known: Span & PlaceLabels): readonly Anchor[] {
  const questions = questionsOf(document, known.start, known.end);
  const rows = questions.filter(({ kind }) => kind === "row");
  // The least of several runs of rows may be any of theirs.
  const row = rows.length === 2 ? /^[A-Z]+(\d+)/u.exec(known.cells ?? "")?.[1] : undefined;
  return questions.flatMap((question): readonly Anchor[] => {
    if (question.to !== known.start) return [];
    const value = question.kind === "line" ? known.line : row === undefined ? undefined : Number(row);
    return value === undefined ? [] : [{ ...question, value }];
  });
}

const keyOf = ({ kind, number, from, to }: LineQuestion): string => `${kind} ${number} ${from} ${to}`;

async function countNewlines(read: ReadSlice, from: number, to: number): Promise<number> {
  let count = 0;
  for (let at = from; at < to; at += pieceLength) {
    const piece = await read(at, Math.min(to, at + pieceLength));
    for (let found = piece.indexOf("\n"); found !== -1; found = piece.indexOf("\n", found + 1)) count++;
  }
  return count;
}
