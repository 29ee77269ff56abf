import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Engine } from "../../../src/contracts/engine.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import { type NamedEngine, openEngine } from "../../../src/knowledge-base/open/open-engine.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { createSqliteEngine } from "../../../src/stores/sqlite/sqlite-engine.ts";
import { knowledgeBaseOver } from "../../support/knowledge-base-over.ts";
import { startAzureSearch } from "./stand-ins/azure-search.ts";
import { startKusto } from "./stand-ins/kusto.ts";
import { startPinecone } from "./stand-ins/pinecone.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-cut-off-"));
const [azure, kusto, pinecone] = [await startAzureSearch({}), await startKusto({}), await startPinecone({})];
afterAll(() => {
  for (const server of [azure, kusto, pinecone]) server.stop();
  rmSync(folder, { recursive: true });
});

/** Values of `engine` in a configuration. */
const configured: readonly NamedEngine[] = [
  { name: "sqlite", file: join(folder, "to.sqlite") },
  { name: "azure-search", url: azure.url, apiKey: "admin" },
  { name: "kusto", url: kusto.url, database: "db", token: "token" },
  { name: "pinecone", url: pinecone.url, apiKey: "key" },
];

const inns = Array.from({ length: 320 }, (_, i) => ({ id: `inn ${i}`, text: `Rooms ${i} by the harbour ${i % 11}` }));
const schema = z.object({ id: z.string(), text: z.string() });
const innsOf = (kb: KnowledgeBase) =>
  kb.collection("inns", { schema, key: "id", text: ["text"], vectors: { text: {} }, keptIn: "engine" });

/** The engine, which is gone from its `last` write on. */
function cutOff(engine: Engine, last: number): Engine {
  let writes = 0;
  return {
    ...engine,
    async open(spec, signal) {
      const index = await engine.open(spec, signal);
      return {
        ...index,
        async put(entries) {
          if (++writes >= last) throw new Error("The machine is gone.");
          await index.put(entries);
        },
      };
    },
  };
}

describe.each(configured.map((given) => [given.name, given] as const))(
  "a copy of records to %s, by its name",
  (name, given) => {
    it("that was cut off goes on where it was, and is whole", async () => {
      const store = createMemoryStore();
      const over = (engine: Engine): KnowledgeBase =>
        knowledgeBaseOver(store, createHashingModel({ dimensions: 32 }), [], [], engine);
      const kb = over(createSqliteEngine({ file: join(folder, `from ${name}.sqlite`) }));
      await innsOf(kb).upsert(inns);
      const to = await openEngine(given);
      for (const last of [1, 2])
        await expect(kb.copyRecords({ to: cutOff(to, last) })).rejects.toThrow(/machine is gone/u);
      const copied = await kb.copyRecords({ to });
      expect(copied).toMatchObject({ records: 320, verified: { records: 320 } });
      // The write before the cut was kept.
      expect(copied.unchanged).toBeGreaterThan(0);
      expect(copied.unchanged).toBeLessThan(320);
      const other = over(to);
      const listed = [];
      for await (const record of innsOf(other).list()) listed.push(record);
      expect(listed).toHaveLength(320);
      expect(await innsOf(other).get("inn 319")).toEqual(inns[319]);
      await to.close?.();
    });
  },
);
