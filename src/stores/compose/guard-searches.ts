import { IbidError } from "../../contracts/errors.ts";
import type { LexicalQuery } from "../../contracts/lexical-index.ts";
import type { Proven, Searches, StoreParts } from "../../contracts/store.ts";
import type { Metric } from "../../contracts/embedding.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { parseFilter } from "../../engine/filters/parse-filter.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkEmbedding, checkScore, decideTopK } from "./check-entries.ts";
import type { Guard } from "./guard.ts";
import { copyChunk, copyEmbedding, copyPlain } from "./copy-data.ts";

const metrics: readonly Metric[] = ["cosine", "dot", "euclidean"];
const restrictions = ["filter", "origins", "chunkIds", "topK", "minScore"];

/** A filter in its checked form, and lists that nobody else holds. */
function decideQuery<Query extends Pick<VectorQuery, "filter" | "origins" | "chunkIds" | "topK">>(
  query: Query,
  topK: number,
): Query & { readonly topK: number } {
  return {
    ...query,
    topK: decideTopK(query.topK, topK),
    ...(query.filter === undefined ? {} : { filter: parseFilter(query.filter) }),
    ...(query.origins === undefined ? {} : { origins: [...query.origins] }),
    ...(query.chunkIds === undefined ? {} : { chunkIds: [...new Set(query.chunkIds)] }),
  };
}

/** A query by vector that can be trusted, and that nobody else holds. */
function decideVectors(guard: Guard, query: VectorQuery): VectorQuery & { readonly topK: number } {
  checkOptions("search", query, [...restrictions, "embedding", "version", "metric", "includeEmbeddings"]);
  checkScore(query.minScore);
  const { metric, embedding, version } = query;
  if (metric !== undefined && !metrics.includes(metric)) {
    throw new IbidError("invalid-argument", `${guard.policy.name} has no metric "${metric}".`, {
      hint: `It has ${metrics.join(", ")}.`,
    });
  }
  if (embedding !== undefined) {
    if (version === undefined) {
      throw new IbidError("invalid-argument", "A vector to search with has no version.", {
        hint: "Say which version it is of: only vectors of one version can be compared.",
      });
    }
    checkEmbedding(embedding, version, guard.policy, "the query");
  }
  const decided = decideQuery(query, guard.topK);
  return embedding === undefined ? decided : { ...decided, embedding: copyEmbedding(embedding) };
}

function copyMatch(match: VectorMatch): VectorMatch {
  return {
    ...match,
    chunk: copyChunk(match.chunk),
    ...(match.embedding && { embedding: copyEmbedding(match.embedding) }),
  };
}

/** The searches of a store leg by leg, each with its own proof. Absent where the parts have none. */
export function guardSearches({ searches }: StoreParts, guard: Guard): Searches<Proven> {
  const latent = searches?.latentSearch?.bind(searches);
  const none = (): never => {
    throw new IbidError("unsupported", `${guard.policy.name} has no search of that kind.`, {
      hint: "Open a session, and search its legs.",
    });
  };
  return {
    async search(scopes, query) {
      const readable = guard.read(scopes);
      const decided = decideVectors(guard, query);
      return (await (searches ?? none()).search(readable, decided)).map(copyMatch);
    },
    async lexicalSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("lexicalSearch", query, [...restrictions, "text", "syntax"]);
      checkText(query.text, "text");
      checkSyntax(query.syntax);
      checkScore(query.minScore);
      const { matches, terms } = await (searches ?? none()).lexicalSearch(readable, decideQuery(query, guard.topK));
      return {
        matches: matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk), terms: copyPlain(match.terms) })),
        terms: copyPlain(terms),
      };
    },
    async regexSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("regexSearch", query, ["pattern", "ignoreCase", "filter", "origins", "topK"]);
      checkText(query.pattern, "pattern");
      const matches = await (searches ?? none()).regexSearch(readable, decideQuery(query, guard.topK));
      return matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk), matches: copyPlain(match.matches) }));
    },
    latentSearch:
      latent &&
      (async (scopes, query) => {
        const readable = guard.read(scopes);
        checkOptions("latentSearch", query, [...restrictions, "text"]);
        checkText(query.text, "text");
        checkScore(query.minScore);
        const { matches, version, ...rest } = await latent(readable, decideQuery(query, guard.topK));
        return {
          ...rest,
          matches: matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk) })),
          version: { ...version },
        };
      }),
  };
}

function checkSyntax(syntax: LexicalQuery["syntax"]): void {
  if (syntax === undefined || ["literal", "lucene"].includes(syntax)) return;
  throw new IbidError("invalid-argument", `There is no syntax "${syntax}" for queries.`, {
    hint: "Choose literal (the default) or lucene.",
  });
}

function checkText(text: string, what: string): void {
  if (typeof text !== "string") throw new IbidError("invalid-argument", `The query has no ${what}.`);
}
