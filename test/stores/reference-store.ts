import type { Chunk } from "../../src/contracts/chunk.ts";
import type { ChunkEntry, DocumentWrite } from "../../src/contracts/document-store.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { DeleteTarget } from "../../src/contracts/store.ts";
import { plainAnalyzer } from "./build.ts";
import { addPlainWords, countWords, createPlainBm25, plainFile } from "../contracts/plain-bm25.ts";

interface Kept {
  readonly chunk: Chunk;
  readonly vector: readonly number[] | undefined;
  deletedAt: number | undefined;
}

export interface ReferenceHit {
  readonly scope: Scope;
  readonly id: string;
  readonly score: number;
}

interface PlacedHit {
  readonly scope: Scope;
  readonly chunk: Chunk;
  readonly score: number;
}

/** Numbers and texts of plain letters, in order. */
function compare<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Test = (metadata: Metadata) => boolean;

/** What a store over segments must be indistinguishable from: lists, walked from end to end, in the obvious way. */
export function createReferenceStore() {
  const scopes = new Map<Scope, { chunks: Map<string, Kept>; documents: Map<string, number | undefined> }>();
  /** Title and uri, by scope and id. */
  const names = new Map<string, { readonly title: string; readonly uri: string }>();

  const open = (scope: Scope) => {
    if (!scopes.has(scope)) scopes.set(scope, { chunks: new Map(), documents: new Map() });
    return scopes.get(scope)!;
  };
  const vectorOf = ({ embeddings }: ChunkEntry) => embeddings[0]?.embedding as readonly number[] | undefined;
  const live = (readable: readonly Scope[], test: Test = () => true) =>
    readable.flatMap((scope) =>
      [...open(scope).chunks.values()]
        .filter(({ deletedAt, chunk }) => deletedAt === undefined && test(chunk.metadata))
        .map((kept) => ({ scope, ...kept })),
    );
  const best = (hits: PlacedHit[], topK: number): ReferenceHit[] =>
    hits
      .sort(
        (a, b) =>
          b.score - a.score ||
          compare(a.chunk.uri, b.chunk.uri) ||
          compare(a.chunk.start, b.chunk.start) ||
          compare(a.scope, b.scope) ||
          compare(a.chunk.id, b.chunk.id),
      )
      .slice(0, topK)
      .map(({ scope, chunk, score }) => ({ scope, id: chunk.id, score }));
  const named = (scope: Scope, target: Exclude<DeleteTarget, { scope: true }>, test: Test) =>
    [...open(scope).chunks.values()].filter(({ chunk }) =>
      "ids" in target
        ? target.ids.includes(chunk.id)
        : "documentIds" in target
          ? target.documentIds.includes(chunk.documentId)
          : test(chunk.metadata),
    );

  return {
    replace(scope: Scope, { document, chunks: entries }: DocumentWrite & { readonly chunks: readonly ChunkEntry[] }) {
      const { chunks, documents } = open(scope);
      const before = new Map([...chunks].filter(([, { chunk }]) => chunk.documentId === document.id));
      for (const id of before.keys()) chunks.delete(id);
      documents.set(document.id, undefined);
      names.set(`${scope} ${document.id}`, document);
      for (const entry of entries) {
        const old = before.get(entry.chunk.id);
        const keeps = old !== undefined && old.deletedAt === undefined && old.chunk.text === entry.chunk.text;
        const vector = vectorOf(entry) ?? (keeps ? old.vector : undefined);
        chunks.set(entry.chunk.id, { chunk: entry.chunk, vector, deletedAt: undefined });
      }
    },
    delete(scope: Scope, target: DeleteTarget, purge: boolean, now: number, test: Test = () => false) {
      const { chunks, documents } = open(scope);
      if ("scope" in target) {
        const count = live([scope]).length;
        scopes.delete(scope);
        return count;
      }
      let gone = 0;
      for (const kept of named(scope, target, test)) {
        if (kept.deletedAt === undefined) gone++;
        kept.deletedAt ??= now;
        if (purge) chunks.delete(kept.chunk.id);
      }
      for (const id of "documentIds" in target ? target.documentIds : []) {
        if (!documents.has(id)) continue;
        if (purge) documents.delete(id);
        else documents.set(id, documents.get(id) ?? now);
      }
      return gone;
    },
    restore(scope: Scope, target: { ids: readonly string[] } | { documentIds: readonly string[] }) {
      const { documents } = open(scope);
      let back = 0;
      for (const kept of named(scope, target, () => false)) {
        const { documentId } = kept.chunk;
        const when = "documentIds" in target ? documents.get(documentId) : undefined;
        if (kept.deletedAt === undefined || (when !== undefined && when !== kept.deletedAt)) continue;
        kept.deletedAt = undefined;
        back++;
        if ("ids" in target && documents.has(documentId)) documents.set(documentId, undefined);
      }
      if ("documentIds" in target) {
        for (const id of target.documentIds) if (documents.has(id)) documents.set(id, undefined);
      }
      return back;
    },
    vacuum(until: number) {
      let gone = 0;
      for (const { chunks, documents } of scopes.values()) {
        for (const [id, { deletedAt }] of chunks) {
          if (deletedAt !== undefined && deletedAt <= until) gone += chunks.delete(id) ? 1 : 0;
        }
        for (const [id, deletedAt] of documents)
          if (deletedAt !== undefined && deletedAt <= until) documents.delete(id);
      }
      return gone;
    },
    chunks: (readable: readonly Scope[]) =>
      live(readable)
        .map(({ scope, chunk }) => ({ scope, chunk }))
        .sort((a, b) => (a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : a.chunk.id < b.chunk.id ? -1 : 1)),
    documents: (readable: readonly Scope[]) =>
      readable.flatMap((scope) =>
        [...open(scope).documents]
          .filter(([, gone]) => gone === undefined)
          .map(([id]) => ({ scope, id, uri: names.get(`${scope} ${id}`)!.uri })),
      ),

    /** BM25F with its parts, as it is written down. */
    lexical(readable: readonly Scope[], query: string, topK: number, test?: Test) {
      const all = live(readable).map(({ scope, chunk }) => {
        const home = `${scope} ${chunk.documentId}`;
        const { title, uri } = names.get(home)!;
        return {
          scope,
          chunk,
          home,
          text: plainAnalyzer.analyze(chunk.text),
          names: [...new Set([chunk.title, ...chunk.headings])].flatMap((name) => plainAnalyzer.analyze(name)),
          title: plainAnalyzer.analyze(title),
          file: plainAnalyzer.analyze(plainFile(uri)),
          heading: plainAnalyzer.analyze(chunk.headings.at(-1) ?? ""),
        };
      });
      const bm25 = createPlainBm25(all);
      const words = addPlainWords(
        query,
        countWords(plainAnalyzer.analyze(query)),
        (word) => plainAnalyzer.analyze(word),
        all,
      );
      const hits: PlacedHit[] = [];
      for (const each of all) {
        const { scope, chunk } = each;
        if (test?.(chunk.metadata) === false) continue;
        const found = bm25.score(each, words);
        if (found !== undefined) hits.push({ scope, chunk, score: found.score });
      }
      return best(hits, topK);
    },
    cosine(readable: readonly Scope[], query: readonly number[], topK: number, test?: Test) {
      const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
      const hits = live(readable, test).flatMap(({ scope, chunk, vector }) => {
        if (vector === undefined) return [];
        const norms = Math.sqrt(dot(vector, vector)) * Math.sqrt(dot(query, query));
        const score = norms === 0 ? 0 : Math.max(-1, Math.min(1, dot(vector, query) / norms));
        return [{ scope, chunk, score: score + 0 }];
      });
      return best(hits, topK);
    },
    every: (readable: readonly Scope[], topK: number, test?: Test) =>
      best(
        live(readable, test).map(({ scope, chunk }) => ({ scope, chunk, score: 0 })),
        topK,
      ),
  };
}
