import { Refusal } from "../refusal.ts";
import type { LiveJob } from "./job.ts";
import type { JobShelf } from "./job-shelf.ts";
import { anySignal } from "../../runtime/abort.ts";

/** Takes the bytes of files as they arrive. */
export interface Receiver {
  /**
   * Adds bytes to a file, from `offset` on. **Shape** the offset after the last byte that is kept, also of a body that breaks off. `hold` gets the number of bytes that are in memory, and `count` those of each part that arrives.
   * **Errors** 409 for another offset than the file has; 413 for more bytes than were announced; 400 for a body that breaks off.
   */
  receive(
    id: string,
    offset: number,
    body: ReadableStream<Uint8Array> | Uint8Array | null,
    signal: AbortSignal,
    hold?: (bytes: number) => void,
    count?: (bytes: number) => void,
  ): Promise<number>;
  /** Ends a receipt that is under way, and waits until its bytes are kept. */
  stop(id: string): Promise<void>;
}

/** Parts of a receiver. */
interface ReceiverParts {
  readonly shelf: JobShelf;
  /** Longest silence of a sender. */
  readonly silenceMs: number;
  readonly maxBytes: (job: LiveJob) => number;
  readonly now: (id: string) => LiveJob | undefined;
  readonly arrived: (id: string, received: number) => void;
  readonly complete: (id: string) => Promise<void>;
}

/** Bytes that are kept at once; so many are lost when the process is killed. */
export const pieceBytes = 2 ** 22;

export function createReceiver({ shelf, silenceMs, maxBytes, now, arrived, complete }: ReceiverParts): Receiver {
  const receipts = new Map<string, { readonly stop: AbortController; readonly done: Promise<unknown> }>();

  const stop = async (id: string): Promise<void> => {
    const receipt = receipts.get(id);
    receipt?.stop.abort();
    await receipt?.done.catch(() => {});
  };

  async function take(
    job: LiveJob,
    from: number,
    body: ReadableStream<Uint8Array> | Uint8Array | null,
    signal: AbortSignal,
    count: ((bytes: number) => void) | undefined,
  ): Promise<number> {
    const { id } = job.record;
    const most = maxBytes(job);
    let offset = from;
    let waiting: Uint8Array[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      if (length === 0) return;
      const piece = new Uint8Array(length);
      let at = 0;
      for (const part of waiting) {
        piece.set(part, at);
        at += part.length;
      }
      [waiting, length] = [[], 0];
      // A job that was cancelled meanwhile keeps nothing.
      if (now(id)?.record.state !== "receiving") return;
      await shelf.append(id, offset, piece);
      offset += piece.length;
      arrived(id, offset);
    };
    try {
      for await (const part of partsOf(body, signal, silenceMs)) {
        if (offset + length + part.length > most)
          throw new Refusal(413, "too-large", `The file has more than the ${most} bytes that were announced.`, {
            hint: "Announce the size of the whole file, and send no more.",
          });
        count?.(part.length);
        waiting.push(new Uint8Array(part));
        length += part.length;
        if (length >= pieceBytes) await flush();
      }
    } finally {
      await flush();
    }
    if (offset === most && now(id)?.record.state === "receiving") await complete(id);
    return offset;
  }

  return {
    stop,
    async receive(id, offset, body, signal, hold, count) {
      // A client that comes back may find its earlier connection still open; of several that wait for its end, each stops the one before.
      while (receipts.has(id)) await stop(id);
      const job = now(id);
      if (job === undefined || job.record.state !== "receiving" || job.received !== offset) {
        const at = job?.received ?? 0;
        throw new Refusal(409, "conflict", `The file has ${at} bytes here; the body begins at ${offset}.`, {
          hint: "Ask for the offset with HEAD, and go on from there.",
        });
      }
      hold?.(Math.min(pieceBytes, maxBytes(job) - offset));
      const own = new AbortController();
      const done = take(job, offset, body, anySignal([signal, own.signal]), count);
      receipts.set(id, { stop: own, done });
      try {
        return await done;
      } finally {
        if (receipts.get(id)?.done === done) receipts.delete(id);
      }
    },
  };
}

async function* partsOf(
  body: ReadableStream<Uint8Array> | Uint8Array | null,
  signal: AbortSignal,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  if (body instanceof Uint8Array) return yield body;
  const reader = body.getReader();
  const stopped = Promise.withResolvers<undefined>();
  const stop = (): void => stopped.resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let silence: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMs);
      const step = await Promise.race([reader.read().catch(() => undefined), stopped.promise]);
      if (step === undefined) throw brokenOff();
      if (step.done) return;
      yield step.value;
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", stop);
    void reader.cancel().catch(() => {});
  }
}

/** The status is one after which clients of tus ask for the offset and go on. */
function brokenOff(): Refusal {
  return new Refusal(503, "busy", "The body ended before it was complete; its bytes are kept.", {
    hint: "Ask for the offset with HEAD, and go on from there.",
    headers: { connection: "close", "retry-after": "1" },
  });
}
