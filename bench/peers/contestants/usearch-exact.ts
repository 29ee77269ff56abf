import { exactSearch, MetricKind } from "usearch";
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
    query: (vector) => {
      const found = exactSearch(rows, vector as Float32Array, dimensions, topK, MetricKind.IP, 1);
      return Array.from(found.keys, String);
    },
  };
};
