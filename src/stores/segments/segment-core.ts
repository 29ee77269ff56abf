import type { Analyzer } from "../../contracts/analyzer.ts";
import type { CorpusModel } from "../../contracts/corpus-model.ts";
import type { EmbeddingKind, Metric } from "../../contracts/embedding.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { analyzeChunk, type Analyzed, type ChunkTerms, termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { chooseMerge, type SegmentPolicy } from "../../engine/segments/merge-policy.ts";
import { giveTurn } from "../../runtime/next-turn.ts";
import { sendErrand, worthAThread } from "./errands.ts";
import { createIndexView, type IndexView, type ScopeView } from "./index-view.ts";
import { createLatentLeg, type LatentLeg } from "./latent-leg.ts";
import { changeScope, type ScopeChange } from "./scope-change.ts";
import { sealTail } from "./seal-tail.ts";
import type { DirectoryReader, DirectoryWriter, SegmentDirectory } from "./segment-directory.ts";

/** Choices of a segment store, decided. */
export interface SegmentStoreOptions {
  readonly analyzer: Analyzer;
  readonly secret: Uint8Array;
  readonly embeddings: readonly EmbeddingKind[];
  /** Metric of a search that names none. */
  readonly metric: Metric;
  readonly bm25: Bm25Settings;
  readonly policy: SegmentPolicy;
  /** A dense leg of the store's own. */
  readonly corpusModel: CorpusModel | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export const analyzerSetting = "analyzer";

/** Chunks of a large document that wait together in memory. */
const mostArriving = 1024;

/** Chunks that wait when the thread starts: more of them are likely to come, and it analyses those. */
const worthStarting = 256;

/** A write waits for the thread where the live segment has so many times the chunks at which it is sealed. */
const mostWaiting = 4;

/** The state that reads, writes and upkeep of a segment store share: the directory, the view of it, and transactions that keep both in step. */
export interface SegmentCore {
  readonly directory: SegmentDirectory;
  readonly options: SegmentStoreOptions;
  readonly view: IndexView;
  readonly latent: LatentLeg | undefined;
  readonly analyze: (chunk: Analyzed) => ChunkTerms;
  /** One transaction that reads. */
  readonly look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
  /** One transaction that writes. */
  readonly write: <Result>(work: (rows: DirectoryWriter) => Result) => Promise<Result>;
  /** The same, without waiting for the disk: see `rewrite` of the directory. */
  readonly rewrite: <Result>(work: (rows: DirectoryWriter) => Result) => Promise<Result>;
  /** One transaction that changes a scope. **Shape** the result of `work`, and the receipt of the commit. */
  readonly change: <Result>(
    scope: Scope,
    work: (change: ScopeChange) => Result,
  ) => Promise<{ readonly result: Result; readonly receipt: Receipt }>;
  /** Seals and merges what the last change left. The write is committed, and does not fail for want of this. */
  readonly tidy: (scope: Scope) => Promise<void>;
  /** Seals a live segment of at least `sealAt` chunks, and merges. */
  readonly tidyFrom: (scope: Scope, sealAt: number) => Promise<void>;
  /** Ends when nothing is sealed or merged any more. */
  readonly tidied: () => Promise<void>;
}

/** The work that is due in a scope. */
interface Due {
  /** Chunks of the live segment. */
  readonly waiting: number;
  readonly seal: boolean;
  readonly merge: boolean;
  /** Chunks of the larger of both works. */
  readonly chunks: number;
}

export function createSegmentCore(directory: SegmentDirectory, options: SegmentStoreOptions): SegmentCore {
  const { analyzer, policy } = options;
  const view = createIndexView();
  const latent = options.corpusModel && createLatentLeg(options.corpusModel, analyzer, view);
  /** The stamp at which the analyzer was last compared. */
  let checked = -1;
  /** Scopes in which a write left something to seal or to merge. */
  const untidy = new Set<Scope>();

  /** Another process may have rebuilt the index with an analyzer of its own: our terms would not find its chunks. */
  function check<Rows extends DirectoryReader>(rows: Rows): Rows {
    const stamp = rows.stamp();
    if (stamp !== checked) checkAnalyzer(rows, analyzer);
    checked = stamp;
    return rows;
  }

  /** Writes that share a commit see one another before it. */
  function undone(): void {
    view.forget();
    latent?.forget();
    checked = -1;
  }

  const look = <Result>(work: (rows: DirectoryReader) => Result): Promise<Result> => {
    const read = (): Promise<Result> => directory.read((rows) => work(check(rows)));
    return giveTurn()?.then(read) ?? read();
  };

  const write = <Result>(work: (rows: DirectoryWriter) => Result): Promise<Result> =>
    directory.write((rows) => work(check(rows)), undone);

  const rewrite = <Result>(work: (rows: DirectoryWriter) => Result): Promise<Result> =>
    directory.rewrite?.((rows) => work(check(rows)), undone) ?? write(work);

  const isMergeDue = (rows: DirectoryReader, scope: Scope): boolean =>
    chooseMerge(view.scope(rows, scope)?.sealed ?? [], policy) !== undefined;

  const waitingIn = (held: ScopeView | undefined): number => held?.tail.presentCount ?? 0;

  const readDue = (scope: Scope, sealAt: number): Promise<Due> =>
    look((rows) => {
      const held = view.scope(rows, scope);
      const waiting = waitingIn(held);
      const merged = chooseMerge(held?.sealed ?? [], policy);
      const count = merged?.reduce((sum, { presentCount }) => sum + presentCount, 0) ?? 0;
      return { waiting, seal: waiting >= sealAt, merge: merged !== undefined, chunks: Math.max(waiting, count) };
    });

  const isForThread = ({ seal, waiting }: Due): boolean =>
    directory.thread !== undefined && seal && waiting >= worthAThread;

  /** The thread starts when some chunks wait, and reads them in steps. Each step is read while the next comes. */
  function followAt(scope: Scope, before: number, waiting: number): void {
    const isFirst = before < worthStarting && waiting >= worthStarting;
    if (!isFirst && Math.floor(waiting / worthAThread) <= Math.floor(before / worthAThread)) return;
    // A build reads what this has not, and meets the error.
    void directory.thread?.call("follow", { scope }).catch(() => {});
  }

  /** A segment is built in the thread while writes go on, and placed between two of them. **Shape** false where it was not. */
  async function sealBeside(scope: Scope, sealAt: number): Promise<boolean> {
    const { thread } = directory;
    const isBuilt = await sendErrand(thread, "build", { scope, sealAt }, async () => false);
    return isBuilt && sendErrand(thread, "place", { scope }, async () => false);
  }

  /** Ends when the work that tidies a scope has. */
  const tidying = new Map<Scope, Promise<void>>();

  function tidyFrom(scope: Scope, sealAt: number): Promise<void> {
    const work = (tidying.get(scope) ?? Promise.resolve()).catch(() => {}).then(() => tidyNow(scope, sealAt));
    tidying.set(scope, work);
    void work
      .catch(() => {})
      .then(() => {
        if (tidying.get(scope) === work) tidying.delete(scope);
      });
    return work;
  }

  async function tidyNow(scope: Scope, sealAt: number): Promise<void> {
    try {
      let due = await readDue(scope, sealAt);
      while (isForThread(due) && (await sealBeside(scope, sealAt))) due = await readDue(scope, sealAt);
      // A small live segment is sealed here. The merge that it is the last for may be large.
      if (due.seal && due.chunks < worthAThread) {
        await write((rows) => sealTail(rows, view, scope, sealAt));
        due = await readDue(scope, sealAt);
      }
      if (!due.seal && !due.merge) return;
      const thread = due.chunks < worthAThread ? undefined : directory.thread;
      await sendErrand(thread, "tidy", { scope, sealAt }, () => tidyHere(scope, sealAt, due));
    } catch (error) {
      if (!IbidError.isInstance(error, "store-busy") && !IbidError.isInstance(error, "store-failed")) throw error;
    }
  }

  async function tidyHere(
    scope: Scope,
    sealAt: number,
    due: { readonly seal: boolean; readonly merge: boolean },
  ): Promise<void> {
    const sealed = due.seal && (await write((rows) => sealTail(rows, view, scope, sealAt)));
    if (!due.merge && !(sealed && (await look((rows) => isMergeDue(rows, scope))))) return;
    const { mergeOnce } = await import("./maintain-segments.ts");
    // A write in memory takes no turn of its own.
    do await giveTurn();
    while (await write((rows) => mergeOnce(rows, view, scope, policy)));
  }

  const sealAt = directory.keepsPending === true ? Infinity : Math.min(policy.sealAt, mostArriving);
  return {
    directory,
    options,
    view,
    latent,
    analyze: (chunk) => analyzeChunk(analyzer, chunk),
    look,
    write,
    rewrite,
    change: (scope, work) =>
      write((rows) => {
        const changes = changeScope(rows, view, scope, { latent, sealAt });
        const result = work(changes);
        changes.finish();
        // Nobody else has changed anything since the analyzer was compared in this transaction.
        checked = rows.stamp();
        if (changes.isUntidy(policy)) untidy.add(scope);
        else followAt(scope, waitingIn(changes.before), changes.waiting());
        return { result, receipt: changes.receipt() };
      }),
    async tidy(scope) {
      if (!untidy.delete(scope)) return;
      const due = await readDue(scope, policy.sealAt);
      if (!isForThread(due)) return tidyFrom(scope, policy.sealAt);
      const work = tidying.get(scope) ?? tidyFrom(scope, policy.sealAt);
      if (due.waiting >= mostWaiting * policy.sealAt) return work;
      // The write need not wait. The next settling meets an error again.
      work.catch(() => {});
    },
    tidyFrom,
    async tidied() {
      await Promise.allSettled(tidying.values());
    },
  };
}

function checkAnalyzer(rows: DirectoryReader, analyzer: Analyzer): void {
  const stored = rows.setting(analyzerSetting);
  if (stored === undefined || stored === termsFingerprint(analyzer)) return;
  throw new IbidError("store-failed", "Another process rebuilt this knowledge base with another analyzer.", {
    hint: "Open it again, with the same analyzer everywhere.",
  });
}
