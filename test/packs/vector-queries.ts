import { searchVectors } from "../support/search-legs.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { Embedding, Metric } from "../../src/contracts/embedding.ts";
import type { VectorMatch, VectorQuery } from "../../src/contracts/vector-store.ts";
import { deployment, entryOf, from, into, plane, writeChunks } from "../../src/testing/store-fixtures.ts";

/** Writes vectors of the plane under ids of one letter: `{ a: [2, 0] }`. */
export async function put(
  store: Store,
  vectors: Readonly<Record<string, Embedding>>,
  scope = deployment,
): Promise<void> {
  await writeChunks(
    store,
    into(scope),
    Object.entries(vectors).map(([id, embedding]) => entryOf(id, embedding)),
  );
}

/** Searches everything that the deployment holds, in the plane unless `query` has another version. */
export function near(store: Store, embedding: Embedding, query: VectorQuery = {}): Promise<readonly VectorMatch[]> {
  return searchVectors(store, from(deployment), { embedding, version: plane, topK: "all", ...query });
}

/** Ids in the order found. */
export function idsOf(matches: readonly { readonly chunk: { readonly id: string } }[]): string {
  return matches.map(({ chunk }) => chunk.id).join(" ");
}

/** Whether the store has no such metric: a search by it says `unsupported`. */
export async function refusesMetric(store: Store, metric: Metric): Promise<boolean> {
  try {
    await near(store, [1, 0], { metric });
    return false;
  } catch (error) {
    if (IbidError.isInstance(error, "unsupported")) return true;
    throw error;
  }
}
