import type { StoreParts, DocumentStore, VersionSwitch } from "../../contracts/store.ts";
import { termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { createSecret, fromHex, toHex } from "./create-secret.ts";
import { createIndexView } from "./index-view.ts";
import { createPurge } from "./purge.ts";
import type { PatternSearch } from "./search-pattern.ts";
import { analyzerSetting, createSegmentCore, type SegmentCore, type SegmentStoreOptions } from "./segment-core.ts";
import { keptOrders, type SegmentDirectory } from "./segment-directory.ts";
import { createSegmentLegs, type SegmentLeg } from "./segment-legs.ts";
import { segmentReads } from "./segment-reads.ts";
import { segmentTrash, segmentUpkeep } from "./segment-upkeep.ts";
import { segmentWrites } from "./segment-writes.ts";
import { createSharedLook } from "./share-look.ts";
import { readChunks } from "./read-chunks.ts";
import { takeMoment } from "./segment-moment.ts";
import { versionKey } from "../../contracts/embedding.ts";
import { readVersions } from "./read-versions.ts";

/** Parts with every capability. */
export type CompleteParts = { readonly [Name in keyof StoreParts]-?: NonNullable<StoreParts[Name]> };

/** Makes the parts of a store over a directory of segments: documents, legs, and every capability. */
export function createSegmentStore(directory: SegmentDirectory, options: SegmentStoreOptions): CompleteParts {
  return createStoreParts(createSegmentCore(directory, options));
}

/** As {@link createSegmentStore}, where the directory itself needs the index over it. */
export function createStoreParts(core: SegmentCore): CompleteParts {
  const { directory, options, look, write, view, latent } = core;
  const purge = createPurge(core);
  let patterns: Promise<PatternSearch> | undefined;
  const loadPatterns = (): Promise<PatternSearch> =>
    (patterns ??= import("./search-pattern.ts").then((late) => late.createPatternSearch(options.policy.sealAt)));
  /** Ends when the indexes that searches made on their way are saved, or cannot be. */
  let keeping: Promise<void> = Promise.resolve();
  let past: ReturnType<typeof makePast> | undefined;
  /** Loaded when the past is first asked for. */
  async function makePast(): Promise<NonNullable<StoreParts["history"]>> {
    const { createPast } = await import("./past.ts");
    return createPast(core, purge, (state) => {
      const { history: _, ...parts } = createStoreParts(state);
      return parts;
    });
  }
  const loadPast = (): ReturnType<typeof makePast> => (past ??= makePast());
  const { restore, ...writes } = segmentWrites(core, purge);
  const reads = segmentReads(core);
  const legs = createSegmentLegs({
    view,
    analyzer: options.analyzer,
    bm25: options.bm25,
    metric: options.metric,
    latent,
    isAfar: directory.isAfar,
    look: createSharedLook(look),
    thread: directory.readingThread,
    patterns: loadPatterns,
    searchedPattern(search) {
      keeping = keeping.then(() => search.save(write));
      // The error shows when the store is settled or closed.
      keeping.catch(() => {});
    },
  });

  return {
    documents: {
      durability: directory.durability,
      embeddings: options.embeddings,
      orders: keptOrders,
      narrows: true,
      ...reads,
      ...writes,
      atOnce: searchAtOnce(core, legs, reads),
      async close({ settle = true } = {}) {
        try {
          if (!settle) await directory.thread?.close({ settle });
          await keeping.catch((error: unknown) => {
            if (settle) throw error;
          });
          await core.tidied();
          if (purge.isUnfinished()) await purge.resume();
        } finally {
          await directory.close();
        }
      },
    },
    legs,
    versions: segmentVersions(core),
    trash: { ...segmentTrash(core, purge), restore },
    upkeep: segmentUpkeep(core, purge, () => keeping),
    history: {
      keep: async (wanted) => (await loadPast()).keep(wanted),
      at: async (scopes, time, how) => (await loadPast()).at(scopes, time, how),
      versions: async (scope, id) => (await loadPast()).versions(scope, id),
      version: async (scope, id, time) => (await loadPast()).version(scope, id, time),
    },
    secret: options.secret,
  };
}

/** Says, once it is set, that every chunk has a document. */
const adoptedSetting = "chunks have documents";

/** Says, once it is set, that every chunk has the key of its text. */
const keyedSetting = "chunks have text keys";

/**
 * Makes a directory ready for an analyzer. Chunks that an earlier version kept without a document get one first, each scope in a transaction of its own.
 * A new directory gets its secret; a directory written with another analyzer is analysed again as a whole.
 *
 * **Shape** the knowledge base's own key. **Cost** one look, unless there is something to do.
 */
export async function prepareDirectory(
  directory: SegmentDirectory,
  { analyzer, now }: Pick<SegmentStoreOptions, "analyzer" | "now">,
): Promise<Uint8Array> {
  const fingerprint = termsFingerprint(analyzer);
  const [secret, analyzed, adopted, keyed] = await directory.read((rows) =>
    ["secret", analyzerSetting, adoptedSetting, keyedSetting].map((name) => rows.setting(name)),
  );
  if (secret !== undefined && analyzed === fingerprint && adopted !== undefined && keyed !== undefined) {
    return fromHex(secret);
  }
  if (adopted === undefined) {
    const { adoptLooseChunks } = await import("./adopt-loose-chunks.ts");
    const scopes = await directory.read((rows) => rows.scopes());
    for (const { scope } of scopes) await directory.write((rows) => adoptLooseChunks(rows, scope, now()));
  }
  if (keyed === undefined) {
    const { addTextKeys } = await import("./copies.ts");
    const scopes = await directory.read((rows) => rows.scopes());
    for (const { scope } of scopes) await directory.write((rows) => addTextKeys(rows, scope));
  }
  const { reanalyze } = await import("./maintain-segments.ts");
  return directory.write((rows) => {
    const kept = rows.setting("secret") ?? toHex(createSecret());
    rows.setSetting("secret", kept);
    rows.setSetting(adoptedSetting, "yes");
    rows.setSetting(keyedSetting, "yes");
    const before = rows.setting(analyzerSetting);
    if (before !== undefined && before !== fingerprint) reanalyze(rows, createIndexView(), analyzer);
    rows.setSetting(analyzerSetting, fingerprint);
    return fromHex(kept);
  });
}

/** Searches that are one transaction. Only the store's own functions take part. A function that calls them is another. */
function searchAtOnce(
  { look, view }: Pick<SegmentCore, "look" | "view">,
  legs: readonly SegmentLeg[],
  reads: Pick<DocumentStore, "readChunks">,
): NonNullable<DocumentStore["atOnce"]> {
  const functionOf = (owner: object, name: "search" | "readChunks"): unknown => Reflect.get(owner, name);
  const own = new Map(legs.map((leg) => [functionOf(leg, "search"), leg]));
  const ownReading = functionOf(reads, "readChunks");
  return (scopes, work) =>
    look((rows) =>
      work({
        moment: takeMoment(rows, view, scopes),
        search: (leg, ...given) => own.get(functionOf(leg, "search"))?.searchInside(rows, ...given),
        readChunks: (documents, ...given) =>
          functionOf(documents, "readChunks") === ownReading ? readChunks(rows, view, ...given) : undefined,
      }),
    );
}

/** Two embedding versions side by side in a segment store; the code that changes them is loaded with the first change. */
function segmentVersions({ look, write, change, view, analyze, tidy, options }: SegmentCore): VersionSwitch {
  const { now } = options;
  return {
    async versions(scopes) {
      return look((rows) => scopes.map((scope) => readVersions(rows, view, scope)));
    },
    async *lacking(scope, version) {
      const { listLacking } = await import("./scope-versions.ts");
      yield* listLacking(look, view, scope, version);
    },
    async addVectors(scope, version, vectors) {
      const { addVectors, prepareVectors } = await import("./scope-versions.ts");
      const key = versionKey(version);
      const waiting = await look((rows) => prepareVectors(rows, view.scope(rows, scope), key, vectors, analyze));
      if (waiting.length === 0) return 0;
      const { result } = await change(scope, (changes) => addVectors(changes, version, waiting, now()));
      await tidy(scope);
      return result;
    },
    async changeVersion(scope, version, { partial = false } = {}) {
      const { changeVersion } = await import("./scope-versions.ts");
      return write((rows) => changeVersion(rows, view, scope, version, { partial, now: now() }));
    },
  };
}
