import { documentWith } from "../../src/testing/store-fixtures.ts";
import { searchVectors, searchWords } from "../support/search-legs.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { Filter } from "../../src/contracts/filter.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { collect, document, documentEntry, entry, plainAnalyzer, read, system, three, write } from "./build.ts";
import { createReferenceStore } from "./reference-store.ts";
import { fewer } from "../support/runs.ts";

const scopes: readonly Scope[] = ["deployment", "team:a", "user:b"];
const words = ["ash", "birch", "cedar", "elm", "fir", "oak"];
const ids = ["a", "b", "c", "d"];

const scope = fc.constantFrom<Scope[]>("deployment", "deployment", "deployment", "team:a", "user:b");
const sentence = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((list) => list.join(" "));
/** Small whole numbers: their sums are exact in any order, so that scores can be compared bit for bit. */
const vector = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 });
const metadata = fc.record({ year: fc.integer({ min: 2020, max: 2023 }) });
const someIds = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 2 });
const chunkId = fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...words)).map(([id, word]) => `${id}-${word}`);

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("replace" as const),
      scope,
      id: fc.constantFrom(...ids),
      paragraphs: fc.uniqueArray(sentence, { minLength: 0, maxLength: 4, selector: (text) => text.split(" ")[0] }),
      vector: fc.option(vector, { nil: undefined }),
      metadata,
      title: fc.constantFrom("", "Oak", "Cedar Ash"),
      headings: fc.constantFrom<readonly string[]>([], ["Oak"], ["Fir", "Elm"], ["Fir", "Elm oak"]),
      file: fc.constantFrom("", "oak", "fir_elm.fir", "notes/ashbirch"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("write one" as const),
      scope,
      id: chunkId,
      text: sentence,
      vector,
      metadata,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("delete documents" as const), scope, ids: someIds, purge: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("delete chunks" as const),
      scope,
      ids: fc.array(chunkId, { maxLength: 4 }),
      purge: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("delete by filter" as const),
      scope,
      from: fc.integer({ min: 2020, max: 2024 }),
      purge: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete scope" as const), scope }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore documents" as const), scope, ids: someIds }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("restore chunks" as const),
      scope,
      ids: fc.array(chunkId, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("vacuum" as const), age: fc.integer({ min: 0, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Op> ? Op : never;

const query = fc.record({
  scopes: fc.subarray([...scopes], { minLength: 1 }),
  text: sentence,
  vector,
  topK: fc.constantFrom(1, 2, 5, "all" as const),
  from: fc.option(fc.integer({ min: 2020, max: 2023 }), { nil: undefined }),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

const atLeast = (year: number) => ({
  filter: { op: "gte", key: "year", value: year } satisfies Filter as Filter,
  test: (said: Metadata) => Number(said["year"] ?? 0) >= year,
});

interface Clock {
  now: number;
}

/** **Shape** the count that the store gave, and the one that it should have given. */
async function apply(
  op: Operation,
  store: Store,
  reference: ReturnType<typeof createReferenceStore>,
  clock: Clock,
): Promise<readonly number[]> {
  switch (op.do) {
    case "replace": {
      const made = documentEntry(op.id, op.paragraphs, {
        document: { title: op.title, metadata: op.metadata, ...(op.file !== "" && { uri: `${op.file}.txt` }) },
        headings: op.headings,
        ...(op.vector === undefined
          ? {}
          : { embed: (text: string) => [op.vector![0]!, op.vector![1]!, text.length % 3] }),
      });
      const { added, kept } = await store.replace(write(op.scope), made);
      reference.replace(op.scope, made);
      return [added + kept, op.paragraphs.length];
    }
    // A document of its own, which takes the chunk from the document that has its id.
    case "write one": {
      const made = documentWith([entry(op.id, op.text, op.vector, { metadata: op.metadata })]);
      await store.replace(write(op.scope), made);
      reference.replace(op.scope, made);
      return [];
    }
    case "delete documents":
    case "delete chunks":
    case "delete by filter":
    case "delete scope": {
      const purge = op.do !== "delete scope" && op.purge;
      const { filter, test } = atLeast(op.do === "delete by filter" ? op.from : 0);
      const target =
        op.do === "delete documents"
          ? { documentIds: op.ids }
          : op.do === "delete chunks"
            ? { ids: op.ids }
            : op.do === "delete by filter"
              ? { filter }
              : { scope: true as const };
      const { chunks: gone } = await store.delete(write(op.scope), target, { purge });
      return [gone, reference.delete(op.scope, target, purge, clock.now, test)];
    }
    case "restore documents":
    case "restore chunks": {
      const target = op.do === "restore documents" ? { documentIds: op.ids } : { ids: op.ids };
      return [await store.trash!.restore(write(op.scope), target), reference.restore(op.scope, target)];
    }
    case "vacuum":
      return [await store.trash!.vacuum(system, { olderThanMs: op.age }), reference.vacuum(clock.now - op.age)];
    case "settle":
      await store.upkeep!.settle();
      return [];
    case "reopen":
      return [];
  }
}

async function compare(query: Query, store: Store, reference: ReturnType<typeof createReferenceStore>): Promise<void> {
  const proof = read(...query.scopes);
  const topK = query.topK === "all" ? Infinity : query.topK;
  const restricted = query.from === undefined ? undefined : atLeast(query.from);
  const filter = restricted === undefined ? {} : { filter: restricted.filter };
  const shape = (hits: readonly { scope: Scope; chunk: { id: string }; score: number }[]) =>
    hits.map(({ scope, chunk, score }) => ({ scope, id: chunk.id, score }));
  const sorted = [...query.scopes].sort();

  const lexical = await searchWords(store, proof, { text: query.text, topK: query.topK, ...filter });
  expect(shape(lexical.matches)).toEqual(reference.lexical(sorted, query.text, topK, restricted?.test));
  for (const { score, terms, name, document: whole, heading } of lexical.matches) {
    expect(terms.reduce((sum, term) => sum + term.score, 0) + name + whole + heading).toBe(score);
  }
  const dense = await searchVectors(store, proof, {
    embedding: query.vector,
    version: three,
    topK: query.topK,
    ...filter,
  });
  expect(shape(dense)).toEqual(reference.cosine(sorted, query.vector, topK, restricted?.test));
  expect(shape(await searchVectors(store, proof, { topK: query.topK, ...filter }))).toEqual(
    reference.every(sorted, topK, restricted?.test),
  );
  expect(await collect(store.chunks(proof))).toEqual(reference.chunks(sorted));
  const documents = await collect(store.documents(proof));
  const placeOf = ({ scope, id, uri }: { scope: string; id: string; uri: string }) => [uri, scope, id].join("\n");
  expect(documents.map(({ scope, id, uri }) => ({ scope, id, uri }))).toEqual(
    reference.documents(sorted).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)),
  );
  const status = await store.status(proof);
  expect(status.chunks).toBe(reference.chunks(sorted).length);
}

const tiny = { sealAt: 2, settleAt: 1, mergeFactor: 2, maxMerged: 12 };
const folder = mkdtempSync(join(tmpdir(), "ibid-stores-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

describe.each([
  { name: "memory, one live segment", open: null, segments: {}, runs: 15 },
  { name: "memory, many small segments", open: null, segments: tiny, runs: fewer(30, 80) },
  { name: "SQLite, many small segments, reopened at times", open: openSqliteStore, segments: tiny, runs: fewer(6, 15) },
])("$name", ({ open, segments, runs }) => {
  it("is indistinguishable from lists that are walked: same hits, order and scores, bit for bit [L3 L4 L5 L11 T29 B20 B25 B29]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 12, maxLength: 40, size: "max" }),
        query,
        async (operations, asked) => {
          const clock = { now: 1_000 };
          const options = { analyzer: plainAnalyzer, segments, now: () => clock.now };
          const path = join(folder, `${files++}.sqlite`);
          let store = open === null ? createMemoryStore(options) : await open(path, options);
          const reference = createReferenceStore();
          try {
            for (const [i, op] of operations.entries()) {
              clock.now += 2;
              if (op.do === "reopen" && open !== null) {
                await store.close();
                store = await open(path, options);
              }
              const [got, expected] = await apply(op, store, reference, clock);
              expect(got).toBe(expected);
              if (i % 4 === 3) await compare(asked, store, reference);
            }
            await compare(asked, store, reference);
          } finally {
            await store.close();
          }
        },
      ),
      { numRuns: runs },
    );
  });
});

it("keeps a document's text and tree beside its chunks [E20]", async () => {
  const store = createMemoryStore({ analyzer: plainAnalyzer });
  const made = documentEntry("a", ["ash birch", "cedar"]);
  await store.replace(write("deployment"), made);
  const stored = await store.document(read("deployment"), "a");
  expect(stored?.document).toEqual(document("a", "ash birch\n\ncedar"));
});
