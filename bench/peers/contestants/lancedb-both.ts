// Vectors and text, both searchable: what `ibid-durable` always is.
import type { CreateContestant } from "../contestant.ts";
import { createTable, Index } from "./lancedb.ts";

export const create: CreateContestant = (setting) =>
  createTable<Float32Array>(setting, {
    finish: (table) => table.createIndex("text", { config: Index.fts() }),
    shapeQuery: ({ vector }) => vector,
    query: async (table, vector) => {
      const query = table.query().nearestTo(vector).distanceType("cosine").limit(setting.topK);
      return (await query.select(["id", "text", "_distance"]).toArray()).map(({ id }) => id as string);
    },
  });
