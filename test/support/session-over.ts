import { narrowProof } from "../../src/access/gate.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { VersionedEmbedding } from "../../src/contracts/embedding.ts";
import type { Store } from "../../src/contracts/store.ts";
import type {
  Calibration,
  ChunkRef,
  LegCapabilities,
  LegMatch,
  LegResult,
  SessionLeg,
  Within,
} from "../../src/contracts/leg.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../src/contracts/vector-store.ts";
import { createRestriction } from "../../src/engine/filters/create-restriction.ts";
import { parseFilter } from "../../src/engine/filters/parse-filter.ts";
import {
  type LatentFinds,
  type PatternMatch,
  type PatternQuery,
  searchPattern,
  searchVectors,
  searchWords,
  type WordFinds,
  type WordQuery,
} from "./search-legs.ts";

/** Plain searches that give chunks; each that is there becomes a leg. */
export interface PlainSearches {
  readonly search?: ((scopes: AuthorizedScopes, query: VectorQuery) => Promise<readonly VectorMatch[]>) | undefined;
  readonly lexicalSearch?: ((scopes: AuthorizedScopes, query: WordQuery) => Promise<WordFinds>) | undefined;
  readonly latentSearch?: ((scopes: AuthorizedScopes, query: WordQuery) => Promise<LatentFinds>) | undefined;
  readonly regexSearch?:
    | ((scopes: AuthorizedScopes, query: PatternQuery) => Promise<readonly PatternMatch[]>)
    | undefined;
}

const capabilities: LegCapabilities = { exact: true, filters: "all", visibility: "commit", scoresGivenChunks: true };

type Listed = Pick<Store, "chunks">;

interface Read {
  readonly chunk: Chunk;
  readonly language?: string | undefined;
  readonly embedding?: VersionedEmbedding | undefined;
}

/** `session` of a store that searches plainly. Chunks are those that the searches gave; `listed` knows the others, and vectors. */
export function sessionOver(searches: PlainSearches, listed?: Listed): Store["session"] {
  return async (proof) => {
    // A forged proof is refused by the searches themselves.
    const scopes = (proof as AuthorizedScopes | undefined)?.scopes ?? [];
    const read = new Map<string, Read>();
    const keyOf = ({ scope, id }: ChunkRef): string => `${scope} ${id}`;
    const toMatch = (
      found: { readonly scope: Scope; readonly chunk: Chunk; readonly score: number },
      why: LegMatch["why"],
      beside: Omit<Read, "chunk"> = {},
    ): LegMatch => {
      const { scope, chunk, score } = found;
      const ref = { scope, id: chunk.id };
      const known = read.get(keyOf(ref));
      read.set(keyOf(ref), { language: known?.language, embedding: known?.embedding, ...beside, chunk });
      return { ...ref, score, revision: 1, why };
    };
    const toResult = (matches: readonly LegMatch[], k: number | "all", calibration: Calibration): LegResult => ({
      matches,
      complete: k === "all" || matches.length < k,
      exact: true,
      calibration,
    });
    type Asked = Omit<Within, "scopes" | "moment">;
    const restricted = ({ restriction, only, minScore, ...others }: Asked) => ({
      ...without(others, "signal"),
      ...(restriction?.filter && { filter: restriction.filter }),
      ...(restriction?.origins && { origins: restriction.origins }),
      ...(only && { chunkIds: [...new Set(only.map(({ id }) => id))] }),
      ...(minScore !== undefined && { minScore }),
    });
    const { search, lexicalSearch, latentSearch, regexSearch } = searches;
    const legs: SessionLeg[] = [];
    if (lexicalSearch) {
      legs.push({
        name: "lexical",
        capabilities,
        accepts: () => true,
        async search({ text, syntax }, k, within = {}) {
          const { matches, terms } = await lexicalSearch(proof, { text, syntax, topK: k, ...restricted(within) });
          const scale = Math.sqrt(terms.reduce((sum, { idf }) => sum + idf * idf, 0));
          const found = matches.map((one) =>
            toMatch(
              one,
              { kind: "terms", terms: one.terms, ...partsOf(one) },
              one.language === undefined ? {} : { language: one.language },
            ),
          );
          return { ...toResult(found, k, { weight: 1, scale, half: 3 }), terms };
        },
      });
    }
    if (search) {
      legs.push({
        name: "dense",
        capabilities,
        accepts: ({ embeddings }) => embeddings.length > 0,
        async search({ embeddings }, k, within = {}) {
          const found: LegMatch[] = [];
          for (const { embedding, version, scopes: own, metric } of embeddings) {
            const asked = {
              embedding,
              version,
              topK: k,
              includeEmbeddings: listed === undefined,
              ...restricted(within),
            };
            const narrowed = own.length === scopes.length ? proof : narrowProof(proof, own);
            const matches = await search(narrowed, metric === undefined ? asked : { ...asked, metric });
            for (const one of matches) {
              const beside = one.embedding ? { embedding: { version, embedding: one.embedding } } : {};
              found.push(toMatch(one, { kind: "vector", rawScore: one.rawScore, metric: metric ?? "cosine" }, beside));
            }
          }
          if (embeddings.length > 1) found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
          const isForm = embeddings.every(({ similarity }) => similarity === "form");
          const aloneAbove = isForm && within.minScore === undefined ? 0.25 : undefined;
          return toResult(found, k, { weight: 0.2, scale: 1, aloneAbove });
        },
      });
    }
    if (latentSearch) {
      legs.push({
        name: "latent",
        capabilities,
        accepts: ({ embeddings }) => embeddings.length === 0,
        async search({ text }, k, within = {}) {
          const { matches, weight, ...latent } = await latentSearch(proof, { text, topK: k, ...restricted(within) });
          const found = matches.map((one) => {
            const beside = one.embedding ? { embedding: { version: latent.version, embedding: one.embedding } } : {};
            return toMatch(one, { kind: "vector", rawScore: one.rawScore, metric: "cosine" }, beside);
          });
          const aloneAbove = within.minScore === undefined ? 0.25 * (latent.fitted ? Math.SQRT1_2 : 1) : undefined;
          return { ...toResult(found, k, { weight, scale: 1, aloneAbove }), latent };
        },
      });
    }
    if (regexSearch) {
      legs.push({
        name: "pattern",
        capabilities,
        accepts: ({ pattern }) => pattern !== undefined,
        async search({ pattern }, k, within = {}) {
          const { source, ignoreCase } = pattern!;
          const { chunkIds: __, minScore: ___, ...narrow } = restricted(within);
          // All at once, as a pattern leg does; a count that cannot be is for the search to refuse.
          const topK = k === "all" || (Number.isInteger(k) && k >= 1) ? "all" : k;
          const matches = await regexSearch(proof, { pattern: source, ignoreCase, topK, ...narrow });
          const found = matches.map((one) => toMatch(one, { kind: "ranges", ranges: one.matches }));
          const wanted = within.only && new Set(within.only.map(keyOf));
          const kept = wanted ? found.filter((match) => wanted.has(keyOf(match))) : found;
          return toResult(kept, "all", { weight: 1, scale: 1 });
        },
      });
    }
    return {
      scopes,
      moment: { stamps: new Map() },
      legs,
      restrict: (filter, origins) => createRestriction(filter && parseFilter(filter), origins && [...origins]),
      async readChunks(refs, { embeddings = false } = {}) {
        const vectors = new Map<string, readonly VersionedEmbedding[]>();
        if (listed && (embeddings || refs.some((ref) => !read.has(keyOf(ref))))) {
          const ids = refs.map(({ id }) => id);
          for await (const one of listed.chunks(proof, { ids, includeEmbeddings: embeddings })) {
            const key = keyOf({ scope: one.scope, id: one.chunk.id });
            vectors.set(key, one.embeddings ?? []);
            if (!read.has(key)) read.set(key, { chunk: one.chunk });
          }
        }
        return refs.map((ref) => {
          const found = read.get(keyOf(ref));
          if (found === undefined) return undefined;
          const { chunk, language, embedding } = found;
          const own = [...(vectors.get(keyOf(ref)) ?? []), ...(embedding ? [embedding] : [])];
          // A search of a store that can list was not asked for vectors: what it gives anyway shows.
          const leaks = listed !== undefined && embedding !== undefined;
          return { chunk, revision: 1, language, embeddings: embeddings || leaks ? own : undefined };
        });
      },
    };
  };
}

/** Plain searches over the legs of a store. */
export function searchesOf(store: Store): PlainSearches {
  return {
    search: (scopes, query) => searchVectors(store, scopes, query),
    lexicalSearch: (scopes, query) => searchWords(store, scopes, query),
    regexSearch: (scopes, query) => searchPattern(store, scopes, query),
  };
}

function without<Value extends object>(value: Value, name: keyof Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Partial<Value>;
}

/** The parts that are there. */
function partsOf({ name, document, heading }: WordFinds["matches"][number]): object {
  const part = { terms: [], share: 0 };
  return {
    ...(name > 0 && { name: { by: "file", ...part, value: name } }),
    ...(document > 0 && { document }),
    ...(heading > 0 && { heading: { ...part, value: heading } }),
  };
}
