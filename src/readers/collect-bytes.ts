import { IbidError } from "../contracts/errors.ts";
import type { ByteContent, ByteStream } from "../contracts/knowledge-base.ts";
import { throwIfAborted, untilAborted } from "../runtime/abort.ts";
import { overLimit } from "./read-limits.ts";

/**
 * Bytes in whatever form they come, as one array of their own, never more than `maxBytes` of them.
 *
 * **Shape** a stream is read once and let go at its end, at the limit, and when the signal fires, also while it keeps silent.
 * **Errors** `too-large`; `unreadable` for a stream that fails, has been read already, or gives what is no bytes; `aborted`.
 * **Cost** a copy: what the caller does to theirs later changes nothing.
 */
export async function collectBytes(
  content: ByteContent,
  options: { readonly uri: string; readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
  const { uri, maxBytes, signal } = options;
  throwIfAborted(signal, `Reading ${uri}`, { uri });
  const known = sizeOf(content);
  if (known !== undefined && known > maxBytes) throw overLimit(uri, "maxBytes", maxBytes, known);
  // Not `slice`: a Buffer's shares what it was cut from.
  if (content instanceof Uint8Array) return new Uint8Array(content);
  if (content instanceof ArrayBuffer) return new Uint8Array(content.slice(0));
  try {
    if ("arrayBuffer" in content) return new Uint8Array(await content.arrayBuffer());
    return await collectStream(content, options);
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    throwIfAborted(signal, `Reading ${uri}`, { uri, cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IbidError("unreadable", `The stream of ${uri} could not be read to its end: ${reason}`, {
      uri,
      hint: "Give a stream that was not read yet, or its bytes.",
      cause,
    });
  }
}

async function collectStream(
  content: AsyncIterable<Uint8Array> | ByteStream,
  {
    uri,
    maxBytes,
    signal,
  }: { readonly uri: string; readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
  const stream = opened(content);
  const parts: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  try {
    for (;;) {
      const part = await untilAborted(stream.next(), signal, `Reading ${uri}`);
      if (part === undefined) {
        ended = true;
        break;
      }
      if (!(part instanceof Uint8Array)) throw new TypeError("it yields a value that is no Uint8Array");
      length += part.length;
      if (length > maxBytes) throw overLimit(uri, "maxBytes", maxBytes, length);
      parts.push(new Uint8Array(part));
    }
  } finally {
    // Not waited for: a source that keeps silent may never answer.
    if (!ended) void stream.stop().catch(() => {});
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

interface Opened {
  /** `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  stop(): Promise<unknown>;
}

function opened(content: AsyncIterable<Uint8Array> | ByteStream): Opened {
  if (Symbol.asyncIterator in content) {
    const iterator = content[Symbol.asyncIterator]();
    return {
      next: async () => {
        const step = await iterator.next();
        return step.done === true ? undefined : step.value;
      },
      stop: async () => await iterator.return?.(),
    };
  }
  const reader = content.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    stop: () => reader.cancel(),
  };
}

function sizeOf(content: ByteContent): number | undefined {
  if (content instanceof Uint8Array || content instanceof ArrayBuffer) return content.byteLength;
  return "size" in content ? content.size : undefined;
}
