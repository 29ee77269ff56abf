import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { lineError, readLines } from "./read-lines.ts";

/**
 * A document that a search found.
 *
 * @experimental
 */
export interface RankedDocument {
  readonly documentId: string;
  readonly score: number;
}

/**
 * Hits of each query, best first. The order is the ranking, also where scores tie.
 *
 * @experimental
 */
export type Run = ReadonlyMap<string, readonly RankedDocument[]>;

/**
 * Writes a run in TREC's form: `query Q0 document rank score tag`.
 *
 * **Shape** trec_eval ignores the rank, orders by score, and ties by document id, last first. Before version 10 it read scores as single-precision
 * numbers, where more of them tie. So the written scores are single-precision numbers that fall strictly: where one would not, it becomes the next
 * smaller one. Every version then reads the given order.
 * **Errors** `invalid-argument` for an id that is blank or has white space, or a score that is no number.
 *
 * @experimental
 */
export function formatRun(run: Run, options: { readonly tag?: string | undefined } = {}): string {
  checkGiven("formatRun", "run", run, "items", { get: "function" });
  checkOptions("formatRun", options, { tag: true });
  const { tag = "ibid" } = options;
  checkId("tag", tag);
  const lines: string[] = [];
  for (const [query, ranking] of run) {
    checkId("query id", query);
    checkGiven("formatRun", `the ranking of ${query}`, ranking, "list", { documentId: "text" });
    let last = Infinity;
    for (const [index, { documentId, score }] of ranking.entries()) {
      checkId("document id", documentId);
      const rounded = Math.fround(score);
      if (!Number.isFinite(rounded)) {
        throw new IbidError("invalid-argument", `Document ${documentId} has the score ${score} for query ${query}.`, {
          hint: "Give every document a finite score.",
        });
      }
      last = Math.min(rounded, nextSmaller(last));
      // Nine digits tell any two single-precision numbers apart (IEEE 754, 5.12.2).
      lines.push(`${query} Q0 ${documentId} ${index + 1} ${last.toPrecision(9)} ${tag}\n`);
    }
  }
  return lines.join("");
}

/**
 * Reads a run in TREC's form, and ranks it like trec_eval 10: by score, ties by document id, last first in UTF-8 order. The rank column
 * and the order of lines have no effect.
 *
 * **Errors** `unreadable` for a line of another form, a score that is no number, a document that is found twice for one query.
 *
 * @experimental
 */
export function parseRun(text: string, options: { readonly file?: string | undefined } = {}): Run {
  checkGiven("parseRun", "text", text, "text");
  checkOptions("parseRun", options, { file: true });
  const { file = "run" } = options;
  const run = new Map<string, Map<string, number>>();
  for (const { text: line, number } of readLines(text)) {
    const [query = "", , document = "", , score, tag] = line.trim().split(/\s+/u);
    if (score === undefined || tag === undefined)
      throw lineError(file, number, "is no line of a run", "Write: query Q0 document rank score tag.");
    const value = Number(score);
    if (!Number.isFinite(value)) throw lineError(file, number, "has no number as its score", "Write a finite score.");
    const scores = run.get(query) ?? new Map<string, number>();
    run.set(query, scores);
    if (scores.has(document))
      throw lineError(file, number, `has document ${document} again for query ${query}`, "Keep one of them.");
    scores.set(document, value);
  }
  return new Map(
    Array.from(run, ([query, scores]) => [
      query,
      Array.from(scores, ([documentId, score]) => ({ documentId, score })).toSorted(
        (a, b) => b.score - a.score || compareUtf8(b.documentId, a.documentId),
      ),
    ]),
  );
}

function checkId(what: string, id: string): void {
  if (/^\S+$/u.test(id)) return;
  throw new IbidError(
    "invalid-id",
    `A run cannot hold the ${what} "${id}": its fields have white space between them.`,
    {
      hint: "Use ids without white space.",
    },
  );
}

const asFloat = new Float32Array(1);
const asBits = new Uint32Array(asFloat.buffer);

/** The next smaller single-precision number. */
function nextSmaller(value: number): number {
  if (value === Infinity) return value;
  // Both zeros have the same neighbour: the negative number closest to zero, whose bits are the sign and a one.
  asFloat[0] = value === 0 ? -0 : value;
  const bits = asBits[0]!;
  asBits[0] = value > 0 ? bits - 1 : bits + 1;
  return asFloat[0];
}

/** Order by UTF-8 bytes, which is that of code points and not that of JavaScript's strings. */
function compareUtf8(a: string, b: string): number {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()];
  for (;;) {
    const [x, y] = [left.next(), right.next()];
    if (x.done === true || y.done === true) return (x.done === true ? 0 : 1) - (y.done === true ? 0 : 1);
    if (x.value !== y.value) return x.value.codePointAt(0)! - y.value.codePointAt(0)!;
  }
}
