import fc from "fast-check";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { searchLatent, searchVectors, searchWords } from "../../support/search-legs.ts";
import { collect, documentEntry, read, system, three, two, write } from "../build.ts";
import { topicText } from "../topics.ts";

const scopes: readonly Scope[] = ["deployment", "team:a", "user:b"];
/** Chunks from which on a model of the store is fitted. */
export const least = 12;
const ids = ["a", "b", "c", "d", "e", "f"];

const scope = fc.constantFrom<Scope[]>("deployment", "deployment", "team:a", "user:b");
/** A step of a generated history. */
export const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("replace" as const),
      scope,
      id: fc.constantFrom(...ids),
      from: fc.nat(40),
      count: fc.integer({ min: 0, max: 9 }),
      embeds: fc.boolean(),
      year: fc.integer({ min: 2020, max: 2023 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("delete" as const),
      scope,
      id: fc.constantFrom(...ids),
      purge: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), scope, id: fc.constantFrom(...ids) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wipe" as const), scope }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("vacuum" as const), age: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("another model" as const), scope }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
);
export type Operation = typeof operation extends fc.Arbitrary<infer Op> ? Op : never;

/** **Shape** the store's answer, without what is random: lives of scopes. */
export async function act(store: Store, op: Operation): Promise<unknown> {
  switch (op.do) {
    case "replace": {
      const paragraphs = Array.from({ length: op.count }, (_, i) => `${i}word ${topicText(op.from + i)}`);
      const { receipt, ...result } = await store.replace(
        write(op.scope),
        documentEntry(op.id, paragraphs, {
          document: { title: topicText(op.from), metadata: { year: op.year } },
          ...(op.embeds && { embed: (text: string) => [text.length % 7, op.from % 5, 1 / 3] }),
        }),
      );
      return [result, receipt.stamp];
    }
    case "delete": {
      const { chunks, receipt } = await store.delete(write(op.scope), { documentIds: [op.id] }, { purge: op.purge });
      return [chunks, receipt.stamp];
    }
    case "restore":
      return store.trash!.restore(write(op.scope), { documentIds: [op.id] });
    case "wipe":
      return (await store.delete(write(op.scope), { scope: true })).chunks;
    case "vacuum":
      return store.trash!.vacuum(system, { olderThanMs: op.age });
    case "another model": {
      const lacking = await collect(store.versions!.lacking(write(op.scope), two));
      const vectors = lacking.map(({ id, text }) => ({ chunkId: id, text, embedding: [text.length % 3, 1] }));
      const added = await store.versions!.addVectors(write(op.scope), two, vectors);
      return [added, await store.versions!.changeVersion(write(op.scope), two)];
    }
    case "settle":
      return store.upkeep!.settle();
  }
}

/** Everything that a reader can see. */
export async function look(store: Store): Promise<unknown> {
  const everywhere = read(...scopes);
  const found: unknown[] = [];
  for (const text of ["sailor harbour", "yeast 3word", "comet violin comet"]) {
    const lexical = await searchWords(store, everywhere, { text, topK: "all" });
    const { matches, ...facts } = await searchLatent(store, everywhere, { text, topK: "all" });
    found.push(lexical, facts, matches);
  }
  for (const version of [three, two]) {
    const embedding = version.dimensions === 3 ? [3, 2, 1] : [1, 2];
    found.push(await searchVectors(store, everywhere, { embedding, version, topK: "all" }));
  }
  const filter = { op: "gte", key: "year", value: 2022 } as const;
  found.push(await searchVectors(store, everywhere, { embedding: [1, 1, 1], version: three, filter, topK: 4 }));
  const documents = await collect(store.documents(everywhere));
  return {
    found,
    documents,
    texts: await Promise.all(documents.map(({ id, scope: one }) => store.document(read(one), id))),
    chunks: await collect(store.chunks(everywhere, { includeEmbeddings: true })),
    deleted: await collect(store.trash!.deleted(everywhere)),
    versions: await store.versions!.versions(everywhere),
    // A process without a copy says too what it keeps.
    status: { ...(await store.status(everywhere)), files: undefined },
    scopes: await store.scopes(system),
  };
}
