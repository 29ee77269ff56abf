import type { ChunkEntry } from "../../contracts/document-store.ts";
import type { DocumentStore } from "../../contracts/store.ts";
import type { Scope } from "../../contracts/scope.ts";
import { giveTurn, nextTurn } from "../../runtime/next-turn.ts";
import { createAnalyses } from "./analyses.ts";
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

/** Chunks that are analysed in one go: some ten milliseconds. */
const analyzedAtOnce = 128;

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
  /** Analyses in turns, so that the event loop stays free. `done` is called for each chunk; `analyzed` is false for one that needed no analysis. */
  async function analyze(
    scope: Scope,
    incoming: readonly PreparedChunk[],
    texts = new Map<number, string>(),
    done?: (incoming: IncomingChunk, analyzed: boolean) => void,
  ): Promise<void> {
    for (let from = 0; from < incoming.length; from += analyzedAtOnce) {
      const batch = incoming.slice(from, from + analyzedAtOnce);
      const wanting = await lookTogether((rows) => chooseWanting(rows, rows.scope(scope)?.key, batch, texts));
      // A large document has its chunks put away one by one, and is written once.
      if (analyses !== undefined && done === undefined) {
        await analyses.of(batch.filter((each) => wanting.has(each)));
        continue;
      }
      for (const each of batch) {
        // Documents of one turn come one after the other, so that the first is written while the others are analysed.
        const turn = giveTurn();
        if (turn !== undefined) await turn;
        if (wanting.has(each)) each.terms();
        done?.(each, wanting.has(each));
      }
      if (incoming.length > analyzedAtOnce || done !== undefined) await nextTurn();
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
    const [{ createMemoryShelf }, { createChunkShelf }] = await Promise.all([
      import("./shelf.ts"),
      import("./shelve-chunks.ts"),
    ]);
    const shelf = directory.openShelf?.() ?? createMemoryShelf();
    try {
      const waiting = createChunkShelf(shelf, facts.document, analyzeChunk);
      const texts = new Map<number, string>();
      let chunks = 0;
      for await (const batch of batches) {
        chunks += batch.length;
        await analyze(scope, prepareChunks(batch, analyzeChunk), texts, (each, analyzed) =>
          waiting.put(each, analyzed),
        );
      }
      texts.clear();
      const ingestedAt = facts.ingestedAt ?? new Date(now()).toISOString();
      const here = () =>
        change(scope, (changes) => replaceDocument(changes, facts, waiting.each(), relies, ingestedAt));
      const shared = chunks < worthAThread ? undefined : shelf.share?.();
      const { result, receipt } =
        shared === undefined
          ? await here()
          : await sendErrand(directory.thread, "replace", { scope, facts, relying, ingestedAt, shelf: shared }, here);
      return { ...result, receipt };
    } finally {
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
