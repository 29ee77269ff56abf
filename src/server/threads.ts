import type { BlobStore } from "../contracts/blob-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Replaced } from "../contracts/retriever.ts";
import { sha256 } from "../runtime/hash.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { given } from "./given.ts";
import { ownerOf } from "./jobs/job.ts";
import { readEnd } from "./note-routes.ts";
import { Refusal } from "./refusal.ts";
import type { Caller } from "./route.ts";
import { maxTurns, type StoredThread, type StoredTurn } from "./thread-schemas.ts";

/** A thread of a list. */
export interface ThreadSummary {
  readonly id: string;
  readonly title: string;
  readonly updatedAt: string;
  readonly turns: number;
}

/** The owner of a thread. */
type Owner = Pick<Caller, "name" | "access">;

/** Threads of questions and answers: the one place where a service keeps a question. */
export interface Threads {
  /** The caller's own, latest first. Those older than the retention are removed. */
  list(caller: Owner): Promise<readonly ThreadSummary[]>;
  /** A thread as a caller may see it: a sentence goes without its text when one of its places may not be read. */
  read(id: string, caller: Owner, kb: KnowledgeBase): Promise<object | undefined>;
  /** Keeps a thread. A place gets the hashes of its document and of its words, so that a later reader learns whether they have changed since. */
  write(id: string, caller: Owner, thread: Pick<StoredThread, "title" | "turns">, kb: KnowledgeBase): Promise<void>;
  /**
   * Adds turns behind those that are kept. These stay as they are: their owner may have seen them without sentences that are withheld at the moment.
   * **Shape** false without such a thread. **Errors** 413 where the thread has no room; 503 where others write to it all the time.
   */
  add(
    id: string,
    caller: Owner,
    turns: readonly StoredTurn[],
    title: string | undefined,
    kb: KnowledgeBase,
  ): Promise<boolean>;
  /** Gives a thread another title. Its age stays. **Shape** false without such a thread. */
  rename(id: string, caller: Owner, title: string): Promise<boolean>;
  remove(id: string, caller: Owner): Promise<boolean>;
  /** Removes sentences that rest on documents that were purged, and the names of these; a thread that cannot be written goes as a whole. **Cost** reads every thread. */
  forget(documentIds: readonly string[]): Promise<void>;
}

const dayMs = 86_400_000;

/** The part of an id that stands for its owner. Two people may have one name, so their users count too. */
const prefixOf = (caller: Owner): string => sha256(`thread of ${ownerOf(caller)}`).slice(0, 16);
/** The same part in ids of an earlier version, which knew a name alone. */
const formerPrefixOf = ({ name }: Owner): string => sha256(`thread of ${name}`).slice(0, 16);
const idPattern = /^[0-9a-f]{16}\.[\w-]{8,64}$/u;

const toBytes = (thread: StoredThread): Uint8Array => new TextEncoder().encode(JSON.stringify(thread));

export function createThreads(files: BlobStore, retentionDays: number): Threads {
  const keyOf = (id: string): string => `threads/${id}.json`;
  async function load(key: string): Promise<StoredThread | undefined> {
    const kept = await files.get(key);
    return kept === undefined ? undefined : (JSON.parse(new TextDecoder().decode(kept.bytes)) as StoredThread);
  }
  async function* keysOf(...prefixes: readonly string[]): AsyncGenerator<string> {
    for (const prefix of prefixes) for await (const { key } of files.list({ prefix: `threads/${prefix}.` })) yield key;
  }
  const save = async (id: string, thread: StoredThread): Promise<unknown> => files.put(keyOf(id), toBytes(thread));
  const isOld = ({ updatedAt }: StoredThread): boolean => Date.parse(updatedAt) < platformNow() - retentionDays * dayMs;
  const isOwnedBy = (id: string, thread: StoredThread | undefined, caller: Owner): boolean =>
    id.startsWith(`${prefixOf(caller)}.`) ||
    (thread !== undefined &&
      id.startsWith(`${formerPrefixOf(caller)}.`) &&
      (thread.owner ?? ownerOf(caller)) === ownerOf(caller));
  const checkOwner = async (id: string, caller: Owner): Promise<StoredThread | undefined> => {
    const thread = idPattern.test(id) ? await load(keyOf(id)) : undefined;
    if (idPattern.test(id) && isOwnedBy(id, thread, caller)) return thread;
    throw new Refusal(404, "not-found", "There is no thread of yours with this id.", { hint: "See GET /threads." });
  };

  return {
    async list(caller) {
      const found: ThreadSummary[] = [];
      for await (const key of keysOf(prefixOf(caller), formerPrefixOf(caller))) {
        const id = key.slice("threads/".length, -".json".length);
        const thread = await load(key);
        if (thread === undefined || !isOwnedBy(id, thread, caller)) continue;
        if (isOld(thread)) {
          await files.delete(key);
          continue;
        }
        const { title, updatedAt, turns } = thread;
        found.push({ id, title, updatedAt, turns: turns.length });
      }
      return found.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
    },

    async read(id, caller, kb) {
      if (!idPattern.test(id)) return undefined;
      const thread = await load(keyOf(id));
      if (thread === undefined || isOld(thread)) return undefined;
      const isOwn = isOwnedBy(id, thread, caller);
      const read = createPlaceReader(kb);
      const turns = await Promise.all(thread.turns.map((turn) => showTurn(turn, read, isOwn)));
      // A thread of which nothing may be read looks like one that never was.
      if (!isOwn && turns.every(({ sentences }) => sentences.every(({ withheld }) => withheld === true)))
        return undefined;
      return {
        id,
        title: isOwn ? thread.title : (thread.turns[0]?.question ?? ""),
        updatedAt: thread.updatedAt,
        own: isOwn,
        turns,
      };
    },

    async write(id, caller, thread, kb) {
      const before = (await checkOwner(id, caller))?.turns ?? [];
      const turns = await Promise.all(thread.turns.map((turn, index) => withHashes(turn, before[index], kb)));
      await save(id, {
        ...thread,
        turns,
        owner: ownerOf(caller),
        updatedAt: new Date(platformNow()).toISOString(),
      });
    },

    async add(id, caller, added, title, kb) {
      const turns = await Promise.all(added.map((turn) => withHashes(turn, undefined, kb)));
      for (let tries = 0; tries < 10; tries += 1) {
        const thread = await checkOwner(id, caller);
        const kept = await files.get(keyOf(id));
        if (thread === undefined || kept === undefined) return false;
        const before = JSON.parse(new TextDecoder().decode(kept.bytes)) as StoredThread;
        if (before.turns.length + turns.length > maxTurns)
          throw new Refusal(413, "too-large", `The thread has ${before.turns.length} turns of at most ${maxTurns}.`, {
            hint: "Begin a new thread with POST /threads.",
          });
        const changed: StoredThread = {
          ...before,
          ...given({ title }),
          turns: [...before.turns, ...turns],
          owner: ownerOf(caller),
          updatedAt: new Date(platformNow()).toISOString(),
        };
        const { status } = await files.put(keyOf(id), toBytes(changed), { ifMatch: kept.etag });
        if (status === "written") return true;
      }
      throw new Refusal(503, "busy", "Other requests change this thread all the time.", { hint: "Try it again." });
    },

    async rename(id, caller, title) {
      const thread = await checkOwner(id, caller);
      if (thread === undefined) return false;
      await save(id, { ...thread, title });
      return true;
    },

    async remove(id, caller) {
      if ((await checkOwner(id, caller)) === undefined) return false;
      await files.delete(keyOf(id));
      return true;
    },

    async forget(documentIds) {
      const gone = new Set(documentIds);
      for await (const { key } of files.list({ prefix: "threads/" })) {
        const thread = await load(key);
        const isGone = ({ documentId }: { readonly documentId: string }): boolean => gone.has(documentId);
        // A sentence without a place may hold words of any document that the model was given.
        const rests = ({ sources = [] }: StoredTurn, { places }: StoredTurn["sentences"][number]): boolean =>
          places.length === 0 ? sources.some(isGone) : places.some(isGone);
        const isTouched = (turn: StoredTurn): boolean =>
          turn.sources?.some(isGone) === true ||
          turn.limits?.documents?.some(isGone) === true ||
          turn.sentences.some((each) => rests(turn, each));
        if (thread === undefined || !thread.turns.some(isTouched)) continue;
        const turns = thread.turns.map(({ sources, limits, ...turn }) => ({
          ...turn,
          ...given({
            sources: sources?.filter((source) => !isGone(source)),
            limits: limits && {
              ...limits,
              ...given({ documents: limits.documents?.filter((each) => !isGone(each)) }),
            },
          }),
          sentences: turn.sentences.filter((each) => !rests({ sources, ...turn }, each)),
        }));
        // A full disk takes no rewritten thread. The words of a purged document go before the rest of a thread stays.
        await save(key.slice("threads/".length, -".json".length), { ...thread, turns }).catch(() => files.delete(key));
      }
    },
  };
}

/** The id of a new thread of a caller. */
export function threadId(caller: Owner, name: string): string {
  return `${prefixOf(caller)}.${name}`;
}

type Place = StoredTurn["sentences"][number]["places"][number];
type Source = NonNullable<StoredTurn["sources"]>[number];
interface FoundPlace {
  readonly quote: string;
  readonly title: string;
  readonly rootLabel?: string;
  readonly path?: string;
  readonly replaced?: Replaced;
  readonly changed?: true;
  readonly gone?: true;
}
type ReadPlace = (place: Place) => Promise<FoundPlace | undefined>;

const hashQuote = (contentHash: string, quote: string): string => sha256(`quote of ${contentHash} ${quote}`);

/** Quotations are read again from their documents, by what this caller may read. Other words at the place of a quotation are not shown as one. */
function createPlaceReader(kb: KnowledgeBase): ReadPlace {
  return async ({ uri, scope, start, end, documentId, contentHash, quoteHash }) => {
    const document = await kb.document(uri, { ...given({ scope }), start, end }).catch(() => undefined);
    if (document === undefined || document.id !== documentId) return undefined;
    const isChanged = contentHash !== undefined && document.contentHash !== contentHash;
    const isGone = isChanged && quoteHash !== undefined && hashQuote(contentHash, document.text) !== quoteHash;
    const ended = await readEnd(kb, document);
    return {
      quote: isGone ? "" : document.text,
      title: document.title,
      ...given({ rootLabel: document.rootLabel, path: document.path }),
      ...ended,
      ...(isChanged && { changed: true as const }),
      ...(isGone && { gone: true as const }),
    };
  };
}

/** The places of a turn with the hashes of their documents and words: as they were kept before, else as the documents are now. */
async function withHashes(turn: StoredTurn, before: StoredTurn | undefined, kb: KnowledgeBase): Promise<StoredTurn> {
  const keyOf = ({ documentId, start, end }: Place): string => `${documentId} ${start} ${end}`;
  const kept = before?.question === turn.question ? before.sentences.flatMap(({ places }) => places) : [];
  const known = new Map(kept.map(({ contentHash, quoteHash, ...place }) => [keyOf(place), { contentHash, quoteHash }]));
  const sentences = await Promise.all(
    turn.sentences.map(async (sentence) => ({
      ...sentence,
      places: await Promise.all(
        sentence.places.map(async (place) => ({
          ...place,
          ...(known.get(keyOf(place)) ?? (await readHashes(kb, place))),
        })),
      ),
    })),
  );
  return { ...turn, sentences };
}

/** **Shape** no hash of the words where the document is not the cited one any more. */
async function readHashes(
  kb: KnowledgeBase,
  { uri, scope, start, end, contentHash }: Place,
): Promise<Pick<Place, "contentHash" | "quoteHash">> {
  const document = await kb.document(uri, { ...given({ scope }), start, end }).catch(() => undefined);
  const isCited = document?.contentHash !== undefined && (contentHash ?? document.contentHash) === document.contentHash;
  if (!isCited) return { contentHash, quoteHash: undefined };
  return { contentHash: document.contentHash, quoteHash: hashQuote(document.contentHash, document.text) };
}

/** A sentence without a place needs the right to read all that the model was given. Without a list of it, its owner alone sees the sentence. */
async function showTurn({ sources, limits, ...turn }: StoredTurn, read: ReadPlace, isOwn: boolean) {
  const readBegin = (source: Source): Promise<FoundPlace | undefined> =>
    read({ ...source, marker: "", start: 0, end: 0 });
  const seen = await Promise.all((sources ?? []).map(readBegin));
  const mayReadAll = sources === undefined ? isOwn : seen.every((found) => found !== undefined);
  const sentences = await Promise.all(
    turn.sentences.map(async ({ places, ...sentence }) => {
      const shown = await Promise.all(places.map(async (place) => ({ place, found: await read(place) })));
      const isHidden = places.length === 0 ? !mayReadAll : shown.some(({ found }) => found === undefined);
      if (isHidden) return { withheld: true as const, places: [] };
      return {
        // A sentence that is a quotation keeps no text of its own.
        text: sentence.text ?? shown.map(({ found }) => found!.quote).join(" "),
        ...given({ verdict: sentence.verdict, gap: sentence.gap }),
        places: shown.map(({ place, found }) => ({ ...place, ...found })),
      };
    }),
  );
  // Limits name folders and documents, which others may not read.
  const shownLimits = isOwn ? limits && (await showLimits(limits, readBegin)) : undefined;
  return { ...turn, ...given({ sources: mayReadAll ? sources : undefined, limits: shownLimits }), sentences };
}

async function showLimits(
  { documents, ...limits }: NonNullable<StoredTurn["limits"]>,
  readBegin: (source: Source) => Promise<FoundPlace | undefined>,
): Promise<StoredTurn["limits"]> {
  const found = await Promise.all((documents ?? []).map(readBegin));
  return { ...limits, ...given({ documents: documents?.filter((_, index) => found[index] !== undefined) }) };
}
