import { Index, MetricKind, ScalarKind } from "usearch";
import type { CreateContestant } from "../contestant.ts";

export const create: CreateContestant = ({ dimensions, topK }) => {
  const index = new Index({
    dimensions,
    metric: MetricKind.IP,
    quantization: ScalarKind.F32,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
    multi: false,
  });
  let filled = 0n;
  return {
    shape: ({ vectors }) => vectors,
    add(vectors) {
      const rows = (vectors as Float32Array).length / dimensions;
      const keys = BigUint64Array.from({ length: rows }, (_, i) => filled + BigInt(i));
      index.add(keys, vectors as Float32Array, 2);
      filled += BigInt(rows);
    },
    shapeQuery: ({ vector }) => vector,
    query: (vector) => Array.from(index.search(vector as Float32Array, topK, 1).keys, String),
  };
};
