import { createGate, operator } from "../../src/access/gate.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { Origin } from "../../src/contracts/document.ts";
import type { Embedder } from "../../src/contracts/embedding-model.ts";
import type { WordMatch, WordQuery } from "../support/search-legs.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import { compileFilter } from "../../src/engine/filters/compile-filter.ts";
import type { ListChunksOptions } from "../../src/contracts/store.ts";
import type { SearchableStore } from "../../src/search/search-session.ts";
import { type PlainSearches, sessionOver } from "../support/session-over.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";

export interface FakeChunk {
  readonly id: string;
  readonly text: string;
  readonly vector?: readonly number[];
  readonly scope?: Scope;
  readonly origin?: Origin;
  readonly metadata?: Metadata;
  readonly documentId?: string;
  readonly start?: number;
}

export const version = { provider: "test", model: "axes", dimensions: 2, fingerprint: "" };

/** Everything that a test asked of the store. */
export interface FakeStore extends SearchableStore {
  readonly searches: PlainSearches;
  readonly calls: { readonly leg: string; readonly topK: unknown; readonly chunkIds: readonly string[] | undefined }[];
}

/** The plainest store there can be: it looks at every chunk, every time. Dot product for cosine, so tests choose the scores. */
export function createFakeStore(
  chunks: readonly FakeChunk[],
  options: { readonly ignoresOrigins?: boolean; readonly lacks?: readonly (keyof PlainSearches)[] } = {},
): FakeStore {
  const calls: FakeStore["calls"] = [];
  const admitted = (
    scopes: AuthorizedScopes,
    query: Pick<WordQuery, "filter" | "origins" | "chunkIds">,
  ): FakeChunk[] => {
    const matches = query.filter ? compileFilter(query.filter) : () => true;
    return chunks.filter(
      (chunk) =>
        scopes.scopes.includes(chunk.scope ?? "deployment") &&
        matches(chunk.metadata ?? {}) &&
        (options.ignoresOrigins || !query.origins || query.origins.includes(chunk.origin ?? "user-content")) &&
        (!query.chunkIds || query.chunkIds.includes(chunk.id)),
    );
  };
  const best = <Match extends { score: number; chunk: Chunk; scope: Scope }>(
    matches: Match[],
    topK: number | "all" = 3,
  ): Match[] =>
    matches
      .sort(
        (a, b) =>
          b.score - a.score ||
          compare(a.chunk.uri, b.chunk.uri) ||
          a.chunk.start - b.chunk.start ||
          compare(a.scope, b.scope) ||
          compare(a.chunk.id, b.chunk.id),
      )
      .slice(0, topK === "all" ? matches.length : topK);

  const searches: PlainSearches = {
    search: async (scopes, query) => {
      calls.push({ leg: "dense", topK: query.topK, chunkIds: query.chunkIds });
      const { embedding, minScore = Number.NEGATIVE_INFINITY } = query;
      const matches = admitted(scopes, query)
        .filter((chunk) => chunk.vector)
        .map((chunk) => {
          const score = embedding ? dot(chunk.vector ?? [], [...(embedding as number[])]) : 0;
          return {
            ...named(chunk),
            score,
            rawScore: score,
            ...(query.includeEmbeddings && { embedding: [...(chunk.vector ?? [])] }),
          };
        })
        .filter(({ score }) => score >= minScore);
      return best(matches, query.topK);
    },
    lexicalSearch: async (scopes, query) => {
      calls.push({ leg: "lexical", topK: query.topK, chunkIds: query.chunkIds });
      const readable = chunks
        .filter((chunk) => scopes.scopes.includes(chunk.scope ?? "deployment"))
        .map((chunk) => defaultAnalyzer.analyze(chunk.text));
      const average = readable.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, readable.length);
      const terms = [...new Set(defaultAnalyzer.analyze(query.text))].map((term) => {
        const df = readable.filter((ofChunk) => ofChunk.includes(term)).length;
        return { term, idf: Math.log(1 + (readable.length - df + 0.5) / (df + 0.5)), count: 1, chunks: df };
      });
      const matches = admitted(scopes, query).flatMap((chunk): WordMatch[] => {
        const ofChunk = defaultAnalyzer.analyze(chunk.text);
        const scored = terms.flatMap(({ term, idf }) => {
          const frequency = ofChunk.filter((other) => other === term).length;
          if (frequency === 0) return [];
          const norm = 1.2 * (0.25 + (0.75 * ofChunk.length) / average);
          return [{ term, idf, frequency, score: (idf * frequency * 2.2) / (frequency + norm) }];
        });
        if (scored.length === 0) return [];
        return [
          {
            ...named(chunk),
            score: scored.reduce((sum, { score }) => sum + score, 0),
            terms: scored,
            name: 0,
            document: 0,
            heading: 0,
          },
        ];
      });
      return { matches: best(matches, query.topK), terms };
    },
    regexSearch: async (scopes, query) => {
      calls.push({ leg: "regex", topK: query.topK, chunkIds: undefined });
      const matches = admitted(scopes, query).flatMap((chunk) => {
        const found = [...chunk.text.matchAll(new RegExp(query.pattern, "gu"))].map((match) => ({
          start: (chunk.start ?? 0) + match.index,
          end: (chunk.start ?? 0) + match.index + match[0].length,
        }));
        return found.length === 0
          ? []
          : [{ ...named(chunk), score: found.length / (found.length + 1), matches: found }];
      });
      return best(matches, query.topK);
    },
  };
  const { lacks = [] } = options;
  const kept = Object.fromEntries(
    Object.entries(searches).filter(([name]) => !lacks.includes(name as keyof PlainSearches)),
  );
  const listed = {
    async *chunks(scopes: AuthorizedScopes, { ids = [], includeEmbeddings = false }: ListChunksOptions = {}) {
      for (const chunk of admitted(scopes, { chunkIds: ids })) {
        const embeddings = chunk.vector && includeEmbeddings ? [{ version, embedding: [...chunk.vector] }] : [];
        yield { ...named(chunk), embeddings };
      }
    },
  };
  return { calls, searches, session: sessionOver(kept, listed) };
}

/** An embedder that answers every query with one vector, and tells what it was asked. */
export function createFakeEmbedder(vector: readonly number[], similarity: "form" | "meaning" = "meaning") {
  const asked: { inputs: readonly unknown[]; purpose: string }[] = [];
  const embedder: Embedder = {
    model: {
      provider: "test",
      model: "axes",
      kind: "dense",
      dimensions: 2,
      similarity,
      embed: async (inputs) => ({ embeddings: inputs.map(() => vector) }),
    },
    version,
    cacheHitRate: 0,
    embed: async (inputs, { purpose }) => {
      asked.push({ inputs, purpose });
      return { version, embeddings: inputs.map(() => vector), sent: inputs.length };
    },
  };
  return { embedder, asked };
}

export function readAll(...scopes: Scope[]): AuthorizedScopes {
  return createGate().read(operator, scopes.length > 0 ? scopes : ["deployment"]);
}

function named(chunk: FakeChunk): { scope: Scope; chunk: Chunk } {
  const start = chunk.start ?? 0;
  return {
    scope: chunk.scope ?? "deployment",
    chunk: {
      type: "text-chunk",
      id: chunk.id,
      documentId: chunk.documentId ?? `document-${chunk.id}`,
      uri: `${chunk.id}.md`,
      title: `Title of ${chunk.id}`,
      text: `context\n${chunk.text}`,
      urtext: chunk.text,
      start,
      end: start + chunk.text.length,
      index: 0,
      sectionId: "0",
      headings: ["Part"],
      line: 7,
      metadata: chunk.metadata ?? {},
      origin: chunk.origin ?? "user-content",
    },
  };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
