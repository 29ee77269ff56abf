// Records go from one engine to another, with their vectors:
//   node copy-records.ts old.sqlite new.sqlite
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { createSqliteEngine } from "ibid/stores/sqlite";
import * as z from "zod";
import { check } from "../check.ts";

const [from = ":memory:", to = ":memory:"] = process.argv.slice(2);
const kb = await openKnowledgeBase({
  engine: createSqliteEngine({ file: from }),
  models: { embedding: createHashingModel() },
});
const hotels = kb.collection("hotels to copy", {
  schema: z.object({ id: z.string(), name: z.string(), description: z.string(), stars: z.number().int() }),
  key: "id",
  text: ["name", "description"],
  vectors: { description: { metric: "cosine" } },
  filterable: ["stars"],
  keptIn: "engine",
});
await hotels.upsert([
  { id: "7", name: "Lantern Inn", description: "Rooms by the harbour.", stars: 3 },
  { id: "8", name: "Grand Alp", description: "A palace in the mountains.", stars: 5 },
]);

// Any engine can stand here: createQdrantEngine, createPgvectorEngine and the others.
const other = createSqliteEngine({ file: to });
const copied = await kb.copyRecords({ to: other, onProgress: (done, all) => console.log(`${done} of ${all} records`) });
check("copied", [copied.collections, copied.records], [1, 2]);
check("compared, record by record", copied.verified.records, 2);

// After an interruption the same call goes on; records that are there are passed over.
await hotels.upsert({ id: "9", name: "Rose", description: "A quiet house.", stars: 4 });
const again = await kb.copyRecords({ to: other });
check("the second time", [again.records, again.unchanged], [3, 2]);
await hotels.drop();
await other.close?.();
await kb.close();
