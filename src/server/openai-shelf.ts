import type { BlobStore } from "../contracts/blob-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { ownerOf } from "./jobs/job.ts";
import { busy } from "./refusal.ts";
import type { Caller } from "./route.ts";

/** A file that was uploaded in OpenAI's shape. It is found by nobody until it is in a vector store. **Units** times in seconds. */
export interface UploadedFile {
  readonly id: string;
  /** Hash that stands for the caller. */
  readonly owner: string;
  readonly filename: string;
  readonly mediaType?: string;
  readonly bytes: number;
  readonly contentHash: string;
  readonly purpose: string;
  readonly createdAt: number;
  /** Milliseconds since 1970, greater than those of every earlier file of the process. Files of an earlier version have none. */
  readonly madeAt?: number;
  readonly expiresAt?: number;
  /** Whether it was put into a vector store: a purge of all its documents removes it then. */
  readonly isAttached?: true;
}

/** A vector store that was made in OpenAI's shape: the documents of a scope below its id. **Units** times in seconds. */
export interface MadeStore {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** As that of {@link UploadedFile}. */
  readonly madeAt?: number;
}

/** Uploaded files, and vector stores that were made by requests. */
export interface OpenAiShelf {
  /** Keeps a file. **Errors** 503 where all files together have more bytes than the service keeps. */
  addFile(
    caller: Caller,
    file: Pick<UploadedFile, "filename" | "mediaType" | "purpose" | "expiresAt">,
    bytes: Uint8Array,
  ): Promise<UploadedFile>;
  /** The caller's files, latest first; for operators all. */
  listFiles(caller: Caller): Promise<readonly UploadedFile[]>;
  /** `undefined` also for a file of another caller. */
  file(caller: Caller, id: string): Promise<UploadedFile | undefined>;
  bytes(id: string): Promise<Uint8Array | undefined>;
  /** Notes that a file is in a vector store. */
  attach(file: UploadedFile): Promise<void>;
  removeFile(id: string): Promise<void>;
  addStore(store: Pick<MadeStore, "name" | "scope" | "metadata">): Promise<MadeStore>;
  saveStore(store: MadeStore): Promise<void>;
  /** Stores whose scope the caller may write, or that have a document that the caller may read; latest first. */
  listStores(kb: KnowledgeBase): Promise<readonly MadeStore[]>;
  store(kb: KnowledgeBase, id: string): Promise<MadeStore | undefined>;
  removeStore(id: string): Promise<void>;
}

const filePattern = /^file-[0-9a-f]{32}$/u;
const storePattern = /^vs_[0-9a-f]{32}$/u;
const newId = (): string => crypto.randomUUID().replaceAll("-", "");
const secondsNow = (): number => Math.floor(platformNow() / 1000);

interface Dated {
  readonly id: string;
  readonly createdAt: number;
  readonly madeAt?: number;
}
/** The time of something that was made. **Units** milliseconds since 1970. */
export const madeAt = (one: Dated): number => one.madeAt ?? one.createdAt * 1000;
const latestFirst = (one: Dated, other: Dated): number => madeAt(other) - madeAt(one) || (one.id < other.id ? -1 : 1);

/** Keeps files and stores in a blob store. **Cost** a listing reads the records of all. `maxBytes` bounds the files of all callers together. */
export function createOpenAiShelf(files: BlobStore, maxBytes: number): OpenAiShelf {
  let last = 0;
  /** The time of something new, later than the one before also where the clock stands still. */
  const timeNow = (): { readonly createdAt: number; readonly madeAt: number } => {
    last = Math.max(last + 1, platformNow());
    return { createdAt: secondsNow(), madeAt: last };
  };
  const put = async (key: string, value: object): Promise<void> =>
    void (await files.put(key, new TextEncoder().encode(JSON.stringify(value))));
  async function read<Value>(key: string): Promise<Value | undefined> {
    const kept = await files.get(key);
    return kept === undefined ? undefined : (JSON.parse(new TextDecoder().decode(kept.bytes)) as Value);
  }
  const fileKey = (id: string): string => `uploads/${id}.json`;
  const bytesKey = (id: string): string => `uploads/${id}`;
  const storeKey = (id: string): string => `vector-stores/${id}.json`;
  const removeFile = async (id: string): Promise<void> => {
    await files.delete(bytesKey(id));
    await files.delete(fileKey(id));
  };
  /** **Shape** `undefined` for a file whose time is over, which it removes. */
  const fresh = async (file: UploadedFile | undefined): Promise<UploadedFile | undefined> => {
    if (file?.expiresAt === undefined || file.expiresAt > secondsNow()) return file;
    await removeFile(file.id);
    return undefined;
  };
  const isSeen = async (kb: KnowledgeBase, { id, scope }: MadeStore): Promise<boolean> => {
    if (kb.mayWrite(scope)) return true;
    for await (const _ of kb.list({ scope, under: `${id}/`, limit: 1 })) return true;
    return false;
  };
  async function* all<Value>(prefix: string): AsyncGenerator<Value> {
    for await (const { key } of files.list({ prefix })) {
      const value = key.endsWith(".json") ? await read<Value>(key) : undefined;
      if (value !== undefined) yield value;
    }
  }

  return {
    async addFile(caller, facts, bytes) {
      let total = bytes.byteLength;
      for await (const { key, size } of files.list({ prefix: "uploads/" })) if (!key.endsWith(".json")) total += size;
      if (total > maxBytes) throw busy(60);
      const { hashBytes } = await import("../ingest/prepare-document.ts");
      const file: UploadedFile = {
        ...facts,
        id: `file-${newId()}`,
        owner: ownerOf(caller),
        bytes: bytes.byteLength,
        contentHash: await hashBytes(bytes),
        ...timeNow(),
      };
      await files.put(bytesKey(file.id), bytes);
      await put(fileKey(file.id), file);
      return file;
    },
    async listFiles(caller) {
      const found: UploadedFile[] = [];
      for await (const file of all<UploadedFile>("uploads/")) {
        const kept = await fresh(file);
        if (kept !== undefined && (caller.isOperator || kept.owner === ownerOf(caller))) found.push(kept);
      }
      return found.toSorted(latestFirst);
    },
    async file(caller, id) {
      const file = filePattern.test(id) ? await fresh(await read<UploadedFile>(fileKey(id))) : undefined;
      return file !== undefined && (caller.isOperator || file.owner === ownerOf(caller)) ? file : undefined;
    },
    bytes: async (id) => (await files.get(bytesKey(id)))?.bytes,
    attach: (file) => put(fileKey(file.id), { ...file, isAttached: true }),
    removeFile,
    async addStore(facts) {
      const store: MadeStore = { ...facts, id: `vs_${newId()}`, ...timeNow() };
      await put(storeKey(store.id), store);
      return store;
    },
    saveStore: (store) => put(storeKey(store.id), store),
    async listStores(kb) {
      const found: MadeStore[] = [];
      for await (const store of all<MadeStore>("vector-stores/")) if (await isSeen(kb, store)) found.push(store);
      return found.toSorted(latestFirst);
    },
    async store(kb, id) {
      const store = storePattern.test(id) ? await read<MadeStore>(storeKey(id)) : undefined;
      return store !== undefined && (await isSeen(kb, store)) ? store : undefined;
    },
    removeStore: (id) => files.delete(storeKey(id)).then(() => {}),
  };
}
