import type { BlobStore } from "../../contracts/blob-store.ts";
import type { JobRecord } from "./job.ts";

/** Keeps jobs and the bytes of their files. */
export interface JobShelf {
  /** Whether jobs outlive the process. */
  readonly isLasting: boolean;
  /** Every job, with the bytes that arrived. A file with a gap ends before it. Bytes without a job are removed. */
  load(): Promise<readonly { readonly record: JobRecord; readonly received: number }[]>;
  save(record: JobRecord): Promise<void>;
  /** Adds a piece of a file, which begins at `offset`. */
  append(id: string, offset: number, bytes: Uint8Array): Promise<void>;
  /** The file, whole. */
  read(id: string): Promise<Uint8Array>;
  /** Removes the bytes of a file. */
  drop(id: string): Promise<void>;
  /** Removes a job and its bytes. */
  remove(id: string): Promise<void>;
}

const prefix = "jobs/";
const pieceKey = (id: string, offset: number): string => `${prefix}${id}/${String(offset).padStart(15, "0")}`;

/** Keeps jobs in a blob store, beside the files of uploads: a record for each job, and a blob for each piece of its file. */
export function createJobShelf(files: BlobStore): JobShelf {
  const pieces = async (id: string): Promise<readonly { readonly key: string; readonly size: number }[]> => {
    const found: { readonly key: string; readonly size: number }[] = [];
    for await (const { key, size } of files.list({ prefix: `${prefix}${id}/` })) found.push({ key, size });
    return found;
  };
  const drop = async (id: string): Promise<void> => {
    for (const { key } of await pieces(id)) await files.delete(key);
  };
  /** The last write of each job: a state that is being written must not come back after its removal. */
  const turns = new Map<string, Promise<void>>();
  const inTurn = async (id: string, write: () => Promise<unknown>): Promise<void> => {
    const done = (turns.get(id) ?? Promise.resolve()).then(async () => void (await write()));
    const over = done.catch(() => {});
    turns.set(id, over);
    try {
      await done;
    } finally {
      if (turns.get(id) === over) turns.delete(id);
    }
  };
  return {
    isLasting: true,
    async load() {
      const records: JobRecord[] = [];
      const received = new Map<string, number>();
      for await (const { key, size } of files.list({ prefix })) {
        const [id = "", offset] = key.slice(prefix.length).split("/");
        if (offset !== undefined) {
          if (Number(offset) === (received.get(id) ?? 0)) received.set(id, Number(offset) + size);
          continue;
        }
        const kept = await files.get(key);
        if (kept !== undefined) records.push(JSON.parse(new TextDecoder().decode(kept.bytes)) as JobRecord);
      }
      const ids = new Set(records.map(({ id }) => id));
      for (const id of received.keys()) if (!ids.has(id)) await drop(id);
      return records.map((record) => ({ record, received: received.get(record.id) ?? 0 }));
    },
    save: (record) =>
      inTurn(record.id, () =>
        files.put(`${prefix}${record.id}.json`, new TextEncoder().encode(JSON.stringify(record))),
      ),
    append: (id, offset, bytes) => inTurn(id, () => files.put(pieceKey(id, offset), bytes)),
    async read(id) {
      const found = await pieces(id);
      const whole = new Uint8Array(found.reduce((sum, { size }) => sum + size, 0));
      let at = 0;
      for (const { key } of found) {
        const piece = await files.get(key);
        whole.set(piece?.bytes ?? new Uint8Array(), at);
        at += piece?.size ?? 0;
      }
      return whole.subarray(0, at);
    },
    drop,
    remove: (id) =>
      inTurn(id, async () => {
        await files.delete(`${prefix}${id}.json`);
        await drop(id);
      }),
  };
}

/** Removes jobs from the files of a service, without opening it. **Cost** reads every job. */
export async function forgetJobs(files: BlobStore, isForgotten: (record: JobRecord) => boolean): Promise<void> {
  const shelf = createJobShelf(files);
  for await (const { key } of files.list({ prefix })) {
    const kept = key.endsWith(".json") ? await files.get(key) : undefined;
    if (kept === undefined) continue;
    const record = JSON.parse(new TextDecoder().decode(kept.bytes)) as JobRecord;
    if (isForgotten(record)) await shelf.remove(record.id);
  }
}

/** Keeps jobs in memory: they end with the process. */
export function createMemoryJobShelf(): JobShelf {
  const pieces = new Map<string, Uint8Array<ArrayBuffer>[]>();
  const drop = async (id: string): Promise<void> => void pieces.delete(id);
  return {
    isLasting: false,
    load: async () => [],
    save: async () => {},
    async append(id, _offset, bytes) {
      pieces.set(id, [...(pieces.get(id) ?? []), new Uint8Array(bytes)]);
    },
    read: async (id) => new Uint8Array(await new Blob(pieces.get(id) ?? []).arrayBuffer()),
    drop,
    remove: drop,
  };
}
