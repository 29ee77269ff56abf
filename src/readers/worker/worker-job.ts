import type { ReadInput, ReadResult } from "../../contracts/reader.ts";

/** A file on its way to the worker: which reader, by its place in the list that both sides have, and what it is given. */
export interface WorkerJob {
  readonly reader: number;
  readonly input: Omit<ReadInput, "signal" | "readPart">;
  /** Whether there are readers that live with the caller and are asked first for what the file carries inside. */
  readonly hasOwn: boolean;
  /** The file whose pieces were sent before, in place of `input.bytes`. */
  readonly file?: number;
}

/** A piece of a large file, which is sent before the job, so that no message is a copy of the whole. */
export interface FilePiece {
  readonly file: number;
  readonly total: number;
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Result of the caller's own reader for a part; `undefined` when there was none. */
export type CallersResult = (ReadResult & { readonly mediaType: string }) | undefined;

const pieceBytes = 4 * 1024 * 1024;
let files = 0;

/** Sends a job, a large file in pieces: one at a time is on its way. */
export async function sendJob(
  call: (method: string, argument: unknown) => Promise<unknown>,
  job: WorkerJob,
): Promise<ReadResult> {
  const { bytes } = job.input;
  const total = bytes.byteLength;
  if (total <= pieceBytes) return (await call("read", job)) as ReadResult;
  const file = ++files;
  for (let at = 0; at < total; at += pieceBytes) {
    const piece: FilePiece = { file, total, at, bytes: bytes.subarray(at, at + pieceBytes) };
    await call("piece", piece);
  }
  return (await call("read", { ...job, file, input: { ...job.input, bytes: new Uint8Array() } })) as ReadResult;
}
