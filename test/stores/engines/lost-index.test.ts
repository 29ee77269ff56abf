import { describe, expect, it } from "vitest";
import type { Engine } from "../../../src/contracts/engine.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createSqliteEngine } from "../../../src/stores/sqlite/sqlite-engine.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";

/** An engine, and a way of losing the entries of an index behind the knowledge base. */
interface Losing {
  readonly engine: Engine;
  readonly lose: (name: string) => Promise<void>;
}

const engines: Readonly<Record<string, () => Losing>> = {
  "fails from then on": () => {
    const engine = createSqliteEngine();
    return { engine, lose: (name) => engine.drop(name) };
  },
  "gives nothing from then on": () => {
    const engine = createReferenceEngine();
    const kept = engine.native as Map<string, { readonly entries: Map<string, unknown> }>;
    return { engine, lose: async (name) => kept.get(name)!.entries.clear() };
  },
};

const texts = Array.from({ length: 30 }, (_, i) => `Lamp ${i} stands at the harbour of Kiel.`);

async function openBase(engine: Engine) {
  const kb = await openKnowledgeBase({ engine, models: { embedding: createHashingModel() } });
  await kb.ingest(texts.map((text, i) => ({ uri: `lamp-${i}.txt`, text })));
  const settle = () => kb.ingest({ uri: "lamp-0.txt", text: texts[0]! }, { settle: true });
  await settle();
  const search = async () => (await kb.search("Lamp 7", { mode: "dense", topK: 3 })).map(({ chunkId }) => chunkId);
  return { kb, search, settle };
}

describe.each(Object.entries(engines))(
  "an index that is lost behind the process, in an engine that %s [S1 L11]",
  (_, make) => {
    it("changes no search, and is written again by settling", async () => {
      const { engine, lose } = make();
      const { kb, search, settle } = await openBase(engine);
      const before = await search();
      expect(before).toHaveLength(3);
      const [name] = await engine.indexes("b");
      await lose(name!);
      expect(await search()).toEqual(before);
      await settle();
      expect((await kb.doctor()).findings).toEqual([]);
      expect(await search()).toEqual(before);
      await kb.close();
    });

    it("is found by doctor(), and written again with fix", async () => {
      const { engine, lose } = make();
      const { kb, search } = await openBase(engine);
      const before = await search();
      await lose((await engine.indexes("b"))[0]!);
      expect((await kb.doctor()).findings).toMatchObject([{ kind: "engine-differs", count: texts.length }]);
      expect((await kb.doctor({ fix: true })).findings).toMatchObject([{ kind: "engine-differs", fixed: true }]);
      expect((await kb.doctor()).findings).toEqual([]);
      expect(await search()).toEqual(before);
      await kb.close();
    });

    it("takes documents that are written afterwards", async () => {
      const { engine, lose } = make();
      const { kb, search, settle } = await openBase(engine);
      await lose((await engine.indexes("b"))[0]!);
      await kb.ingest({ uri: "lamp-7b.txt", text: "Lamp 7" });
      expect(await search()).toHaveLength(3);
      await settle();
      await search();
      await settle();
      expect((await kb.doctor()).findings).toEqual([]);
      await kb.close();
    });
  },
);
