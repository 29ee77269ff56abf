import type { BlobStore } from "../contracts/blob-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { sha256 } from "../runtime/hash.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { given } from "./given.ts";
import { Refusal } from "./refusal.ts";
import type { StoredThread, StoredTurn } from "./thread-schemas.ts";

/** A thread of a list. */
export interface ThreadSummary {
  readonly id: string;
  readonly title: string;
  readonly updatedAt: string;
  readonly turns: number;
}

/** Threads of questions and answers: the one place where a service keeps a question. */
export interface Threads {
  /** The caller's own, latest first. Those older than the retention are removed. */
  list(caller: string): Promise<readonly ThreadSummary[]>;
  /** A thread as a caller may see it: a sentence goes without its text when one of its places may not be read. */
  read(id: string, caller: string, kb: KnowledgeBase): Promise<object | undefined>;
  write(id: string, caller: string, thread: Pick<StoredThread, "title" | "turns">): Promise<void>;
  remove(id: string, caller: string): Promise<boolean>;
  /** Removes sentences that rest on documents that were purged. **Cost** reads every thread. */
  forget(documentIds: readonly string[]): Promise<void>;
}

const dayMs = 86_400_000;

/** The part of an id that names its owner, and nothing else about them. */
const ownerOf = (caller: string): string => sha256(`thread of ${caller}`).slice(0, 16);
const idPattern = /^[0-9a-f]{16}\.[\w-]{8,64}$/u;

export function createThreads(files: BlobStore, retentionDays: number): Threads {
  const keyOf = (id: string): string => `threads/${id}.json`;
  async function load(key: string): Promise<StoredThread | undefined> {
    const kept = await files.get(key);
    return kept === undefined ? undefined : (JSON.parse(new TextDecoder().decode(kept.bytes)) as StoredThread);
  }
  const save = (id: string, thread: StoredThread): Promise<unknown> =>
    files.put(keyOf(id), new TextEncoder().encode(JSON.stringify(thread)));
  const isOld = ({ updatedAt }: StoredThread): boolean => Date.parse(updatedAt) < platformNow() - retentionDays * dayMs;
  const checkOwner = (id: string, caller: string): void => {
    if (idPattern.test(id) && id.startsWith(`${ownerOf(caller)}.`)) return;
    throw new Refusal(404, "not-found", "There is no thread of yours with this id.", { hint: "See GET /threads." });
  };

  return {
    async list(caller) {
      const found: ThreadSummary[] = [];
      for await (const { key } of files.list({ prefix: keyOf(`${ownerOf(caller)}.`).slice(0, -".json".length) })) {
        const thread = await load(key);
        if (thread === undefined) continue;
        if (isOld(thread)) {
          await files.delete(key);
          continue;
        }
        const { title, updatedAt, turns } = thread;
        found.push({ id: key.slice("threads/".length, -".json".length), title, updatedAt, turns: turns.length });
      }
      return found.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
    },

    async read(id, caller, kb) {
      if (!idPattern.test(id)) return undefined;
      const thread = await load(keyOf(id));
      if (thread === undefined || isOld(thread)) return undefined;
      const isOwn = id.startsWith(`${ownerOf(caller)}.`);
      const read = createPlaceReader(kb);
      const turns = await Promise.all(thread.turns.map((turn) => showTurn(turn, read)));
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

    async write(id, caller, thread) {
      checkOwner(id, caller);
      await save(id, { ...thread, updatedAt: new Date(platformNow()).toISOString() });
    },

    async remove(id, caller) {
      checkOwner(id, caller);
      if ((await files.head(keyOf(id))) === undefined) return false;
      await files.delete(keyOf(id));
      return true;
    },

    async forget(documentIds) {
      const gone = new Set(documentIds);
      for await (const { key } of files.list({ prefix: "threads/" })) {
        const thread = await load(key);
        const rests = ({ places }: StoredTurn["sentences"][number]): boolean =>
          places.some(({ documentId }) => gone.has(documentId));
        if (thread === undefined || !thread.turns.some(({ sentences }) => sentences.some(rests))) continue;
        const turns = thread.turns.map((turn) => ({
          ...turn,
          sentences: turn.sentences.filter((each) => !rests(each)),
        }));
        await save(key.slice("threads/".length, -".json".length), { ...thread, turns });
      }
    },
  };
}

/** The id of a new thread of a caller. */
export function threadId(caller: string, name: string): string {
  return `${ownerOf(caller)}.${name}`;
}

type Place = StoredTurn["sentences"][number]["places"][number];
type ReadPlace = (
  place: Place,
) => Promise<{ readonly quote: string; readonly title: string; readonly changed?: true } | undefined>;

/** Quotations are read again from their documents, by what this caller may read. */
function createPlaceReader(kb: KnowledgeBase): ReadPlace {
  return async ({ uri, scope, start, end, documentId, contentHash }) => {
    const document = await kb.document(uri, { ...given({ scope }), start, end }).catch(() => undefined);
    if (document === undefined || document.id !== documentId) return undefined;
    const isChanged = contentHash !== undefined && document.contentHash !== contentHash;
    return { quote: document.text, title: document.title, ...(isChanged && { changed: true as const }) };
  };
}

async function showTurn(turn: StoredTurn, read: ReadPlace) {
  const sentences = await Promise.all(
    turn.sentences.map(async ({ places, ...sentence }) => {
      const shown = await Promise.all(places.map(async (place) => ({ place, found: await read(place) })));
      if (shown.some(({ found }) => found === undefined)) return { withheld: true as const, places: [] };
      return {
        // A sentence that is a quotation keeps no text of its own.
        text: sentence.text ?? shown.map(({ found }) => found!.quote).join(" "),
        ...given({ verdict: sentence.verdict, gap: sentence.gap }),
        places: shown.map(({ place, found }) => ({ ...place, ...found })),
      };
    }),
  );
  return { ...turn, sentences };
}
