import { searchLatent, searchVectors } from "../support/search-legs.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { WordQuery, LatentFinds } from "../support/search-legs.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import { check, close, collect, equal, scribble, throwsCode } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { latentFittingCases } from "./latent-fitting-cases.ts";
import { withStore } from "../../src/testing/store-case.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import {
  ada,
  deployment,
  filterTable,
  filterWorldEntries,
  forgedProofs,
  from,
  into,
  north,
  plane,
  south,
  wordsOf,
  entryOf,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";
import type { StoreSubject } from "../../src/testing/store-fixtures.ts";
import { idsOf } from "./vector-queries.ts";

/**
 * Contract of every {@link Store} beside the knowledge store's pack. It covers misspelt words before a fit, and other
 * words for the same thing after it. Documents that the caller may not read change nothing.
 *
 * **Shape** the model of the subject's store fits on 256 chunks, as the default one does, or fewer.
 */
export function createLatentSearchPack(subject: StoreSubject): readonly ContractCase[] {
  return defineCases("latent-search", withStore(subject, [...cases, ...latentFittingCases]));
}

function find(
  store: Store,
  text: string,
  query: Partial<WordQuery> = {},
  ...scopes: readonly Scope[]
): Promise<LatentFinds> {
  return searchLatent(store, from(...(scopes.length === 0 ? [deployment] : scopes)), { text, topK: "all", ...query });
}

async function idsFor(store: Store, text: string, query: Partial<WordQuery> = {}, ...scopes: Scope[]) {
  return idsOf((await find(store, text, query, ...scopes)).matches);
}

const cases: readonly StoreCase[] = [
  [
    "starts-empty",
    "L5",
    async (store) => {
      const { matches, fitted, energy, weight, version } = await find(store, "anything");
      equal([matches, fitted], [[], false], "matches and whether it was fitted, of an empty store");
      check(energy >= 0 && energy <= 1 && weight >= 0, "energy from 0 to 1, weight from 0", [energy, weight]);
      check(version.dimensions > 0 && version.fingerprint !== "", "a version with a fingerprint", version);
      await writeChunks(store, into(deployment), [wordsOf("a", "lantern")]);
      equal((await find(store, "")).matches, [], "matches of nothing at all");
    },
  ],
  [
    "misspelt-words-are-found-before-a-fit",
    "",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "the lighthouse keeper"),
        wordsOf("b", "a bowl of porridge"),
        wordsOf("c", "mountain railway"),
      ]);
      const { matches, fitted } = await find(store, "lighthuose");
      equal(fitted, false, "whether it was fitted");
      equal(matches[0]?.chunk.id, "a", "the nearest chunk of a misspelt word");
      check((matches[0]?.score ?? 0) > 2 * Math.abs(matches[1]?.score ?? 0), "it is nearer than chance", matches);
      equal(await idsFor(store, "porrige", { topK: 1 }), "b", "the nearest chunk of another one");
    },
  ],
  [
    "scores-are-cosines",
    "L5 L11",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "lantern"),
        wordsOf("b", "lantern oil"),
        wordsOf("c", "quiet"),
      ]);
      const { matches } = await find(store, "lantern");
      // One word against itself; then a text of which it is a part; then one that has nothing of it.
      close(matches[0]?.score, 1, "the score of the same word", 0.01);
      equal(idsOf(matches.slice(0, 2)), "a b", "the nearest two");
      for (const { score, rawScore } of matches) {
        check(score >= -1.000_001 && score <= 1.000_001, "a cosine", score);
        equal(rawScore, score, "the raw score");
      }
      equal(await find(store, "lantern"), await find(store, "lantern"), "the same search twice");
    },
  ],
  [
    "ties-by-id-then-scope",
    "T28 L5",
    async (store) => {
      for (const scope of [south, north]) {
        await writeChunks(
          store,
          into(scope),
          ["b", "a", "c"].map((id) => wordsOf(id, "lantern")),
        );
      }
      const { matches } = await find(store, "lantern", {}, north, south);
      equal(
        matches.map(({ chunk, scope }) => `${chunk.id}@${scope}`),
        ["a", "b", "c"].flatMap((id) => [`${id}@${north}`, `${id}@${south}`]),
        "order of equal scores",
      );
    },
  ],
  [
    "top-k",
    "B20 L4",
    async (store) => {
      await writeChunks(
        store,
        into(deployment),
        ["a", "b", "c", "d"].map((id) => wordsOf(id, "lantern")),
      );
      for (const topK of [1, 3, 4, 9])
        equal(await idsFor(store, "lantern", { topK }), "a b c d".slice(0, topK * 2 - 1), `topK ${topK}`);
      for (const topK of [0, -1, 1.5, Number.NaN])
        await throwsCode(() => find(store, "lantern", { topK }), "invalid-argument", `topK ${topK}`);
    },
  ],
  [
    "min-score-inclusive",
    "B19 L5",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "lantern"),
        wordsOf("b", "lantern oil"),
        wordsOf("c", "quiet"),
      ]);
      const { matches } = await find(store, "lantern");
      const second = matches[1]?.score ?? 0;
      equal(await idsFor(store, "lantern", { minScore: second }), "a b", "at or above the second's score");
      equal(await idsFor(store, "lantern", { minScore: second + 1e-9 }), "a", "above it");
      await throwsCode(() => find(store, "x", { minScore: Number.NaN }), "invalid-argument", "a floor that is none");
    },
  ],
  [
    "filters-origins-and-chunk-ids",
    "W35 E28 E29 T26 L4",
    async (store) => {
      await writeChunks(store, into(deployment), filterWorldEntries());
      for (const [filter, ids] of filterTable)
        equal(await idsFor(store, "lantern", { filter }), ids, `where ${JSON.stringify(filter)}`);
      await writeChunks(store, into(north), [
        wordsOf("n", "something else", { origin: "note" }),
        ...Array.from({ length: 60 }, (_, i) => wordsOf(`x${i}`, "lantern")),
      ]);
      equal(await idsFor(store, "lantern", { origins: ["note"], topK: 1 }, north), "n", "one origin, not starved");
      equal(await idsFor(store, "lantern", { origins: [] }, north), "", "no origin");
      equal(await idsFor(store, "lantern", { chunkIds: ["n", "b", "none"] }, north), "n", "given chunks of a scope");
      equal(await idsFor(store, "lantern", { chunkIds: ["c", "a"], topK: 1 }), "a", "the best of given chunks");
      equal(await idsFor(store, "lantern", { chunkIds: [] }), "", "no chunk");
    },
  ],
  [
    "a-given-chunk-scores-as-in-the-whole",
    "L11",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "lantern"),
        wordsOf("b", "lantern oil"),
        wordsOf("c", "quiet"),
      ]);
      const { matches } = await find(store, "lantern lamp");
      const only = await find(store, "lantern lamp", { chunkIds: ["b"] });
      equal(
        only.matches,
        matches.filter(({ chunk }) => chunk.id === "b"),
        "the match",
      );
    },
  ],
  [
    "only-authorised-scopes",
    "W40 T9 L3",
    async (store) => {
      await writeChunks(store, into(north), [wordsOf("n", "lantern")]);
      await writeChunks(
        store,
        into(south),
        Array.from({ length: 20 }, (_, i) => wordsOf(`s${i}`, "lantern")),
      );
      equal(await idsFor(store, "lantern", { topK: 1 }, north), "n", "one scope, not starved");
      equal(await idsFor(store, "lantern", { topK: 1 }, south), "s0", "the other scope, not starved");
      const nothing = (await store.session(from())).legs.find(({ name }) => name === "latent");
      const query = { question: "lantern", text: "lantern", syntax: "literal", embeddings: [] } as const;
      equal((await nothing?.search(query, "all"))?.matches, [], "matches of a proof for nothing");
      for (const [i, proof] of forgedProofs("read").entries()) {
        const search = () => searchLatent(store, proof as AuthorizedScopes, { text: "lantern" });
        await throwsCode(search, "access-denied", `forged proof ${i}`);
      }
    },
  ],
  [
    "hidden-scopes-move-nothing-before-a-fit",
    "L3 L11",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "lantern oil"), wordsOf("b", "quiet mountain")]);
      const before = await find(store, "lantern mountain");
      await writeChunks(store, into(ada), [wordsOf("a", "lantern mountain"), wordsOf("x", "lantern lantern lantern")]);
      equal(await find(store, "lantern mountain"), before, "what is found beside a hidden scope");
    },
  ],
  [
    "deleted-is-gone-restored-is-back",
    "T13 L8",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "lantern"), wordsOf("b", "lantern oil")]);
      const before = await find(store, "lantern");
      await store.delete(into(deployment), { ids: ["a"] });
      equal(await idsFor(store, "lantern"), "b", "after a delete");
      await store.trash!.restore(into(deployment), { ids: ["a"] });
      equal(await find(store, "lantern"), before, "after it was restored");
      await store.delete(into(deployment), { ids: ["a"] }, { purge: true });
      equal(await idsFor(store, "lantern"), "b", "after a purge");
    },
  ],
  [
    "a-changed-text-is-found-by-what-it-says-now",
    "L8",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "lantern"), wordsOf("b", "lantern oil")]);
      await writeChunks(store, into(deployment), [wordsOf("a", "porridge"), wordsOf("c", "porridge")]);
      const { matches } = await find(store, "porridge");
      equal(idsOf(matches.slice(0, 2)), "a c", "the nearest two");
      equal(matches[0]?.score, matches[1]?.score, "the score of the same words, changed or new");
      equal((await find(store, "lantern", { topK: 1 })).matches[0]?.chunk.id, "b", "the old words' nearest");
    },
  ],
  [
    "own-vectors-are-never-handed-out",
    "L6",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "lantern"),
        entryOf("b", [3, 4], { text: "lantern oil" }),
      ]);
      const look = async (): Promise<void> => {
        const { matches, version } = await find(store, "lantern");
        check(
          matches.every((match) => match.embedding === undefined),
          "matches without vectors",
          matches,
        );
        const listed = await collect(store.chunks(from(deployment), { includeEmbeddings: true }));
        equal(
          listed.map(({ embeddings }) => embeddings?.map((one) => one.version)),
          [[], [plane]],
          "versions of the vectors that are listed",
        );
        const every = await searchVectors(store, from(deployment), { includeEmbeddings: true, topK: "all" });
        equal(
          every.map(({ embedding }) => embedding),
          [undefined, [3, 4]],
          "vectors of a search without one",
        );
        const asked = await searchVectors(store, from(deployment), { version, includeEmbeddings: true, topK: "all" });
        check(
          asked.every(({ embedding }) => embedding === undefined),
          "no vector of the store's own version",
          asked,
        );
        const { embeddingVersions } = await store.status(from(deployment));
        const own = embeddingVersions.find(({ fingerprint }) => fingerprint === version.fingerprint);
        equal(own, { ...version, chunks: 2 }, "the version in the status");
      };
      await look();
      await store.upkeep!.settle();
      await look();
      const { version } = await find(store, "lantern");
      const forged = new Int8Array(version.dimensions).fill(1);
      await throwsCode(
        () => writeChunks(store, into(deployment), [entryOf("c", forged, {}, version)]),
        "invalid-argument",
        "a vector given under the name of the store's own",
      );
    },
  ],
  [
    "unknown-options-throw",
    "L4",
    async (store) => {
      for (const more of [{ topk: 1 }, { embedding: [1, 2] }, { includeEmbeddings: true }, { syntax: "lucene" }]) {
        const query = more as Partial<WordQuery>;
        await throwsCode(() => find(store, "lantern", query), "invalid-argument", `the option ${Object.keys(more)[0]}`);
      }
      const nothing = {} as WordQuery;
      await throwsCode(
        () => searchLatent(store, from(deployment), nothing),
        "invalid-argument",
        "a query without text",
      );
      const filter = { op: "like", key: "a", value: 1 } as unknown as NonNullable<WordQuery["filter"]>;
      await throwsCode(() => find(store, "lantern", { filter }), "invalid-filter", "a filter that is none");
    },
  ],
  [
    "output-not-aliased",
    "L8",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "lantern", { metadata: { tag: "x" }, headings: ["One"] }),
      ]);
      const first = await find(store, "lantern");
      const kept = structuredClone(first);
      scribble(first);
      equal(await find(store, "lantern"), kept, "what is found after what was handed out was written over");
    },
  ],
];
