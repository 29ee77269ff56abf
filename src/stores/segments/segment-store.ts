import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { CorpusModel } from "../../contracts/corpus-model.ts";
import type { EmbeddingKind } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { SettleOptions } from "../../contracts/knowledge-store.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Metric } from "../../contracts/store.ts";
import { compileFilter } from "../../engine/filters/compile-filter.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import { analyzeChunk, termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { chooseMerge, type SegmentPolicy } from "../../engine/segments/merge-policy.ts";
import { documentOperations } from "./document-operations.ts";
import { createDocumentWriter } from "./document-writer.ts";
import { corpusToFit, isAnyLacking } from "./fit-due.ts";
import { isPurgeOwed, owePurge, readOwed, strikeOwed } from "./forgetting.ts";
import { createIndexView } from "./index-view.ts";
import { countRows, listChunks, listDeleted, listScopes } from "./list-rows.ts";
import { createLatentLeg, fittedOn } from "./latent-leg.ts";
import type { RawKnowledgeStore } from "./raw-store.ts";
import { createSecret, fromHex, toHex } from "./create-secret.ts";
import { heldChunks, prepareChunks, upsertChunks } from "./replace-document.ts";
import { changeScope, readRevision, type ScopeChange } from "./scope-change.ts";
import { sealTail } from "./seal-tail.ts";
import type { PatternSearch } from "./search-pattern.ts";
import { loadLucene, searchLatent, searchTerms, searchVectors } from "./search-segments.ts";
import type { DirectoryReader, DirectoryWriter, SegmentDirectory } from "./segment-directory.ts";
import { versionedOperations } from "./versioned-operations.ts";

export interface SegmentStoreOptions {
  readonly analyzer: Analyzer;
  readonly secret: Uint8Array;
  readonly embeddings: readonly EmbeddingKind[];
  /** Of a search that names none. */
  readonly metric: Metric;
  readonly bm25: Bm25Settings;
  readonly policy: SegmentPolicy;
  /** A dense leg of the store's own. */
  readonly corpusModel: CorpusModel | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const analyzerSetting = "analyzer";

/** Chunks of a large document that wait together in memory. */
const mostArriving = 1024;

/** The search engine over a directory of segments, as raw operations for the guard. */
export function createSegmentStore(directory: SegmentDirectory, options: SegmentStoreOptions): RawKnowledgeStore {
  const { analyzer, policy, now } = options;
  const view = createIndexView();
  const analyzeOne = (chunk: Chunk) => analyzeChunk(analyzer, chunk);
  const latent = options.corpusModel && createLatentLeg(options.corpusModel, analyzer);
  let patterns: Promise<PatternSearch> | undefined;
  const loadPatterns = (): Promise<PatternSearch> =>
    (patterns ??= import("./search-pattern.ts").then((late) => late.createPatternSearch(policy.sealAt)));
  /** Ends when what searches made on their way is kept, or cannot be. */
  let keeping: Promise<void> = Promise.resolve();
  let checked = -1;
  /** Scopes in which a write left something to seal or to merge. */
  const untidy = new Set<Scope>();
  /** Whether this process left a purge unfinished. */
  let unfinished = false;

  /** Another process may have rebuilt the index with an analyzer of its own: our terms would not find what it wrote. */
  function check<Rows extends DirectoryReader>(rows: Rows): Rows {
    const stamp = rows.stamp();
    if (stamp !== checked) checkAnalyzer(rows, analyzer);
    checked = stamp;
    return rows;
  }

  const look = <Result>(work: (rows: DirectoryReader) => Result): Promise<Result> =>
    directory.read((rows) => work(check(rows)));

  const write = <Result>(work: (rows: DirectoryWriter) => Result): Promise<Result> =>
    directory.write((rows) => work(check(rows)), undone);

  /** Writes that share a commit see one another before it. */
  function undone(): void {
    view.forget();
    latent?.forget();
    checked = -1;
  }

  const change = <Result>(
    scope: Scope,
    work: (change: ScopeChange) => Result,
    sealAt = Math.min(policy.sealAt, mostArriving),
  ): Promise<Result> =>
    write((rows) => {
      const changes = changeScope(rows, view, scope, { latent, sealAt });
      const result = work(changes);
      changes.finish();
      if (changes.isUntidy(policy)) untidy.add(scope);
      return result;
    });

  const documents = createDocumentWriter({ directory, view, look, change, analyze: analyzeOne, now });

  const isMergeDue = (rows: DirectoryReader, scope: Scope): boolean =>
    chooseMerge(view.scope(rows, scope)?.sealed ?? [], policy) !== undefined;

  /** Seals and merges what is due. The write before it is done and safe, so it must not fail for want of this. */
  async function tidy(scope: Scope): Promise<void> {
    if (untidy.delete(scope)) await tidyFrom(scope, policy.sealAt);
  }

  async function tidied<Result>(scope: Scope, result: Result): Promise<Result> {
    await tidy(scope);
    return result;
  }

  async function tidyFrom(scope: Scope, sealAt: number): Promise<void> {
    try {
      const due = await look((rows) => {
        const held = view.scope(rows, scope);
        return {
          seal: (held?.tail.presentCount ?? 0) >= sealAt,
          merge: isMergeDue(rows, scope),
        };
      });
      const sealed = due.seal && (await write((rows) => sealTail(rows, view, scope, sealAt)));
      if (!due.merge && !(sealed && (await look((rows) => isMergeDue(rows, scope))))) return;
      const { mergeOnce } = await import("./maintain-segments.ts");
      while (await write((rows) => mergeOnce(rows, view, scope, policy)));
    } catch (error) {
      if (!IbidError.isInstance(error, "store-busy") && !IbidError.isInstance(error, "store-failed")) throw error;
    }
  }

  /**
   * Takes what was removed out of postings, fits and files too. **Shape** false when a reader holds on to an old state of the files.
   */
  async function forget(scopes: readonly Scope[]): Promise<boolean> {
    unfinished = true;
    const since = await look(readOwed);
    const { rewriteHollow } = await import("./maintain-segments.ts");
    for (const scope of scopes) await write((rows) => rewriteHollow(rows, view, scope));
    if (latent !== undefined && scopes.includes(fittedOn)) {
      const { forgetTerms } = await import("./refit.ts");
      await write((rows) => forgetTerms(rows, view, latent));
    }
    if (!(await directory.scrub())) return false;
    if (since !== undefined) await write((rows) => strikeOwed(rows, since));
    unfinished = false;
    return true;
  }

  const allScopes = (): Promise<readonly Scope[]> => look((rows) => rows.scopes().map(({ scope }) => scope));

  /** Does what a purge still owes, whichever process began it. */
  async function finishPurges(): Promise<boolean> {
    if (!(await look(isPurgeOwed))) return true;
    return forget([...new Set([...(await allScopes()), fittedOn])]);
  }

  async function fitWhenDue(settling: SettleOptions = {}): Promise<void> {
    if (latent === undefined) return;
    const isDue = await look((rows) => corpusToFit(rows, view, latent) > 0 || isAnyLacking(rows, view, latent));
    if (isDue) await (await import("./refit.ts")).refit({ look, write }, view, latent, settling);
  }

  async function deleteScope(scope: Scope): Promise<number> {
    const { dropFits } = await import("./refit.ts");
    const gone = await write((rows) => {
      const held = view.scope(rows, scope);
      if (held === undefined) return 0;
      owePurge(rows);
      rows.deleteScope(held.row.key);
      if (latent !== undefined && scope === fittedOn) dropFits(rows, view, latent);
      rows.setStamp(rows.stamp() + 1);
      return held.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
    });
    await finishPurges();
    return gone;
  }

  return {
    capabilities: {
      durability: directory.durability,
      exact: true,
      embeddings: options.embeddings,
      metrics: ["cosine", "dot", "euclidean"],
      restore: true,
    },
    secret: options.secret,
    // There is nothing to wait for: a directory is ready once it is open.
    doReady: async (signal) => {
      if (signal?.aborted === true)
        throw new IbidError("aborted", "Waiting for the store was given up.", { cause: signal.reason });
    },

    async doUpsert(scope, entries) {
      const incoming = prepareChunks(entries, analyzeOne);
      await documents.analyze(scope, incoming);
      // These are all in memory anyway.
      await change(scope, (changes) => upsertChunks(changes, incoming), policy.sealAt);
      await tidy(scope);
    },

    // Chained, not awaited in one function: what was written need not stay in memory while segments are merged.
    doReplace: (scope, entry) => documents.replaceWhole(scope, entry).then((result) => tidied(scope, result)),
    doReplaceInBatches: (scope, entry) =>
      documents.replaceInBatches(scope, entry).then((result) => tidied(scope, result)),

    async doDelete(scope, target, deleteOptions) {
      if ("scope" in target) return deleteScope(scope);
      const { deleteTargets, findByMetadata } = await import("./delete-chunks.ts");
      const matches = "filter" in target ? compileFilter(target.filter) : () => false;
      let owing: readonly Scope[] | undefined = [scope];
      const gone = await change(scope, (changes) => {
        if (deleteOptions.purge === true) {
          changes.forget();
          if (owePurge(changes.rows)) owing = undefined;
        }
        return deleteTargets(changes, target, deleteOptions, now(), (held) => findByMetadata(held, matches));
      });
      if (deleteOptions.purge === true) await (owing === undefined ? finishPurges() : forget(owing));
      await tidy(scope);
      return gone;
    },

    async doRestore(scope, target) {
      const { restoreTargets } = await import("./delete-chunks.ts");
      return change(scope, (changes) => restoreTargets(changes, target));
    },

    async doVacuum({ olderThanMs }) {
      const [{ vacuumScope }, { retireVersions }] = await Promise.all([
        import("./delete-chunks.ts"),
        import("./scope-versions.ts"),
      ]);
      const at = now();
      const until = at - olderThanMs;
      const scopes = await allScopes();
      let gone = 0;
      for (const scope of scopes) {
        gone += await change(scope, (changes) => {
          changes.forget();
          owePurge(changes.rows);
          return vacuumScope(changes, until);
        });
        await write((rows) => retireVersions(rows, view, scope, until, at));
      }
      await forget(scopes);
      return gone;
    },

    doChunks: (scopes, listOptions) => listChunks(look, view, scopes, listOptions),

    doScopes: () => look((rows) => listScopes(rows, view)),

    doSearch: (scopes, query) => look((rows) => searchVectors(rows, view, scopes, query, options.metric)),
    async doLexicalSearch(scopes, query) {
      const lucene = query.syntax === "lucene" ? await loadLucene() : undefined;
      return look((rows) => searchTerms(rows, view, scopes, query, analyzer, options.bm25, lucene));
    },
    async doRegexSearch(scopes, query) {
      const loaded = await loadPatterns();
      const matches = await look((rows) => loaded.search(rows, view, scopes, query));
      keeping = keeping.then(() => loaded.save(write));
      // Told of when the store is settled or closed.
      keeping.catch(() => {});
      return matches;
    },

    doHeld: (scope, documentId, version) =>
      look((rows) => {
        const held = view.scope(rows, scope);
        return held === undefined ? new Map<string, string>() : heldChunks(rows, held, documentId, version);
      }),

    ...documentOperations({ look, write }),

    doStatus: (scopes) => look((rows) => countRows(rows, view, scopes)),

    ...versionedOperations({ look, write, change, view, analyze: analyzeOne, tidy, now }),

    doRevisions: (scopes) => look((rows) => scopes.map((scope) => readRevision(rows, scope))),

    ...(latent && {
      doLatentSearch: (scopes, query) => look((rows) => searchLatent(rows, view, scopes, query, latent)),
    }),

    async doSettle(settling = {}) {
      await keeping;
      for (const { scope } of await look((rows) => rows.scopes())) await tidyFrom(scope, policy.settleAt);
      await fitWhenDue(settling);
      await finishPurges();
    },

    doDeleted: (scopes) => listDeleted(look, scopes),
    doScrub: finishPurges,
    async doExamine(examination) {
      const { examineStore } = await import("./examine.ts");
      const parts = { directory, analyzer, latent, look, write, scrub: finishPurges, settle: fitWhenDue };
      return examineStore(parts, examination);
    },

    async doClose() {
      try {
        await keeping;
        if (unfinished) await finishPurges();
      } finally {
        await directory.close();
      }
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

/** Says, once it is set, that every chunk has a document. */
const adoptedSetting = "chunks have documents";

/**
 * Makes a directory ready for an analyzer: a new one gets its secret; one that was written with another analyzer is analysed again, whole; chunks that an
 * earlier version kept without a document get one, each scope in a transaction of its own.
 *
 * **Shape** the knowledge base's own key. **Cost** one look, unless there is something to do.
 */
export async function prepareDirectory(directory: SegmentDirectory, analyzer: Analyzer): Promise<Uint8Array> {
  const fingerprint = termsFingerprint(analyzer);
  const [secret, analyzed, adopted] = await directory.read((rows) =>
    ["secret", analyzerSetting, adoptedSetting].map((name) => rows.setting(name)),
  );
  if (secret !== undefined && analyzed === fingerprint && adopted !== undefined) return fromHex(secret);
  const { reanalyze } = await import("./maintain-segments.ts");
  const [key, scopes] = await directory.write((rows) => {
    const kept = rows.setting("secret") ?? toHex(createSecret());
    rows.setSetting("secret", kept);
    const before = rows.setting(analyzerSetting);
    if (before !== undefined && before !== fingerprint) reanalyze(rows, createIndexView(), analyzer);
    rows.setSetting(analyzerSetting, fingerprint);
    const held = rows.setting(adoptedSetting) === undefined ? rows.scopes().map(({ scope }) => scope) : [];
    if (held.length === 0) rows.setSetting(adoptedSetting, "yes");
    return [fromHex(kept), held] as const;
  });
  if (scopes.length > 0) {
    const { adoptLooseChunks } = await import("./adopt-loose-chunks.ts");
    for (const scope of scopes) await directory.write((rows) => adoptLooseChunks(rows, scope, Date.now()));
    await directory.write((rows) => rows.setSetting(adoptedSetting, "yes"));
  }
  return key;
}
