import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { fromParts } from "../support/from-parts.ts";

const heron = { uri: "heron.txt", text: "The heron waits in the reeds." };

describe("search after a receipt: a reader sees its own writes", () => {
  it("takes the receipt of an ingestion, and finds what it wrote", async () => {
    const kb = await openKnowledgeBase({ store: createMemoryStore() });
    const { receipt } = await kb.ingest(heron);
    expect(receipt).toEqual({ scope: "deployment", life: expect.any(String) as string, stamp: 1 });
    for (const after of [receipt, [receipt], []]) {
      expect((await kb.search("heron", { after })).map(({ source }) => source.uri)).toEqual(["heron.txt"]);
    }
    const again = await kb.ingest(heron);
    expect(again.receipt).toEqual(receipt);
    expect((await kb.ingest({ ...heron, text: "The heron flies." })).receipt.stamp).toBeGreaterThan(receipt.stamp);
    await kb.close();
  });

  it("refuses a receipt of another store's later commit, and a value that is none", async () => {
    const kb = await openKnowledgeBase({ store: createMemoryStore() });
    const { receipt } = await kb.ingest(heron);
    const later = { ...receipt, stamp: 100 };
    await expect(kb.search("heron", { after: later })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(kb.search("heron", { after: [receipt, later] })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(kb.search("heron", { after: "now" as never })).rejects.toMatchObject({ code: "invalid-argument" });
    await kb.close();
  });

  it("refuses any receipt where a leg of the store sees writes later", async () => {
    const store = fromParts((parts) => ({
      ...parts,
      legs: [
        ...parts.legs,
        {
          name: "far",
          capabilities: { exact: false, filters: "none", visibility: "later", scoresGivenChunks: true },
          accepts: () => true,
          search: async () => ({ matches: [], complete: true, exact: false, calibration: { weight: 1, scale: 1 } }),
        },
      ],
    }));
    const kb = await openKnowledgeBase({ store });
    const { receipt } = await kb.ingest(heron);
    expect(await kb.search("heron")).toHaveLength(1);
    await expect(kb.search("heron", { after: receipt })).rejects.toMatchObject({ code: "unsupported" });
    expect(await kb.search("heron", { after: receipt, mode: "lexical" })).toHaveLength(1);
    await kb.close();
  });
});
