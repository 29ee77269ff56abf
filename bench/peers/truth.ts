// The true result of an exact search, by 64-bit sums over every row, and the share of it that was found.
import { openSync, readSync, closeSync } from "node:fs";
import type { Entry } from "./compete.ts";
import type { Data } from "./data.ts";

export interface Truth {
  /** Share of the `topK` best that are among `ids`; a row whose score differs from the last best by rounding alone counts as best. */
  recall(query: number, ids: readonly string[]): number;
}

/** Two scores nearer than this are the same to 32-bit sums of 384 products. */
const rounding = 1e-6;

export function createTruth(data: Data, count: number, topK: number): Truth {
  const { dimensions } = data;
  const rows = readFloats(data.vectors, count * dimensions);
  const queries = readFloats(data.queryVectors, data.queries.length * dimensions);
  const known = new Map<number, { readonly scores: Float64Array; readonly last: number }>();

  const look = (query: number) => {
    const number = query % data.queries.length;
    const found = known.get(number);
    if (found !== undefined) return found;
    const scores = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      let sum = 0;
      for (let i = 0; i < dimensions; i++) sum += rows[row * dimensions + i]! * queries[number * dimensions + i]!;
      scores[row] = sum;
    }
    const truth = { scores, last: scores.toSorted()[Math.max(0, count - topK)]! };
    known.set(number, truth);
    return truth;
  };

  return {
    recall(query, ids) {
      const { scores, last } = look(query);
      const good = [...new Set(ids.slice(0, topK))].filter((id) => scores[Number(id)]! >= last - rounding);
      return good.length / Math.min(topK, count);
    },
  };
}

export function meanRecall(truth: Truth, entry: Entry): number {
  const found = [...entry.ids].map(([query, ids]) => truth.recall(query, ids));
  return found.reduce((sum, value) => sum + value, 0) / found.length;
}

export function readFloats(path: string, length: number): Float32Array {
  const floats = new Float32Array(length);
  const bytes = new Uint8Array(floats.buffer);
  const file = openSync(path, "r");
  for (let done = 0; done < bytes.length;) {
    const read = readSync(file, bytes, done, Math.min(bytes.length - done, 1 << 26), done);
    if (read === 0) throw new Error(`${path} is too short.`);
    done += read;
  }
  closeSync(file);
  return floats;
}
