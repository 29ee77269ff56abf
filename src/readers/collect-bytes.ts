import { IbidError } from "../contracts/errors.ts";
import type { ByteContent } from "../contracts/knowledge-base.ts";
import { abortError, throwIfAborted } from "../runtime/abort.ts";
import { readStream } from "../runtime/read-stream.ts";
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
    return await readStream(content, {
      maxBytes,
      tooLarge: (length) => overLimit(uri, "maxBytes", maxBytes, length),
      signal,
      stopped: () => signal && abortError(signal, `Reading ${uri}`),
    });
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    throwIfAborted(signal, `Reading ${uri}`, { uri, cause });
    throw new IbidError("unreadable", `The stream of ${uri} could not be read to its end.`, {
      uri,
      hint: "Give a stream that was not read yet, or its bytes; `cause` has the error of the stream.",
      cause,
    });
  }
}

function sizeOf(content: ByteContent): number | undefined {
  if (content instanceof Uint8Array || content instanceof ArrayBuffer) return content.byteLength;
  return "size" in content ? content.size : undefined;
}
