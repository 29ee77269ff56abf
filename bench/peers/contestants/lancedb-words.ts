import type { CreateContestant } from "../contestant.ts";
import { createTable, Index } from "./lancedb.ts";

export const create: CreateContestant = (setting) =>
  createTable<string>(setting, {
    finish: (table) => table.createIndex("text", { config: Index.fts() }),
    shapeQuery: ({ text }) => text,
    query: async (table, text) => {
      const query = table
        .query()
        .fullTextSearch(text, { columns: ["text"] })
        .limit(setting.topK);
      return (await query.select(["id", "text", "_score"]).toArray()).map(({ id }) => id as string);
    },
  });
