import { IbidError } from "../../contracts/errors.ts";
import type { ChunkEntry, DocumentVersion } from "../../contracts/document-store.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Checked, History, StoreParts } from "../../contracts/store.ts";
import { analyzeChunk, type ChunkTerms, termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { decodeVectors, parseVersionKey, toEmbedding } from "../../engine/vectors/stored-vector.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { giveTurn } from "../../runtime/next-turn.ts";
import { createMemoryDirectory } from "../memory/memory-directory.ts";
import { createChunkReader, toDocument } from "./chunk-rows.ts";
import {
  beginHistory,
  decodeFormer,
  endHistory,
  type FormerContent,
  historySince,
  keepsHistory,
  timeOf,
} from "./former-versions.ts";
import type { ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import { beginPurge, type Purge } from "./purge.ts";
import { type DocumentFacts, type IncomingChunk, replaceDocument, vectorsOf } from "./replace-document.ts";
import { readReceipt } from "./scope-change.ts";
import { analyzerSetting, createSegmentCore, type SegmentCore } from "./segment-core.ts";
import type { ChunkRow, DirectoryReader, DocumentRow } from "./segment-directory.ts";
import { toHex } from "./create-secret.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** Chunks of a state of the past, at most: they are held in memory beside the store. **Source** decision 210. */
export const mostPastChunks = 100_000;

/** States that are kept. The one that was asked for longest ago goes first. */
const keptStates = 2;

/** A document as it was. */
interface PastDocument {
  readonly facts: DocumentFacts;
  readonly ingestedAt: string;
  readonly chunks: readonly IncomingChunk[];
}

/** A state of the past: the same for every time from `from` on, and before `until`, which is when it was made at the latest. */
interface PastState {
  from: number;
  until: number;
  readonly core: SegmentCore;
  readonly parts: StoreParts;
  /** The life of each scope that is built, when it was built: another one has lost something for good. */
  readonly lives: Map<Scope, string>;
  chunks: number;
}

/** Makes the history of a segment store. `partsOf` makes the parts of a state. */
export function createPast(
  core: SegmentCore,
  purge: Purge,
  partsOf: (core: SegmentCore) => StoreParts,
): History<Checked, StoreParts> {
  const { look, write, view, options } = core;
  const states: PastState[] = [];
  let building: Promise<unknown> = Promise.resolve();

  async function newState(): Promise<PastState> {
    const { corpusModel } = options;
    const past = createSegmentCore(createMemoryDirectory(), {
      ...options,
      // A model fitted in the past is not kept: words and forms are the same at any time.
      corpusModel: corpusModel && { ...corpusModel, leastChunks: Infinity },
    });
    await past.write((rows) => {
      rows.setSetting("secret", toHex(options.secret));
      rows.setSetting(analyzerSetting, termsFingerprint(options.analyzer));
    });
    return { from: -Infinity, until: options.now(), core: past, parts: partsOf(past), lives: new Map(), chunks: 0 };
  }

  const receiptsOf = (scopes: Iterable<Scope>): Promise<ReadonlyMap<Scope, string>> =>
    look((rows) => new Map(Array.from(scopes, (scope) => [scope, readReceipt(rows, scope).life])));

  /** The state for a time, where one is kept. A state with something that was purged since is dropped. */
  async function findState(time: number): Promise<PastState | undefined> {
    for (const state of states.slice()) {
      const lives = await receiptsOf(state.lives.keys());
      if ([...state.lives].some(([scope, life]) => lives.get(scope) !== life)) states.splice(states.indexOf(state), 1);
    }
    return states.find(({ from, until }) => from <= time && time < until);
  }

  async function addScope(
    state: PastState,
    scope: Scope,
    time: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { ids, events, life } = await look((rows) => ({
      ...listPast(rows, scope, time),
      life: readReceipt(rows, scope).life,
    }));
    const narrow = (event: number): void => {
      if (event <= time) state.from = Math.max(state.from, event);
      else state.until = Math.min(state.until, event);
    };
    events.forEach(narrow);
    for (const id of ids) {
      throwIfAborted(signal, "The search");
      await giveTurn();
      const found = await look((rows) => {
        const held = view.scope(rows, scope);
        return held && readPast(rows, core, held, id, time, narrow);
      });
      if (found === undefined) continue;
      state.chunks += found.chunks.length;
      if (state.chunks > mostPastChunks) {
        throw new IbidError("too-large", `The past of ${scope} has more than ${mostPastChunks} chunks.`, {
          hint: "Search fewer scopes as of a time, or the present.",
          details: { limit: mostPastChunks },
        });
      }
      await state.core.change(scope, (change) =>
        replaceDocument(change, found.facts, found.chunks, () => false, found.ingestedAt),
      );
    }
    await state.core.tidy(scope);
    state.lives.set(scope, life);
  }

  async function stateAt(scopes: readonly Scope[], time: number, signal: AbortSignal | undefined): Promise<PastState> {
    throwIfAborted(signal, "The search");
    await look((rows) => checkTime(rows, scopes, time));
    const known = await findState(time);
    const missing = scopes.filter((scope) => known?.lives.has(scope) !== true);
    if (known !== undefined && missing.length === 0) {
      states.push(...states.splice(states.indexOf(known), 1));
      return known;
    }
    // A state that others search is not filled beyond the limit for one more scope.
    const state = known !== undefined && known.chunks < mostPastChunks / 2 ? known : await newState();
    if (state === known) states.splice(states.indexOf(state), 1);
    for (const scope of state === known ? missing : scopes) await addScope(state, scope, time, signal);
    states.push(state);
    if (states.length > keptStates) states.shift();
    return state;
  }

  return {
    async keep(wanted) {
      if ((await look(keepsHistory)) === wanted) return;
      if (wanted) {
        await write((rows) => {
          beginHistory(rows, options.now());
          rows.setStamp(rows.stamp() + 1);
        });
        return;
      }
      await write((rows) => {
        beginPurge(rows);
        endHistory(rows);
        rows.setStamp(rows.stamp() + 1);
      });
      states.length = 0;
      await purge.resume();
    },

    at(scopes, time, { signal } = {}) {
      const next = building.then(async () => (await stateAt(scopes, Math.min(time, options.now()), signal)).parts);
      building = next.catch(() => {});
      return next;
    },

    async versions([scope], id) {
      return look((rows) => {
        checkHistory(rows);
        const held = scope && rows.scope(scope);
        return held === undefined ? [] : listVersions(rows, held.key, id);
      });
    },

    async version([scope], id, time) {
      return look((rows) => {
        checkTime(rows, [scope!], time);
        const held = view.scope(rows, scope!);
        const found = held && readPast(rows, core, held, id, Math.min(time, options.now()), () => {});
        return found && { ...found.facts, chunks: found.chunks.map(toEntry) };
      });
    },
  };
}

/** A chunk with its given vectors; the store makes its own anew. */
const toEntry = ({ chunk, vectors }: IncomingChunk): ChunkEntry => ({
  chunk,
  embeddings: vectors
    .filter(({ version }) => !isOwnVersion(version))
    .map((vector) => ({ version: parseVersionKey(vector.version), embedding: toEmbedding(vector) })),
});

function listVersions(rows: DirectoryReader, scope: number, id: string): readonly DocumentVersion[] {
  const versions: DocumentVersion[] = [];
  const add = (row: DocumentRow, chunks: readonly Pick<ChunkRow, "deletedAt">[], to: number | null): void => {
    const { title, bytes, contentHash, ingestedAt: from } = row;
    const until = to === null ? {} : { to: new Date(to).toISOString() };
    // All chunks of a deleted document are deleted.
    const stood = row.deletedAt === null ? chunks.filter(({ deletedAt }) => deletedAt === null) : chunks;
    versions.push({ from, ...until, title, chunks: stood.length, bytes, contentHash });
  };
  const row = rows.documentById(scope, id);
  if (row !== undefined) add(row, rows.chunksOfDocument(scope, id), row.deletedAt);
  for (const { to, data } of rows.formersOf(scope, id)) {
    const content = decodeFormer(data);
    if ("chunks" in content) add(content.row, content.chunks, to);
  }
  return versions.toSorted((a, b) => (a.from < b.from ? 1 : a.from > b.from ? -1 : 0));
}

/** **Errors** `unsupported`. */
function checkHistory(rows: DirectoryReader): void {
  if (keepsHistory(rows)) return;
  throw new IbidError("unsupported", "This knowledge base keeps no former versions, so it has no past to search.", {
    hint: "Open it with history: true, or ingest with --history. Versions are kept from then on.",
  });
}

/** **Errors** `unsupported`, `not-found`. */
function checkTime(rows: DirectoryReader, scopes: readonly Scope[], time: number): void {
  checkHistory(rows);
  for (const scope of scopes) {
    const held = rows.scope(scope);
    const since = historySince(rows, held?.key ?? 0)!;
    if (time >= since) continue;
    throw new IbidError(
      "not-found",
      `The past of ${scope} begins at ${new Date(since).toISOString()}; asOf is ${new Date(time).toISOString()}.`,
      { hint: "Give a later time. A vacuum removes what ended before it.", details: { scope, since } },
    );
  }
}

/** Documents that may have stood at a time, and the times at which the scope changed. */
function listPast(
  rows: DirectoryReader,
  scope: Scope,
  time: number,
): { readonly ids: ReadonlySet<string>; readonly events: readonly number[] } {
  const ids = new Set<string>();
  const events: number[] = [];
  const held = rows.scope(scope);
  if (held === undefined) return { ids, events };
  const all = Number.MAX_SAFE_INTEGER;
  for (const row of [...rows.documentsAfter(held.key, "", "", all), ...rows.deletedDocuments(held.key, all)]) {
    const [from, to] = [timeOf(row), row.deletedAt];
    events.push(from, ...(to === null ? [] : [to]));
    if (from <= time && (to === null || time < to)) ids.add(row.id);
  }
  for (const { documentId, from, to } of rows.formers(held.key)) {
    events.push(from, to);
    if (from <= time && time < to) ids.add(documentId);
  }
  return { ids, events };
}

/** A document as it stood at a time. `narrow` hears the times at which it changed. */
function readPast(
  rows: DirectoryReader,
  core: SegmentCore,
  held: ScopeView,
  id: string,
  time: number,
  narrow: (event: number) => void,
): PastDocument | undefined {
  const hidden = new Set<string>();
  let version: Extract<FormerContent, { readonly row: DocumentRow }> | undefined;
  for (const { from, to, data } of rows.formersOf(held.row.key, id)) {
    if (from > time || time >= to) continue;
    const content = decodeFormer(data);
    if (!("documentSince" in content)) {
      version = content;
      continue;
    }
    for (const [chunk, since] of content.chunksSince) {
      narrow(since);
      if (since <= time) hidden.add(chunk);
    }
    if (content.documentSince !== null && content.documentSince <= time) return undefined;
  }
  const row = version?.row ?? rows.documentById(held.row.key, id);
  if (row === undefined || timeOf(row) > time) return undefined;
  // A version that was deleted and replaced later ended with its deletion.
  if (version === undefined && row.deletedAt !== null && row.deletedAt <= time) return undefined;
  const body = version?.body ?? rows.documentBody(row.key);
  const reader = createChunkReader(rows, { text: () => body.text }, new Map([[row.key, row]]));
  const stood = ({ id: chunk, deletedAt }: Pick<ChunkRow, "id" | "deletedAt">): boolean => {
    if (deletedAt !== null) narrow(deletedAt);
    return !hidden.has(chunk) && (deletedAt === null || time < deletedAt);
  };
  const chunks: IncomingChunk[] = [];
  const add = (chunk: ChunkRow, vectors: IncomingChunk["vectors"]): void => {
    const read = reader.chunk({ ...chunk, document: row.key });
    let terms: ChunkTerms | undefined;
    chunks.push({ chunk: read, vectors, terms: () => (terms ??= analyzeChunk(core.options.analyzer, read)) });
  };
  if (version === undefined) {
    for (const chunk of rows.chunksOfDocument(held.row.key, id))
      if (stood(chunk)) add(chunk, vectorsOf({ before: held }, chunk));
  } else {
    for (const { vectors, ...chunk } of version.chunks) {
      if (!stood(chunk)) continue;
      add({ ...chunk, scope: held.row.key, document: row.key, documentId: id, textKey: "" }, decodeVectors(vectors));
    }
  }
  const document = toDocument(row, body);
  return { facts: factsOf(row, document), ingestedAt: row.ingestedAt, chunks };
}

function factsOf(row: DocumentRow, document: DocumentFacts["document"]): DocumentFacts {
  const { contentHash, metadataHash, fingerprint, bytes, folder, etag, lastModified } = row;
  const { readers, validFrom, validTo, supersedes } = row;
  return {
    document,
    contentHash,
    metadataHash,
    fingerprint,
    bytes,
    folder,
    ...((etag !== null || lastModified !== null) && {
      validators: { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) },
    }),
    ...(readers !== null && { readers: parseStored(readers) as readonly string[] }),
    ...(validFrom !== null && { validFrom }),
    ...(validTo !== null && { validTo }),
    ...(supersedes !== null && { supersedes }),
  };
}
