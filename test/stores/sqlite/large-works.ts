import { join } from "node:path";
import type { ChunkEntry } from "../../../src/contracts/document-store.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { latentSemanticModel } from "../../../src/engine/latent/latent-semantic-model.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import type { StoreOptions } from "../../../src/stores/segments/store-options.ts";
import { documentEntry, write } from "../build.ts";

/** Options with which a store has a thread, and little makes it seal and merge. */
export const threadOptions: StoreOptions = {
  corpusModel: latentSemanticModel,
  segments: { sealAt: 600, mergeFactor: 2 },
  now: () => 0,
};

export const openLarge = (folder: string): Promise<Store> =>
  openSqliteStore(join(folder, "ibid.sqlite"), threadOptions);

const names = ["ash", "elm", "oak", "yew", "fir", "bay", "box", "gum"];

export const paragraphs = (count: number, seed: number): string[] =>
  Array.from(
    { length: count },
    (_, i) => `p${i} ${names[(i * seed) % 8]!} ${names[(i * i + seed) % 7]!} number${i % 90}`,
  );

async function* inBatches(chunks: readonly ChunkEntry[]): AsyncGenerator<readonly ChunkEntry[]> {
  for (let at = 0; at < chunks.length; at += 500) yield chunks.slice(at, at + 500);
}

/** A document of many short chunks, which come in batches. */
export function largeDocument(id: string, count: number, seed: number) {
  const { chunks, ...facts } = documentEntry(id, paragraphs(count, seed));
  return { ...facts, bytes: 250 * count, chunks: inBatches(chunks as readonly ChunkEntry[]) };
}

const into = write("deployment");

/** Works that a store's thread does, on the documents `a` and `b`. */
export const largeWorks = {
  begin: async (store: Store) => {
    await store.replace(into, largeDocument("a", 1100, 3));
    await store.replace(into, largeDocument("b", 1050, 5));
  },
  replace: (store: Store) => store.replace(into, largeDocument("a", 1050, 7)),
  purge: (store: Store) => store.delete(into, { documentIds: ["b"] }, { purge: true }),
  hide: (store: Store) => store.delete(into, { documentIds: ["b"] }),
  settle: (store: Store) => store.upkeep!.settle(),
} satisfies Readonly<Record<string, (store: Store) => Promise<unknown>>>;
