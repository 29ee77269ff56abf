/** A web `ReadableStream` of bytes, as far as it is used here. */
export interface StreamOfBytes {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

export interface ReadStreamOptions {
  readonly maxBytes: number;
  /** Makes the error for a stream with more bytes. Default: the bytes before the part that goes beyond are returned. */
  readonly tooLarge?: ((bytes: number) => unknown) | undefined;
  /** Receives the size of each part before it is kept. An error that it throws ends the reading. */
  readonly onPart?: ((bytes: number) => void) | undefined;
  /** Stops the reading, also while the stream is silent. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the error for `signal`. Default: the signal's reason. */
  readonly stopped?: (() => unknown) | undefined;
}

/**
 * Reads a stream of bytes to its end, and never keeps more than `maxBytes`.
 *
 * **Shape** the stream is let go at its end, at the limit, at the signal, and when it fails. **Errors** the errors that the options make, and those of the stream; `TypeError` for
 * a part that is not bytes. **Cost** each part is copied, since a stream may use its buffer again.
 */
export async function readStream(
  stream: AsyncIterable<Uint8Array> | StreamOfBytes | null | undefined,
  { maxBytes, tooLarge, onPart, signal, stopped = () => signal?.reason as unknown }: ReadStreamOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (stream === null || stream === undefined) return new Uint8Array();
  const { next, stop } = open(stream);
  const stopping = Promise.withResolvers<never>();
  stopping.promise.catch(() => {});
  const abort = (): void => stopping.reject(stopped());
  if (signal?.aborted === true) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  const parts: Uint8Array[] = [];
  let length = 0;
  let isOver = false;
  try {
    for (;;) {
      const part = await Promise.race([stopping.promise, next()]);
      if (part === undefined) {
        isOver = true;
        break;
      }
      if (!(part instanceof Uint8Array)) throw new TypeError("it yields a value that is no Uint8Array");
      if (length + part.length > maxBytes) {
        if (tooLarge !== undefined) throw tooLarge(length + part.length);
        break;
      }
      onPart?.(part.length);
      length += part.length;
      parts.push(new Uint8Array(part));
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    // Not awaited: a silent stream may never answer.
    if (!isOver) void stop().catch(() => {});
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

interface OpenStream {
  /** Resolves with the next part, or `undefined` at the end. */
  readonly next: () => Promise<Uint8Array | undefined>;
  readonly stop: () => Promise<unknown>;
}

/** A reader is preferred: it can be cancelled while a part is awaited, which an iterator cannot. */
function open(stream: AsyncIterable<Uint8Array> | StreamOfBytes): OpenStream {
  if ("getReader" in stream) {
    const reader = stream.getReader();
    return {
      next: async () => {
        const { done, value } = await reader.read();
        return done ? undefined : value;
      },
      stop: () => reader.cancel(),
    };
  }
  const iterator = stream[Symbol.asyncIterator]();
  return {
    next: async () => {
      const step = await iterator.next();
      return step.done === true ? undefined : step.value;
    },
    stop: async () => await iterator.return?.(),
  };
}
