import { join } from "node:path";
import { Index, MetricKind, ScalarKind } from "usearch";
import type { CreateContestant } from "../contestant.ts";

export const create: CreateContestant = ({ folder, dimensions, topK }) => {
  const settings = {
    dimensions,
    metric: MetricKind.IP,
    quantization: ScalarKind.F32,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
    multi: false,
  };
  const index = new Index(settings);
  const file = join(folder, "vectors.usearch");
  let filled = 0n;
  return {
    shape: ({ vectors }) => vectors,
    add(vectors) {
      const rows = (vectors as Float32Array).length / dimensions;
      const keys = BigUint64Array.from({ length: rows }, (_, i) => filled + BigInt(i));
      index.add(keys, vectors as Float32Array, 2);
      filled += BigInt(rows);
    },
    finish: () => index.save(file),
    reopen(vector) {
      const again = new Index(settings);
      again.view(file);
      again.search(vector as Float32Array, topK, 1);
    },
    shapeQuery: ({ vector }) => vector,
    query: (vector) => Array.from(index.search(vector as Float32Array, topK, 1).keys, String),
  };
};
