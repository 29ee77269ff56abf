import type { Store } from "../../../src/contracts/store.ts";
import type { Hit, Retriever, RetrieveOptions, WrapRetriever } from "../../../src/contracts/retriever.ts";
import type { Scope } from "../../../src/contracts/scope.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { documentEntryOf, documentOf, into } from "../../../src/testing/store-fixtures.ts";

/** A hit of which only that matters which is given. */
export function hitOf(chunkId: string, score: number, given: Partial<Hit> & { readonly start?: number } = {}): Hit {
  const { start = 0, text = `text of ${chunkId}`, ...rest } = given;
  return {
    rank: 0,
    score,
    chunkId,
    documentId: "d",
    scope: "deployment",
    text,
    snippet: text,
    source: { uri: "d.md", title: "", headings: [], start, end: start + text.length },
    metadata: {},
    origin: "user-content",
    ...rest,
  };
}

/** A retriever that finds just these, the given order being theirs; and what it was asked. */
export function finding(
  found: readonly Hit[] | ((query: string) => readonly Hit[]),
): Retriever & { readonly asked: { readonly query: string; readonly options: RetrieveOptions }[] } {
  const asked: { query: string; options: RetrieveOptions }[] = [];
  return {
    asked,
    async retrieve(_, query, options = {}) {
      asked.push({ query, options });
      const hits = typeof found === "function" ? found(query) : found;
      const { topK = 5 } = options;
      return hits
        .slice(0, topK === "all" ? undefined : topK)
        .map((hit, index) => ({ ...hit, rank: index + 1, ...(options.explain && { explain: hit.explain ?? bare }) }));
    },
  };
}

const bare = { fusion: "absolute", legs: {}, parts: [], terms: [], evidence: false };

/** A store with one document in it, and hits of stretches of that document. */
export async function documentWith(text: string, pieces: readonly string[], scope: Scope = "deployment") {
  const store: Pick<Store, "document" | "chunks"> & ReturnType<typeof createMemoryStore> = createMemoryStore();
  const document = documentOf("d.md", text);
  await store.replace(
    into(scope),
    documentEntryOf(
      document,
      pieces.map((piece) => ({ text: piece })),
    ),
  );
  const hit = (piece: string, score: number, given: Partial<Hit> = {}): Hit =>
    hitOf(piece.slice(0, 8), score, {
      text: piece,
      start: text.indexOf(piece),
      documentId: document.id,
      scope,
      ...given,
    });
  return { store, document, hit };
}

/** What of hits a test looks at. */
export const texts = (hits: readonly Hit[]): readonly string[] => hits.map(({ text }) => text);
export const ids = (hits: readonly Hit[]): readonly string[] => hits.map(({ chunkId }) => chunkId);
export const scores = (hits: readonly Hit[]): readonly number[] => hits.map(({ score }) => score);

export type { WrapRetriever };
