import type { CreateContestant } from "../contestant.ts";
import { createTable } from "./lancedb.ts";

export const create: CreateContestant = (setting) =>
  createTable<Float32Array>(setting, {
    shapeQuery: ({ vector }) => vector,
    query: async (table, vector) => {
      const query = table.query().nearestTo(vector).distanceType("cosine").limit(setting.topK);
      return (await query.select(["id", "text", "_distance"]).toArray()).map(({ id }) => id as string);
    },
  });
