import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createEngineStore } from "../../../src/stores/engines/engine-store.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { createSqliteEngine } from "../../../src/stores/sqlite/sqlite-engine.ts";
import { createEnginePack } from "../../../src/testing/engine-pack.ts";
import { runPack } from "../../contracts/run-pack.ts";

describe("the engine over SQLite", () => {
  runPack(
    createEnginePack({
      name: "sqlite",
      create: async () => createSqliteEngine(),
      createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
      openKnowledgeBase: (engine) => openKnowledgeBase({ engine }),
      chunks: 300,
    }),
  );

  it("keeps no word of a deleted record in its files", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-deleted-"));
    const holds = (): readonly string[] =>
      readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes("heliotrope"));
    const engine = createSqliteEngine({ file: join(folder, "records.sqlite") });
    try {
      const version = { provider: "test", model: "test", dimensions: 2, fingerprint: "" };
      const index = await engine.open({ name: "r", version, dimensions: 2, metric: "cosine", records: true });
      const of = (key: string, word: string) => ({
        key,
        ref: `deployment/${key}`,
        vector: Float32Array.of(1, 0),
        tags: ["00000000000000aa"],
        numbers: {},
        record: { json: JSON.stringify({ word }), text: `a ${word}`, fields: { word } },
      });
      await index.put([of("1", "heliotrope"), of("2", "hellebore")]);
      expect(holds()).not.toEqual([]);
      await index.delete(["1"]);
      expect(holds()).toEqual([]);
      expect((await index.read!(["1", "2"])).map(({ key }) => key)).toEqual(["2"]);
    } finally {
      await engine.close?.();
      rmSync(folder, { recursive: true });
    }
  });

  it("opens an index that is there while another process writes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-opened-"));
    const file = join(folder, "records.sqlite");
    const open = async (): Promise<void> => {
      const engine = createSqliteEngine({ file, pragmas: { busy_timeout: 0 } });
      const version = { provider: "test", model: "test", dimensions: 2, fingerprint: "" };
      await engine.open({ name: "r", version, dimensions: 2, metric: "cosine", records: true });
      await engine.close?.();
    };
    const other = new DatabaseSync(file);
    try {
      await open();
      other.exec("BEGIN IMMEDIATE");
      await expect(open()).resolves.toBeUndefined();
    } finally {
      other.close();
      rmSync(folder, { recursive: true });
    }
  });
});
