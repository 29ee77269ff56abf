import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { verifyCopy } from "../../src/knowledge-base/open/verify-copy.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import type { Store, StoredChunk } from "../../src/contracts/store.ts";

const texts = [
  { uri: "a", text: "Keys are rotated every ninety days." },
  { uri: "b", text: "Lanterns stand at the harbour." },
];

async function storeOf(
  given: readonly { readonly uri: string; readonly text: string }[],
  dimensions = 64,
  ofNorth: typeof given = [],
): Promise<Store> {
  const store = createMemoryStore();
  const kb = await openKnowledgeBase({ store, models: { embedding: createHashingModel({ dimensions }) } });
  await kb.ingest(given, { settle: true });
  await kb.as({ userId: "ada", teamId: "north" }).ingest(ofNorth, { scope: "team:north", settle: true });
  return store;
}

/** A store that gives other chunks than it was given. */
function altered(store: Store, change: (entry: StoredChunk) => readonly StoredChunk[]): Store {
  return {
    ...store,
    async *chunks(scopes, options) {
      for await (const entry of store.chunks(scopes, options)) yield* change(entry);
    },
  };
}

const otherVector = (entry: StoredChunk): readonly StoredChunk[] => [
  {
    ...entry,
    embeddings: (entry.embeddings ?? []).map(({ version, embedding }) => ({
      version,
      embedding: Array.from(embedding as Float32Array).map((value, i) => (i === 3 ? value + 0.5 : value)),
    })),
  },
];

describe("the comparison of a copy with its source [T18]", () => {
  it("counts documents and searches by words and by vectors", async () => {
    const verified = await verifyCopy(await storeOf(texts), await storeOf(texts), ["deployment"], undefined);
    expect(verified).toEqual({ documents: 2, searches: 4 });
  });

  it.each([
    ["a document that is missing", () => storeOf(texts.slice(0, 1)), "b in deployment is not there"],
    [
      "another text",
      () => storeOf([texts[0]!, { uri: "b", text: "Lanterns stood there." }]),
      "b in deployment differs",
    ],
    ["one other coordinate", async () => altered(await storeOf(texts), otherVector), "a in deployment differs"],
    ["a chunk that is missing", async () => altered(await storeOf(texts), () => []), "a in deployment differs"],
    ["other vectors", () => storeOf(texts, 32), "a in deployment differs"],
    [
      "a document too many",
      () => storeOf([...texts, { uri: "c", text: "Keys of the harbour." }]),
      "c in deployment is not in the source",
    ],
    [
      "a document too many, in a scope that the source lacks",
      () => storeOf(texts, 64, [{ uri: "c", text: "Keys of the harbour." }]),
      "c in team:north is not in the source",
    ],
  ])("names %s", async (_, copy, said) => {
    await expect(verifyCopy(await storeOf(texts), await copy(), ["deployment"], undefined)).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining(said) as string,
    });
  });
});
