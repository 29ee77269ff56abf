import { describe } from "vitest";

import { createGate, operator } from "../../src/access/gate.ts";
import type { ChunkEntry } from "../../src/contracts/document-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import { type LatentFinds, searchLatent, searchWords, type WordQuery } from "../support/search-legs.ts";
import { type PlainSearches, searchesOf, sessionOver } from "../support/session-over.ts";
import type { AuthorizedScopes } from "../../src/contracts/scope.ts";
import type { VectorMatch } from "../../src/contracts/vector-store.ts";
import { latentSemanticModel as corpusModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createLatentSearchPack } from "../packs/latent-search-pack.ts";
import { type FlatStore, withMethods } from "./flat-store.ts";
import { type Mutant, runMutants } from "./mutants.ts";

type Search = NonNullable<PlainSearches["latentSearch"]>;

const gate = createGate({ platform: true });
const create = (model = corpusModel) => createMemoryStore({ corpusModel: model });

/** A store whose search is another. */
function searching(change: (search: Search, store: Store) => Search): () => Store {
  return () => {
    const store = create();
    const latentSearch = change((scopes, query) => searchLatent(store, scopes, query), store);
    return { ...store, session: sessionOver({ ...searchesOf(store), latentSearch }, store) };
  };
}

/** A store that asks something else than it was asked. */
const asking = (change: (query: WordQuery) => WordQuery) =>
  searching((search) => (scopes, query) => search(scopes, change(query)));

/** A store that answers something else than was found. */
const answering = (change: (result: LatentFinds, query: WordQuery) => LatentFinds) =>
  searching((search) => async (scopes, query) => change(await search(scopes, query), query));

const matching = (change: (matches: readonly VectorMatch[], query: WordQuery) => readonly VectorMatch[]) =>
  answering((result, query) => ({ ...result, matches: change(result.matches, query) }));

/** A store of other parts. */
const storing = (change: (store: FlatStore) => Partial<FlatStore>) => () => withMethods(create(), change);

const without =
  (...names: readonly (keyof WordQuery)[]) =>
  (query: WordQuery): WordQuery =>
    Object.fromEntries(Object.entries(query).filter(([name]) => !(names as readonly string[]).includes(name))) as never;

/** Filters what was found instead of what is searched. */
const late =
  (name: "filter" | "origins"): ((search: Search) => Search) =>
  (search) =>
  async (scopes, query) => {
    const best = await search(scopes, without(name)(query));
    const admitted = await search(scopes, { ...query, topK: "all" });
    const ids = new Set(admitted.matches.map(({ chunk, scope }) => `${scope} ${chunk.id}`));
    return { ...best, matches: best.matches.filter(({ chunk, scope }) => ids.has(`${scope} ${chunk.id}`)) };
  };

const receipt = { scope: "deployment", life: "none", stamp: 0 } as const;
const everywhere = gate.read(operator, ["deployment", "team:north", "team:south", "user:ada"]);
const scopesOf = (scopes: AuthorizedScopes): readonly string[] => scopes.scopes;

/** Keeps what a search found, for as long as nothing is asked that it has not. */
function remembering(search: Search): Search {
  const known = new Map<string, Promise<LatentFinds>>();
  return (scopes, query) => {
    const key = JSON.stringify([scopes?.scopes, query]);
    const found = known.get(key) ?? search(scopes, query);
    known.set(key, found);
    return found;
  };
}

const mutants: readonly Mutant<() => Store>[] = [
  [
    "an empty store throws",
    "starts-empty",
    searching((search) => async (scopes, query) => {
      const result = await search(scopes, query);
      if (result.matches.length === 0 && query.chunkIds === undefined) throw new Error("nothing to search");
      return result;
    }),
  ],
  [
    "the empty question finds all",
    "starts-empty",
    searching((search) => async (scopes, query) => {
      if (query.text !== "") return search(scopes, query);
      return search(scopes, { ...query, text: "a" });
    }),
  ],
  [
    "no version",
    "starts-empty",
    answering((result) => ({ ...result, version: { ...result.version, fingerprint: "" } })),
  ],
  [
    "words only as they are written",
    "misspelt-words-are-found-before-a-fit",
    searching((search, store) => async (scopes, query) => {
      const { matches } = await searchWords(store, scopes, { ...query, topK: "all" });
      const result = await search(scopes, query);
      const ids = new Set(matches.map(({ chunk }) => chunk.id));
      return { ...result, matches: result.matches.filter(({ chunk }) => ids.has(chunk.id)) };
    }),
  ],
  [
    "distance as score",
    "scores-are-cosines",
    matching((matches) => matches.map((match) => ({ ...match, score: 1 - match.score }))),
  ],
  [
    "scores not scaled",
    "scores-are-cosines",
    matching((matches) =>
      matches.map((match) => ({ ...match, score: match.score * 127, rawScore: match.score * 127 })),
    ),
  ],
  [
    "raw score left out",
    "scores-are-cosines",
    matching((matches) => matches.map((match) => ({ ...match, rawScore: 0 }))),
  ],
  [
    "ties the other way",
    "ties-by-id-then-scope",
    matching((matches) => matches.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? 1 : -1))),
  ],
  [
    "ties by scope first",
    "ties-by-id-then-scope",
    matching((matches) =>
      matches.toSorted((a, b) => b.score - a.score || (a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : 0)),
    ),
  ],
  [
    "top-k off by one",
    "top-k",
    matching((matches, { topK }) => (typeof topK === "number" ? matches.slice(0, Math.max(1, topK - 1)) : matches)),
  ],
  [
    "top-k unchecked",
    "top-k",
    asking((query) => ({
      ...query,
      topK: typeof query.topK === "number" ? Math.max(1, Math.ceil(query.topK) || 1) : "all",
    })),
  ],
  ["min score ignored", "min-score-inclusive", asking(without("minScore"))],
  [
    "min score exclusive",
    "min-score-inclusive",
    matching((matches, { minScore = -Infinity }) => matches.filter(({ score }) => score > minScore)),
  ],
  ["filter ignored", "filters-origins-and-chunk-ids", asking(without("filter"))],
  ["origins ignored", "filters-origins-and-chunk-ids", asking(without("origins"))],
  ["chunk ids ignored", "filters-origins-and-chunk-ids", asking(without("chunkIds"))],
  ["top-k before the origins", "filters-origins-and-chunk-ids", searching(late("origins"))],
  [
    "given chunks scored among themselves",
    "a-given-chunk-scores-as-in-the-whole",
    matching((matches, { chunkIds }) =>
      chunkIds === undefined ? matches : matches.map((match) => ({ ...match, score: 1, rawScore: 1 })),
    ),
  ],
  [
    "forged proof accepted",
    "only-authorised-scopes",
    searching((search) => async (scopes, query) => {
      try {
        return await search(scopes, query);
      } catch {
        return search(everywhere, query);
      }
    }),
  ],
  [
    "top-k before the scopes",
    "only-authorised-scopes",
    searching((search) => async (scopes, query) => {
      await search(scopes, query);
      const result = await search(everywhere, query);
      return { ...result, matches: result.matches.filter(({ scope }) => scopesOf(scopes).includes(scope)) };
    }),
  ],
  [
    "scores against the best of all scopes",
    "hidden-scopes-move-nothing-before-a-fit",
    searching((search) => async (scopes, query) => {
      const result = await search(scopes, query);
      const all = await search(everywhere, { text: query.text, topK: 1 });
      const best = all.matches[0]?.score ?? 1;
      return { ...result, matches: result.matches.map((match) => ({ ...match, score: match.score / best })) };
    }),
  ],
  [
    "energy of all scopes",
    "hidden-scopes-move-nothing-before-a-fit",
    searching((search) => async (scopes, query) => {
      const result = await search(scopes, query);
      const { matches } = await search(everywhere, { text: query.text, topK: "all" });
      return { ...result, energy: 1 / (1 + matches.length) };
    }),
  ],
  [
    "the deleted is found",
    "deleted-is-gone-restored-is-back",
    storing(() => ({ delete: async () => ({ chunks: 1, receipt }), restore: async () => 1 })),
  ],
  [
    "restore forgets vectors",
    "deleted-is-gone-restored-is-back",
    storing((store) => ({
      restore: async (into, target) => {
        await store.restore(into, target);
        return (await store.delete(into, target)).chunks;
      },
    })),
  ],
  [
    "a changed text keeps its vector",
    "a-changed-text-is-found-by-what-it-says-now",
    storing((store) => {
      const known = new Set<string>();
      return {
        replace: async (into, write) => {
          if (known.has(write.document.id)) return { added: 0, kept: 0, removed: 0, receipt };
          known.add(write.document.id);
          return store.replace(into, write);
        },
      };
    }),
  ],
  [
    "own vectors in hits",
    "own-vectors-are-never-handed-out",
    matching((matches) => matches.map((match) => ({ ...match, embedding: [1] }))),
  ],
  [
    "own vectors listed",
    "own-vectors-are-never-handed-out",
    storing((store) => ({
      async *chunks(scopes, options) {
        for await (const one of store.chunks(scopes, options)) {
          const { version } = await searchLatent(store, scopes, { text: "x" });
          yield { ...one, embeddings: [...(one.embeddings ?? []), { version, embedding: [1] }] };
        }
      },
    })),
  ],
  [
    "own version missing in the status",
    "own-vectors-are-never-handed-out",
    storing((store) => ({
      status: async (scopes) => {
        const status = await store.status(scopes);
        return { ...status, embeddingVersions: status.embeddingVersions.filter(({ provider }) => provider !== "ibid") };
      },
    })),
  ],
  [
    "own version can be given",
    "own-vectors-are-never-handed-out",
    storing((store) => ({
      replace: (into, write) =>
        store.replace(into, {
          ...write,
          chunks: (write.chunks as readonly ChunkEntry[]).map((entry) => ({
            ...entry,
            embeddings: entry.embeddings.filter(({ version }) => version.provider !== "ibid"),
          })),
        }),
    })),
  ],
  [
    "unknown options pass",
    "unknown-options-throw",
    asking(
      (query) =>
        Object.fromEntries(
          Object.entries(query).filter(([name]) =>
            ["text", "filter", "origins", "chunkIds", "topK", "minScore"].includes(name),
          ),
        ) as never,
    ),
  ],
  ["a query without text passes", "unknown-options-throw", asking((query) => ({ ...query, text: query.text ?? "" }))],
  ["output aliased", "output-not-aliased", searching(remembering)],
  ["never fits", "settling-fits-when-there-is-enough", storing(() => ({ settle: async () => {} }))],
  ["fits on anything", "settling-fits-when-there-is-enough", () => create({ ...corpusModel, leastChunks: 2 })],
  [
    "energy above one",
    "settling-fits-when-there-is-enough",
    answering((result) => ({ ...result, energy: result.energy * 100 })),
  ],
  [
    "progress in percent",
    "settling-fits-when-there-is-enough",
    storing((store) => ({
      settle: (options) => store.settle({ ...options, onProgress: (share) => options?.onProgress?.(1 + share * 100) }),
    })),
  ],
  [
    "fitted, but says it is not",
    "settling-fits-when-there-is-enough",
    answering((result) => ({ ...result, fitted: false })),
  ],
  [
    "one version for every space",
    "settling-fits-when-there-is-enough",
    answering((result) => ({ ...result, version: { ...result.version, fingerprint: "same" } })),
  ],
  [
    "the status names an old version",
    "settling-fits-when-there-is-enough",
    storing((store) => ({
      status: async (scopes) => {
        const status = await store.status(scopes);
        return {
          ...status,
          embeddingVersions: status.embeddingVersions.map((version) => ({ ...version, fingerprint: "old" })),
        };
      },
    })),
  ],
  [
    "forms alone",
    "finds-what-shares-no-word",
    () =>
      create({
        ...corpusModel,
        project: (terms, _space, purpose) => corpusModel.project(terms, corpusModel.unfitted, purpose),
        projector: (_space, textOf) => corpusModel.projector(corpusModel.unfitted, textOf),
        vectorLength: () => corpusModel.vectorLength(0),
      }),
  ],
  [
    "fits on what a team has",
    "fitted-on-the-deployment-alone",
    answering((result) => ({ ...result, fitted: result.matches.length > 200 })),
  ],
  [
    "other scopes are not folded in",
    "fitted-on-the-deployment-alone",
    answering((result) =>
      result.fitted ? { ...result, matches: result.matches.filter(({ scope }) => scope === "deployment") } : result,
    ),
  ],
  [
    "the hidden counts once it is fitted",
    "hidden-scopes-move-nothing",
    searching((search) => async (scopes, query) => {
      const result = await search(scopes, query);
      const { matches } = await search(everywhere, { ...query, topK: "all" });
      return result.fitted ? { ...result, weight: result.weight + matches.length } : result;
    }),
  ],
  [
    "chunks after the fit have no vector",
    "comes-and-goes-after-a-fit",
    matching((matches) => matches.filter(({ chunk }) => chunk.id !== "new")),
  ],
  [
    "delete hides nothing after a fit",
    "comes-and-goes-after-a-fit",
    storing(() => ({ delete: async () => ({ chunks: 1, receipt }), restore: async () => 1 })),
  ],
  [
    "purged words stay",
    "purged-words-are-forgotten",
    storing((store) => ({ delete: (into, target) => store.delete(into, target) })),
  ],
];

describe("the latent-search pack notices a store with one fault [L3 L4 L5 L6 L8 L11]", () => {
  runMutants(
    (open: () => Store) => createLatentSearchPack({ create: async () => open() }),
    mutants.map(([name, noticedBy, open]) => [name, `latent-search/${noticedBy}`, open] as const),
  );
});
