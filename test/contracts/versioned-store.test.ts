import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { describe } from "vitest";

import type { ScopeVersions } from "../../src/contracts/reembedding.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createVersionedStorePack } from "../packs/versioned-store-pack.ts";
import { eachStore } from "../stores/each-store.ts";
import { type FlatStore, withMethods } from "./flat-store.ts";
import { runMutants } from "./mutants.ts";
import type { Mutant } from "./mutants.ts";
import { runPack } from "./run-pack.ts";

describe.each(eachStore)("two models' vectors in a store in $name", ({ open }) => {
  runPack(createVersionedStorePack({ create: () => open() }));
  runPack(
    createVersionedStorePack({
      create: () => open({ segments: { sealAt: 1000, settleAt: 1000 } }),
    }),
  );
});

const omit = (told: object, name: string): object =>
  Object.fromEntries(Object.entries(told).filter(([key]) => key !== name));

const changed = (change: (good: FlatStore) => Partial<FlatStore>) => async (): Promise<Store> =>
  withMethods(createMemoryStore(), change);

/** Every version that a scope names, seen otherwise. */
const telling = (see: (told: ScopeVersions) => object) =>
  changed((good) => ({
    versions: async (proof) => (await good.versions(proof)).map((one) => see(one) as typeof one),
  }));

const mutants: readonly Mutant<() => Promise<Store>>[] = [
  [
    "the new vector replaces the old one",
    "both-side-by-side",
    changed((good) => ({
      async addVectors(into, version, vectors) {
        for await (const chunk of good.lacking(into, version)) {
          const vector = vectors.find(({ chunkId }) => chunkId === chunk.id);
          if (vector)
            await writeChunks(good, into, [{ chunk, embeddings: [{ version, embedding: vector.embedding }] }]);
        }
        return vectors.length;
      },
    })),
  ],
  [
    "everything lacks",
    "both-side-by-side",
    changed((good) => ({ lacking: (into) => good.lacking(into, { ...versionless }) })),
  ],
  [
    "the text is not looked at",
    "only-for-what-was-embedded",
    changed((good) => ({
      async addVectors(into, version, vectors) {
        const texts = new Map<string, string>();
        for await (const { id, text } of good.lacking(into, version)) texts.set(id, text);
        const fixed = vectors.map((vector) => ({ ...vector, text: texts.get(vector.chunkId) ?? vector.text }));
        return good.addVectors(into, version, fixed);
      },
    })),
  ],
  [
    "the deleted comes back",
    "only-for-what-was-embedded",
    changed((good) => ({
      async addVectors(into, version, vectors) {
        await good.restore(into, { ids: vectors.map(({ chunkId }) => chunkId) });
        return good.addVectors(into, version, vectors);
      },
    })),
  ],
  [
    "changes over whatever lacks",
    "changes-over-when-nothing-lacks",
    changed((good) => ({ changeVersion: (into, version) => good.changeVersion(into, version, { partial: true }) })),
  ],
  [
    "never partial",
    "changes-over-when-nothing-lacks",
    changed((good) => ({ changeVersion: (into, version) => good.changeVersion(into, version) })),
  ],
  ["nothing is on its way", "changes-over-when-nothing-lacks", telling((told) => omit(told, "next"))],
  ["nothing was before", "changes-over-when-nothing-lacks", telling((told) => omit(told, "previous"))],
  [
    "the new one counts as soon as it begins",
    "changes-over-when-nothing-lacks",
    telling((told) => ({ ...told, current: told.next ?? told.current })),
  ],
  [
    "changes every scope",
    "scopes-apart",
    changed((good) => {
      let last: ScopeVersions | undefined;
      return {
        async versions(proof) {
          const told = await good.versions(proof);
          last = told.find(({ previous }) => previous !== undefined) ?? last;
          return told.map((one) => ({ ...one, ...last }));
        },
        async changeVersion(into, version, options) {
          const result = await good.changeVersion(into, version, options);
          last = (await good.versions(into))[0];
          return result;
        },
      };
    }),
  ],
  ["a vacuum leaves old vectors", "old-vectors-until-a-vacuum", changed(() => ({ vacuum: async () => 0 }))],
  [
    "a vacuum takes what is young",
    "old-vectors-until-a-vacuum",
    changed((good) => ({ vacuum: (authority) => good.vacuum(authority, { olderThanMs: 0 }) })),
  ],
  [
    "dimensions unchecked",
    "refuses-what-does-not-fit",
    changed((good) => ({
      addVectors: async (into, version, vectors) =>
        good.addVectors(
          into,
          version,
          vectors.filter(({ embedding }) => (embedding as readonly number[]).length === version.dimensions),
        ),
    })),
  ],
  [
    "forged proofs do",
    "refuses-what-does-not-fit",
    changed((good) => ({
      changeVersion: (into, version, options) =>
        good.changeVersion(into, version, options).catch(() => ({ changed: false, lacking: 0 })),
    })),
  ],
  [
    "open after close",
    "refuses-what-does-not-fit",
    changed((good) => ({ versions: (proof) => good.versions(proof).catch(() => []) })),
  ],
];

const versionless = { provider: "nobody", model: "none", dimensions: 1, fingerprint: "" };

describe("the versioned-store pack notices a store with one fault [T44 L3 L6 L8]", () => {
  runMutants(
    (create: () => Promise<Store>) => createVersionedStorePack({ create }),
    mutants.map(([name, noticedBy, create]) => [name, `versioned-store/${noticedBy}`, create] as const),
  );
});
