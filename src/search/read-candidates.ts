import type { Chunk } from "../contracts/chunk.ts";
import {
  type Embedding,
  type EmbeddingVersion,
  kindOf,
  type VersionedEmbedding,
  versionKey,
} from "../contracts/embedding.ts";
import type { ChunkRef, ReadChunk, Restriction } from "../contracts/leg.ts";
import type { HitCopies, HitCopy } from "../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { textKey } from "../text/text-key.ts";
import { chunkStructure } from "../text/chunk-structure.ts";
import { type Candidate, chunkKey, type FusedChunk, type ReadPlaces } from "./candidate.ts";
import type { Standing, TouchingGroups } from "./join-touching.ts";
import {
  type Found,
  type SearchableStore,
  type SearchedSession,
  searchSession,
  type SessionSearch,
} from "./search-session.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { mayBeginAhead } from "../runtime/begin-ahead.ts";
import { isLate, type Maybe, runAtOnce, runWaits, wait, type Waits } from "../runtime/waits.ts";

/** Sessions that lose to commits before the search runs in one transaction. */
const mostLost = 2;

/** Sessions that one search opens at most, over a store that has no transactions for searches. After three, a slow machine still lost documents that were replaced again and again. */
const mostSessions = 8;

/** When copies leave too few, so many times more are looked for. */
const growth = 4;

/** Places of copies that a hit names. */
const mostPlaces = 10;

export interface ReadingSearch extends SessionSearch {
  /** How many candidates are read, best first; of copies the first. At most `wanted`. */
  readonly shown: number | "all";
  /** Groups candidates that touch; then `shown` counts groups. Absent: each candidate counts. */
  readonly group?: ((most: number | "all") => TouchingGroups<Standing>) | undefined;
  /** Whether to count the chunks of their documents. */
  readonly totals: boolean;
  /** Whose vectors to hand out, where the query itself has none. */
  readonly version: EmbeddingVersion | undefined;
}

/**
 * Keys first: searches, fuses, and reads the chunks of the best alone. When the store changes meanwhile it searches again, in a new session. After a few
 * it searches and reads in one transaction. Over a store that cannot, the last session drops chunks that are gone.
 *
 * **Shape** chunks with the same text are one candidate, the first of the ranking, unless the plan asks for all of them.
 * **Cost** as many chunks as are shown, and with `group` the first one that is not. Copies among them cost the reads that fill their places, and one deeper search or more.
 */
export async function searchAndRead(
  store: SearchableStore,
  scopes: AuthorizedScopes,
  search: ReadingSearch,
): Promise<FoundAndRead> {
  const { plan, signal } = search;
  const after = plan.after === undefined ? undefined : [plan.after].flat();
  let before: ReadonlyMap<string, string> = new Map();
  for (let sessions = 1; ; sessions++) {
    const { atMostMs, consistency } = plan;
    const asked = { signal, after, atMostMs, consistency };
    // A session that begins anew has lost to a commit: the next one waits for the newest state.
    const session = await store.session(scopes, sessions === 1 ? mayBeginAhead(asked) : asked);
    if (sessions > mostLost) {
      const whole = await session.atOnce?.((now) => runAtOnce(searchOnce(now, scopes, search)));
      if (whole !== undefined) return whole;
    }
    const once = await runWaits(searchOnce(session, scopes, search, before));
    const { chunks } = once;
    // Metadata changes without a new revision.
    const hasChanged = once.found.stale || once.hasLost || [...chunks.values()].some((chunk) => chunk?.stale);
    if (!hasChanged || sessions === mostSessions) return once;
    before = new Map([...chunks].flatMap(([key, one]) => (one === undefined ? [] : [[key, one.chunk.text] as const])));
  }
}

interface FoundAndRead {
  readonly found: Found;
  readonly read: readonly Candidate[];
}

/** One search of one session. */
function* searchOnce(
  session: SearchedSession,
  scopes: AuthorizedScopes,
  search: ReadingSearch,
  before: ReadonlyMap<string, string> = new Map(),
): Waits<FoundAndRead & { readonly hasLost: boolean; readonly chunks: ChunkCache }> {
  const chunks: ChunkCache = new Map();
  const readOnce = readerOf(session, search, chunks);
  // Chunks of equal scores are mostly those that are shown. Where there are more, their places alone are read.
  const readPlaces: ReadPlaces = (refs) =>
    search.shown !== "all" && refs.length > search.shown ? session.readChunks(refs) : readOnce(refs);
  let { wanted } = search;
  let found = yield* searchSession(session, search, readPlaces);
  let reading = yield* readBest(readOnce, search, certainOf(found, wanted, scopes), chunks, before);
  while (isShort(reading, found, wanted)) {
    wanted = wanted === "all" ? wanted : wanted * growth;
    found = yield* searchSession(session, { ...search, wanted }, readPlaces);
    reading = yield* readBest(readOnce, search, certainOf(found, wanted, scopes), chunks, before);
  }
  return { found, read: reading.read, hasLost: reading.hasLost, chunks };
}

/** Chunks that a session has read; `undefined` for one that is gone. */
type ChunkCache = Map<string, ReadChunk | undefined>;

/** Reads chunks with all that is shown of them, each once in a session. */
type ReadOnce = (refs: readonly ChunkRef[]) => Maybe<readonly (ReadChunk | undefined)[]>;

function readerOf(session: SearchedSession, { plan, totals }: ReadingSearch, chunks: ChunkCache): ReadOnce {
  const parts = { embeddings: plan.includeEmbeddings, totals, copies: plan.copies === "first" };
  return (refs) => {
    const unread = refs.filter((ref) => !chunks.has(chunkKey(ref)));
    const keep = (read: readonly (ReadChunk | undefined)[]): readonly (ReadChunk | undefined)[] => {
      unread.forEach((ref, i) => chunks.set(chunkKey(ref), read[i]));
      return refs.map((ref) => chunks.get(chunkKey(ref)));
    };
    const read = unread.length === 0 ? [] : session.readChunks(unread, parts);
    return isLate(read) ? read.then(keep) : keep(read);
  };
}

/** The candidates whose order is certain: those that were wanted. */
function certainOf({ candidates }: Found, wanted: number | "all", { scopes }: AuthorizedScopes): readonly FusedChunk[] {
  const readable = candidates.filter(({ scope }) => scopes.includes(scope));
  return wanted === "all" ? readable : readable.slice(0, wanted);
}

interface Reading {
  readonly read: readonly Candidate[];
  /** Some candidate was gone or had changed. */
  readonly hasLost: boolean;
  /** Nothing more is shown, whatever further candidates there are. */
  readonly isFull: boolean;
}

function isShort({ isFull, hasLost }: Reading, found: Found, wanted: number | "all"): boolean {
  return wanted !== "all" && !isFull && !hasLost && found.candidates.length >= wanted;
}

/** Reads candidates until `shown` of them, or of their groups, have different texts. */
function* readBest(
  readOnce: ReadOnce,
  search: ReadingSearch,
  candidates: readonly FusedChunk[],
  chunks: ChunkCache,
  before: ReadonlyMap<string, string>,
): Waits<Reading> {
  const { plan, restriction, shown, signal } = search;
  const folds = plan.copies === "first";
  const most = shown === "all" ? Infinity : shown;
  const touching = search.group?.(shown);
  const kept: { readonly candidate: Candidate; readonly copies: Map<string, HitCopy> }[] = [];
  /** Copies of the kept chunks, by text: for a store that names none. */
  const byText = new Map<string, Map<string, HitCopy>>();
  /** Chunks that the store named as copies of kept ones. */
  const copied = new Set<string>();
  let hasLost = false;
  let isFull = false;
  for (let at = 0; !isFull && at < candidates.length;) {
    const room = touching?.room() ?? most - kept.length;
    const batch: FusedChunk[] = [];
    for (; batch.length < room && at < candidates.length; at++) {
      const candidate = candidates[at]!;
      if (!copied.has(chunkKey(candidate))) batch.push(candidate);
    }
    throwIfAborted(signal, "The search");
    yield* wait(readOnce(batch));
    for (const candidate of batch) {
      const key = chunkKey(candidate);
      const one = chunks.get(key);
      // A row that is written again has another revision. Where its text was the same before this session, the legs scored that text.
      const isSame = one !== undefined && (one.revision === candidate.revision || before.get(key) === one.chunk.text);
      if (!isSame || !mayBeShown(one.chunk, restriction)) {
        hasLost = true;
        continue;
      }
      if (copied.has(key)) continue;
      const { chunk, language, total, rootLabel, path, embeddings = [] } = one;
      const copies = new Map<string, HitCopy>();
      if (one.copies !== undefined) {
        for (const copy of one.copies) {
          if (restriction?.admits(copy) === false) continue;
          const { scope, documentId, id, uri, start, end } = copy;
          copied.add(chunkKey(copy));
          copies.set(chunkKey(copy), { scope, documentId, chunkId: id, uri, start, end });
        }
      } else if (folds) {
        const text = textKey(chunk.urtext);
        const first = byText.get(text);
        if (first !== undefined) {
          const { scope } = candidate;
          const { id, documentId, uri, start, end } = chunk;
          first.set(key, { scope, documentId, chunkId: id, uri, start, end });
          continue;
        }
        byText.set(text, copies);
      }
      isFull = touching?.take(standingOf(candidate.scope, chunk)) === false;
      if (isFull) break;
      const embedding = chooseEmbedding(candidate, embeddings, search);
      kept.push({ candidate: { ...candidate, chunk, language, total, rootLabel, path, embedding }, copies });
    }
    isFull ||= touching === undefined && kept.length >= most;
  }
  const read = kept.map(({ candidate, copies }) => ({ ...candidate, copies: copiesOf(copies) }));
  return { read, hasLost, isFull };
}

function standingOf(scope: Scope, chunk: Chunk): Standing {
  const { documentId, origin } = chunk;
  return { scope, documentId, origin, structure: chunkStructure(chunk), source: chunk };
}

function copiesOf(copies: ReadonlyMap<string, HitCopy>): HitCopies | undefined {
  if (copies.size === 0) return undefined;
  const inOrder = [...copies.values()].sort(
    (a, b) =>
      compareCodePoints(a.uri, b.uri) ||
      a.start - b.start ||
      compareCodePoints(a.scope, b.scope) ||
      compareCodePoints(a.chunkId, b.chunkId),
  );
  return { count: copies.size, places: inOrder.slice(0, mostPlaces) };
}

/** Legs restrict before they rank; whatever one lets through against that, or has changed since, is stopped here. */
function mayBeShown(chunk: Chunk, restriction: Restriction | undefined): boolean {
  return restriction === undefined || restriction.admits(chunk);
}

/** The vector that the chunk is searched by; without an embedding model, its first. */
function chooseEmbedding(
  { scope }: FusedChunk,
  embeddings: readonly VersionedEmbedding[],
  { query, version }: ReadingSearch,
): Embedding | undefined {
  const asked = query.embeddings.find(({ scopes }) => scopes.includes(scope));
  const key = asked?.version ?? version;
  if (key === undefined) return embeddings[0]?.embedding;
  return embeddings.find(
    (one) =>
      versionKey(one.version) === versionKey(key) &&
      (asked === undefined || kindOf(one.embedding) === kindOf(asked.embedding)),
  )?.embedding;
}
