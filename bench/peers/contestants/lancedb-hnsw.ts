import type { CreateContestant } from "../contestant.ts";
import { createTable, Index } from "./lancedb.ts";

export const create: CreateContestant = (setting) =>
  createTable<Float32Array>(setting, {
    finish: (table) =>
      table.createIndex("vector", {
        config: Index.hnswSq({ distanceType: "cosine", numPartitions: 1, m: 20, efConstruction: 150 }),
      }),
    shapeQuery: ({ vector }) => vector,
    query: async (table, vector) => {
      const query = table.query().nearestTo(vector).distanceType("cosine").ef(100).refineFactor(3).limit(setting.topK);
      return (await query.select(["id", "text", "_distance"]).toArray()).map(({ id }) => id as string);
    },
  });
