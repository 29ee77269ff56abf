import { describe } from "vitest";

import type { VersionedStore } from "../../src/contracts/reembedding.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createVersionedStorePack } from "../../src/testing/versioned-store-pack.ts";
import type { TwoModelStore } from "../../src/testing/versioned-store-pack.ts";
import { eachStore } from "../stores/each-store.ts";
import { runMutants } from "./mutants.ts";
import type { Mutant } from "./mutants.ts";
import { runPack } from "./run-pack.ts";

describe.each(eachStore)("two models' vectors in a store in $name", ({ open }) => {
  runPack(createVersionedStorePack({ create: async () => (await open()) as TwoModelStore }));
  runPack(
    createVersionedStorePack({
      create: async () => (await open({ segments: { sealAt: 1000, settleAt: 1000 } })) as TwoModelStore,
    }),
  );
});

const omit = (told: object, name: string): object =>
  Object.fromEntries(Object.entries(told).filter(([key]) => key !== name));

type Change = (good: TwoModelStore) => Partial<TwoModelStore>;

const changed = (change: Change) => async (): Promise<TwoModelStore> => {
  const good = createMemoryStore() as TwoModelStore;
  return { ...good, secret: good.secret, ...change(good) };
};
/** Every version that a scope names, seen otherwise. */
const telling = (see: (told: Awaited<ReturnType<VersionedStore["versions"]>>[number]) => object) =>
  changed((good) => ({
    versions: async (proof) => (await good.versions(proof)).map((one) => see(one) as typeof one),
  }));

const mutants: readonly Mutant<() => Promise<TwoModelStore>>[] = [
  [
    "the new vector replaces the old one",
    "both-side-by-side",
    changed((good) => ({
      async addVectors(into, version, vectors) {
        for await (const chunk of good.lacking(into, version)) {
          const vector = vectors.find(({ chunkId }) => chunkId === chunk.id);
          if (vector) await good.upsert(into, [{ chunk, embeddings: [{ version, embedding: vector.embedding }] }]);
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
      let last: Awaited<ReturnType<VersionedStore["versions"]>>[number] | undefined;
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
    (create: () => Promise<TwoModelStore>) => createVersionedStorePack({ create }),
    mutants.map(([name, noticedBy, create]) => [name, `versioned-store/${noticedBy}`, create] as const),
  );
});
