import type { Chunk } from "../../contracts/chunk.ts";
import type { DocumentEntry, LargeDocumentEntry, ReplaceResult } from "../../contracts/document-store.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { ChunkTerms } from "../../engine/segments/chunk-terms.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import type { IndexView } from "./index-view.ts";
import { chooseWanting, type IncomingChunk, prepareChunks, replaceDocument } from "./replace-document.ts";
import type { ScopeChange } from "./scope-change.ts";
import type { DirectoryReader, SegmentDirectory } from "./segment-directory.ts";

/** Chunks that are analysed in one go: some ten milliseconds. */
const analyzedAtOnce = 128;

/** What documents are written with. */
export interface WriterParts {
  readonly directory: Pick<SegmentDirectory, "openShelf">;
  readonly view: IndexView;
  readonly look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
  readonly change: <Result>(scope: Scope, work: (change: ScopeChange) => Result) => Promise<Result>;
  readonly analyze: (chunk: Chunk) => ChunkTerms;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How documents get into a segment store: analysed while others have their turn, then swapped in one transaction. */
export interface DocumentWriter {
  analyze(scope: Scope, incoming: readonly IncomingChunk[]): Promise<void>;
  replaceWhole(scope: Scope, entry: DocumentEntry): Promise<ReplaceResult>;
  /** What is on its way waits as bytes, out of memory where the directory has a place for it. */
  replaceInBatches(scope: Scope, entry: LargeDocumentEntry): Promise<ReplaceResult>;
}

export function createDocumentWriter({
  directory,
  view,
  look,
  change,
  analyze: analyzeChunk,
  now,
}: WriterParts): DocumentWriter {
  /** In turns, so that others have theirs; `done` is told of each with whether it had to be analysed. */
  async function analyze(
    scope: Scope,
    incoming: readonly IncomingChunk[],
    texts = new Map<number, string>(),
    done?: (incoming: IncomingChunk, analyzed: boolean) => void,
  ): Promise<void> {
    for (let from = 0; from < incoming.length; from += analyzedAtOnce) {
      const batch = incoming.slice(from, from + analyzedAtOnce);
      const wanting = await look((rows) => chooseWanting(rows, view.scope(rows, scope)?.row.key, batch, texts));
      for (const each of batch) {
        if (wanting.has(each)) each.terms();
        done?.(each, wanting.has(each));
      }
      if (incoming.length > analyzedAtOnce || done !== undefined) await nextTurn();
    }
  }

  async function replaceWhole(scope: Scope, { entries, keeps, ...facts }: DocumentEntry): Promise<ReplaceResult> {
    const incoming = prepareChunks(entries, analyzeChunk);
    await analyze(scope, incoming);
    const relying = new Set(keeps);
    const relies = ({ chunk }: IncomingChunk): boolean => relying.has(chunk.id);
    const ingestedAt = new Date(now()).toISOString();
    return change(scope, (changes) => replaceDocument(changes, facts, incoming, relies, ingestedAt));
  }

  async function replaceInBatches(
    scope: Scope,
    { batches, reliesOnHeld, ...facts }: LargeDocumentEntry,
  ): Promise<ReplaceResult> {
    const [{ createMemoryShelf }, { createChunkShelf }] = await Promise.all([
      import("./shelf.ts"),
      import("./shelve-chunks.ts"),
    ]);
    const shelf = directory.openShelf?.() ?? createMemoryShelf();
    try {
      const waiting = createChunkShelf(shelf, facts.document, analyzeChunk);
      const texts = new Map<number, string>();
      for await (const batch of batches) {
        await analyze(scope, prepareChunks(batch, analyzeChunk), texts, (each, analyzed) =>
          waiting.put(each, analyzed),
        );
      }
      texts.clear();
      const relies = ({ vectors }: IncomingChunk): boolean => reliesOnHeld && vectors.length === 0;
      const ingestedAt = new Date(now()).toISOString();
      return await change(scope, (changes) => replaceDocument(changes, facts, waiting.each(), relies, ingestedAt));
    } finally {
      shelf.close();
    }
  }

  return { analyze, replaceWhole, replaceInBatches };
}
