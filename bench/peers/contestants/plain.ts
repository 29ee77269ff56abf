// The obvious first program: rows of Float32Array end to end, a loop, and a sorted list of ten.
import type { CreateContestant } from "../contestant.ts";

export const create: CreateContestant = ({ count, dimensions, topK }) => {
  const rows = new Float32Array(count * dimensions);
  let filled = 0;
  return {
    shape: ({ vectors }) => vectors,
    add(vectors) {
      rows.set(vectors as Float32Array, filled);
      filled += (vectors as Float32Array).length;
    },
    shapeQuery: ({ vector }) => vector,
    query(given) {
      const query = given as Float32Array;
      const best: { row: number; score: number }[] = [];
      for (let row = 0; row < count; row++) {
        let score = 0;
        const start = row * dimensions;
        for (let i = 0; i < dimensions; i++) score += rows[start + i]! * query[i]!;
        if (best.length === topK && score <= best[topK - 1]!.score) continue;
        best.push({ row, score });
        best.sort((a, b) => b.score - a.score);
        if (best.length > topK) best.pop();
      }
      return best.map(({ row }) => String(row));
    },
  };
};
