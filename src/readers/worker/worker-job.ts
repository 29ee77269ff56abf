import { letGo } from "../../runtime/own-bytes.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import type { Block } from "../../contracts/document.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";

/** A file on its way to the worker: which reader, by its place in the list that both sides have, and what it is given. */
export interface WorkerJob {
  /** Names the job in pieces of its result. */
  readonly job: number;
  readonly reader: number;
  readonly input: Omit<ReadInput, "signal" | "readPart" | "onPage">;
  /** Whether the pages that are read are counted to the caller. */
  readonly tellsPages: boolean;
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

/** A piece of a large result, which is sent before the rest of it: a message takes in some milliseconds then. */
export interface ResultPiece {
  readonly job: number;
  readonly text?: string;
  readonly blocks?: readonly Block[];
}

/** Pages of a file that are read, and all of them. */
export interface PagesRead {
  readonly job: number;
  readonly done: number;
  readonly of: number;
}

const pieceBytes = 4 * 1024 * 1024;
/** Characters of a text, and blocks, of one piece of a result. */
const pieceLength = 1024 * 1024;
const blocksAtOnce = 4096;
let files = 0;
let jobs = 0;

type Call = (method: string, argument: unknown) => Promise<unknown>;

/** Pieces of results that are on their way here, by job, and the listener to its pages. */
const arriving = new Map<
  number,
  { readonly texts: string[]; readonly blocks: Block[]; readonly onPage: ReadInput["onPage"] | undefined }
>();

export function takePagesRead({ job, done, of }: PagesRead): void {
  arriving.get(job)?.onPage?.(done, of);
}

export function takeResultPiece({ job, text, blocks = [] }: ResultPiece): void {
  const taken = arriving.get(job);
  if (text !== undefined) taken?.texts.push(text);
  for (const block of blocks) taken?.blocks.push(block);
}

/** The worker's side of a large result: sends its text and its blocks ahead. **Shape** the rest. */
export async function sendAhead(call: Call, job: number, result: ReadResult): Promise<ReadResult> {
  const { text, blocks } = result;
  if (text.length <= pieceLength && (blocks?.length ?? 0) <= blocksAtOnce) return result;
  const send = (piece: Omit<ResultPiece, "job">): Promise<unknown> => call("resultPiece", { job, ...piece });
  for (let at = 0; at < text.length; at += pieceLength) await send({ text: text.slice(at, at + pieceLength) });
  for (let at = 0; at < (blocks?.length ?? 0); at += blocksAtOnce)
    await send({ blocks: blocks!.slice(at, at + blocksAtOnce) });
  return { ...result, text: "", ...(blocks && { blocks: [] }) };
}

/** Sends a job, a large file in pieces: one at a time is on its way. A large result comes back in pieces, too. */
export async function sendJob(
  call: Call,
  given: Omit<WorkerJob, "job" | "tellsPages">,
  onPage?: ReadInput["onPage"],
): Promise<ReadResult> {
  const job: WorkerJob = { ...given, tellsPages: onPage !== undefined, job: ++jobs };
  const ahead = { texts: [], blocks: [], onPage };
  arriving.set(job.job, ahead);
  try {
    const rest = await sendFile(call, job);
    // A large text is joined in a turn of its own, and looked at in another.
    if (ahead.texts.length > 0) await nextTurn();
    const [text, blocks]: [string, readonly Block[]] = [ahead.texts.splice(0).join(""), ahead.blocks];
    if (text !== "") await nextTurn();
    return text === "" ? rest : { ...rest, text, ...(rest.blocks && { blocks }) };
  } finally {
    arriving.delete(job.job);
  }
}

async function sendFile(call: Call, job: WorkerJob): Promise<ReadResult> {
  const { bytes } = job.input;
  const total = bytes.byteLength;
  if (total <= pieceBytes) return (await call("read", job)) as ReadResult;
  const file = ++files;
  for (let at = 0; at < total; at += pieceBytes) {
    const piece: FilePiece = { file, total, at, bytes: bytes.subarray(at, at + pieceBytes) };
    await call("piece", piece);
  }
  letGo(bytes);
  return (await call("read", { ...job, file, input: { ...job.input, bytes: new Uint8Array() } })) as ReadResult;
}
