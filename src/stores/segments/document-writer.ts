import type { ChunkEntry } from "../../contracts/document-store.ts";
import type { DocumentStore } from "../../contracts/store.ts";
import type { Scope } from "../../contracts/scope.ts";
import { giveTurn, nextTurn } from "../../runtime/next-turn.ts";
import { createAnalyses } from "./analyses.ts";
import { toStoredVectors } from "../../engine/vectors/stored-vector.ts";
import { sendErrand, worthAThread } from "./errands.ts";
import {
  chooseWanting,
  type DocumentFacts,
  type IncomingChunk,
  prepareChunks,
  type PreparedChunk,
  replaceDocument,
} from "./replace-document.ts";
import type { SegmentCore } from "./segment-core.ts";
import { createSharedLook } from "./share-look.ts";
import type { SharedShelf, Shelf } from "./shelf.ts";

/** Chunks that are analysed in one go: some ten milliseconds. */
const analyzedAtOnce = 128;

function* inGroups<Item>(items: readonly Item[]): Generator<readonly Item[], undefined> {
  for (let from = 0; from < items.length; from += analyzedAtOnce) yield items.slice(from, from + analyzedAtOnce);
  return undefined;
}

/** Whether a chunk counts on vectors that the store has. */
type Relies = (incoming: IncomingChunk) => boolean;

/**
 * Writes documents into a segment store: analysed while other calls have their turn, then swapped in one transaction. Batches wait as bytes, out of memory
 * where the directory has a place for them.
 */
export function createDocumentWriter(core: SegmentCore): DocumentStore["replace"] {
  const { directory, look, change, analyze: analyzeChunk } = core;
  const { now } = core.options;
  /** Documents of one turn are looked up in one transaction. */
  const lookTogether = createSharedLook(look);
  const analyses = directory.thread && createAnalyses(directory.thread);
  /** Chunks that need an analysis, by groups. */
  const choose = (scope: Scope, batch: readonly IncomingChunk[], texts: Map<number, string>) =>
    lookTogether((rows) => chooseWanting(rows, rows.scope(scope)?.key, batch, texts));

  /** Analyses in turns, so that the event loop stays free. */
  async function analyze(scope: Scope, incoming: readonly PreparedChunk[]): Promise<void> {
    const texts = new Map<number, string>();
    for (const batch of inGroups(incoming)) {
      const wanting = await choose(scope, batch, texts);
      const waiting = batch.filter((each) => wanting.has(each));
      if (analyses !== undefined) {
        await analyses.of(waiting);
        continue;
      }
      for (const each of waiting) {
        // Documents of one turn come one after the other, so that the first is written while the others are analysed.
        const turn = giveTurn();
        if (turn !== undefined) await turn;
        each.terms();
      }
      if (incoming.length > analyzedAtOnce) await nextTurn();
    }
  }

  /** Puts chunks of a large document away one by one, in turns. Their terms are made on the way, and nobody holds them: a batch of them would outlive the young. */
  async function shelve(
    scope: Scope,
    entries: readonly ChunkEntry[],
    texts: Map<number, string>,
    put: (incoming: IncomingChunk, analyzed: boolean) => void,
  ): Promise<void> {
    for (const some of inGroups(entries)) {
      const batch = some.map(({ chunk, embeddings }): IncomingChunk => ({
        chunk,
        vectors: toStoredVectors(embeddings),
        terms: () => analyzeChunk(chunk),
      }));
      const wanting = await choose(scope, batch, texts);
      for (const each of batch) {
        const turn = giveTurn();
        if (turn !== undefined) await turn;
        put(each, wanting.has(each));
      }
      await nextTurn();
    }
  }

  async function replaceWhole(
    scope: Scope,
    facts: DocumentFacts,
    chunks: readonly ChunkEntry[],
    relies: Relies,
  ): ReturnType<DocumentStore["replace"]> {
    const incoming = prepareChunks(chunks, analyzeChunk);
    await analyze(scope, incoming);
    const ingestedAt = facts.ingestedAt ?? new Date(now()).toISOString();
    const written = change(scope, (changes) => replaceDocument(changes, facts, incoming, relies, ingestedAt));
    const { result, receipt } = await (analyses?.during(written) ?? written);
    return { ...result, receipt };
  }

  async function replaceInBatches(
    scope: Scope,
    facts: DocumentFacts,
    batches: AsyncIterable<readonly ChunkEntry[]>,
    relies: Relies,
    relying: readonly string[] | undefined,
  ): ReturnType<DocumentStore["replace"]> {
    const [{ createMemoryShelf }, { createChunkShelf }, { shelveDocument }] = await Promise.all([
      import("./shelf.ts"),
      import("./shelve-chunks.ts"),
      import("./shelve-document.ts"),
    ]);
    const shelf = directory.openShelf?.() ?? createMemoryShelf();
    let page: Shelf | undefined;
    try {
      const waiting = createChunkShelf(shelf, facts.document, analyzeChunk);
      const texts = new Map<number, string>();
      let chunks = 0;
      for await (const batch of batches) {
        chunks += batch.length;
        await shelve(scope, batch, texts, (each, analyzed) => waiting.put(each, analyzed));
      }
      texts.clear();
      const ingestedAt = facts.ingestedAt ?? new Date(now()).toISOString();
      const here = () =>
        change(scope, (changes) => replaceDocument(changes, facts, waiting.each(), relies, ingestedAt));
      const send = async (shared: SharedShelf) => {
        page = directory.openShelf!();
        const { document, ...rest } = facts;
        await shelveDocument(page, document);
        const shelved = page.share?.();
        if (shelved === undefined) return here();
        const given = { scope, facts: rest, document: shelved, relying, ingestedAt, chunks: shared };
        return sendErrand(directory.thread, "replace", given, here);
      };
      const isForThread = directory.thread !== undefined && chunks >= worthAThread;
      const shared = isForThread && facts.document.text.isWellFormed() ? shelf.share?.() : undefined;
      const { result, receipt } = await (shared === undefined ? here() : send(shared));
      return { ...result, receipt };
    } finally {
      page?.close();
      shelf.close();
    }
  }

  return (scope, { chunks, keeps, ...facts }) => {
    const relying = typeof keeps === "string" ? undefined : new Set(keeps);
    const relies: Relies = ({ chunk, vectors }) => relying?.has(chunk.id) ?? vectors.length === 0;
    return Symbol.asyncIterator in chunks
      ? replaceInBatches(scope, facts, chunks, relies, relying && [...relying])
      : replaceWhole(scope, facts, chunks, relies);
  };
}
