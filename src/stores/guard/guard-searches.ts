import { IbidError } from "../../contracts/errors.ts";
import type { LatentSearch } from "../../contracts/latent-search.ts";
import type { LexicalIndex, LexicalQuery } from "../../contracts/lexical-index.ts";
import type { RegexSearch } from "../../contracts/regex-search.ts";
import type { Metric } from "../../contracts/store.ts";
import type { VectorMatch, VectorQuery, VectorStore } from "../../contracts/vector-store.ts";
import { parseFilter } from "../../engine/filters/parse-filter.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkEmbedding, checkScore, decideTopK } from "./check-entries.ts";
import { copyChunk, copyEmbedding, copyPlain } from "./copy-data.ts";
import type { Guard } from "./guard.ts";
import type {
  Decided,
  RawLatentSearch,
  RawLexicalIndex,
  RawRegexSearch,
  RawVectorStore,
} from "../segments/raw-store.ts";

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

export function guardVectors(raw: RawVectorStore, guard: Guard): Pick<VectorStore, "search"> {
  return {
    async search(scopes, query) {
      const readable = guard.read(scopes);
      return (await raw.doSearch(readable, decideVectors(raw, guard, query))).map(copyMatch);
    },
  };
}

/** A query by vector that can be trusted, and that nobody else holds. */
function decideVectors(raw: RawVectorStore, guard: Guard, query: VectorQuery): Decided<VectorQuery> {
  checkOptions("search", query, [...restrictions, "embedding", "version", "metric", "includeEmbeddings"]);
  checkScore(query.minScore);
  const { metric, embedding, version } = query;
  if (metric !== undefined && (!metrics.includes(metric) || !raw.capabilities.metrics.includes(metric))) {
    throw new IbidError(
      metrics.includes(metric) ? "unsupported" : "invalid-argument",
      `${guard.policy.name} has no metric "${metric}".`,
      {
        hint: `It has ${raw.capabilities.metrics.join(", ")}.`,
      },
    );
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

export function guardLexical(raw: RawLexicalIndex, guard: Guard): Pick<LexicalIndex, "lexicalSearch"> {
  return {
    async lexicalSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("lexicalSearch", query, [...restrictions, "text", "syntax"]);
      checkText(query.text, "text");
      checkSyntax(query.syntax);
      checkScore(query.minScore);
      const { matches, terms } = await raw.doLexicalSearch(readable, decideQuery(query, guard.topK));
      return {
        matches: matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk), terms: copyPlain(match.terms) })),
        terms: copyPlain(terms),
      };
    },
  };
}

function checkSyntax(syntax: LexicalQuery["syntax"]): void {
  if (syntax === undefined || ["literal", "lucene"].includes(syntax)) return;
  throw new IbidError("invalid-argument", `There is no syntax "${syntax}" for queries.`, {
    hint: "Choose literal (the default) or lucene.",
  });
}

export function guardRegex(raw: RawRegexSearch, guard: Guard): Pick<RegexSearch, "regexSearch"> {
  return {
    async regexSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("regexSearch", query, ["pattern", "ignoreCase", "filter", "origins", "topK"]);
      checkText(query.pattern, "pattern");
      const matches = await raw.doRegexSearch(readable, decideQuery(query, guard.topK));
      return matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk), matches: copyPlain(match.matches) }));
    },
  };
}

export function guardLatent(raw: Partial<RawLatentSearch>, guard: Guard): Partial<Pick<LatentSearch, "latentSearch">> {
  const search = raw.doLatentSearch?.bind(raw);
  if (search === undefined) return {};
  return {
    async latentSearch(scopes, query) {
      const readable = guard.read(scopes);
      checkOptions("latentSearch", query, [...restrictions, "text"]);
      checkText(query.text, "text");
      checkScore(query.minScore);
      const { matches, version, fitted, energy, weight } = await search(readable, decideQuery(query, guard.topK));
      return {
        matches: matches.map((match) => ({ ...match, chunk: copyChunk(match.chunk) })),
        version: { ...version },
        fitted,
        energy,
        weight,
      };
    },
  };
}

function checkText(text: string, what: string): void {
  if (typeof text !== "string") throw new IbidError("invalid-argument", `The query has no ${what}.`);
}
