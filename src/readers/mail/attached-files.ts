import type { Attachment } from "postal-mime";

import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { isArchive, isLeftOut } from "../archives/archive-kind.ts";
import { detectMediaType } from "../media-type.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import { headerText } from "./mail-headers.ts";

/** A file that a message carries. */
export interface AttachedFile {
  /** Its file name, after those of the archives around it: `pack.zip/2026/notes.txt`. */
  readonly name: string;
  readonly mediaType?: string;
  /** Its bytes, or the reason why there are none. */
  readonly content: Uint8Array | string;
}

/** Plain text under a type of its own: what mail servers and calendars say. */
const plain: ReadonlySet<string> = new Set([
  "message/delivery-status",
  "message/feedback-report",
  "text/calendar",
  "application/ics",
]);

/**
 * The files that a message carries. In the place of an archive (ZIP, TAR, GZIP) stand the files in it.
 *
 * **Shape** names are unique. Hidden files and resource forks of an archive are left out.
 * **Errors** `aborted` only: a broken archive, or one beyond a limit, stands by itself with its reason. The limits hold for all archives together.
 */
export async function* attachedFiles(
  attachments: readonly Attachment[],
  input: ReadInput,
): AsyncGenerator<AttachedFile, undefined> {
  const limits = limitsOf(input);
  const names = new Map<string, number>();
  let [bytesLeft, partsLeft] = [limits.maxExpandedBytes, limits.maxParts];

  async function* expand(file: AttachedFile, depth: number): AsyncGenerator<AttachedFile, undefined> {
    const { name, content } = file;
    const mediaType = kindOf(file);
    if (typeof content === "string" || !isArchive(mediaType)) {
      yield file;
      return undefined;
    }
    const uri = `${input.uri}/${name}`;
    try {
      if (depth >= limits.maxDepth) throw overLimit(uri, "maxDepth", limits.maxDepth);
      const { unpackArchive } = await import("../archives/unpack-archive.ts");
      const left = { ...limits, maxExpandedBytes: Math.max(1, bytesLeft), maxParts: Math.max(1, partsLeft) };
      const { signal, password } = input;
      for await (const member of unpackArchive({
        uri,
        bytes: content,
        mediaType,
        limits: left,
        ...(signal && { signal }),
        ...(password !== undefined && { password }),
      })) {
        bytesLeft -= member.size;
        partsLeft--;
        if (bytesLeft < 0) throw overLimit(uri, "maxExpandedBytes", limits.maxExpandedBytes);
        if (partsLeft < 0) throw overLimit(uri, "maxParts", limits.maxParts);
        if (isLeftOut(member.path)) continue;
        const inner = uniqueName(`${name}/${member.path}`.slice(0, 1000).toWellFormed(), names);
        yield* expand({ name: inner, content: await contentOf(member.bytes) }, depth + 1);
      }
    } catch (error) {
      yield { name, content: reasonOf(error) };
    }
    return undefined;
  }

  for (const [index, attachment] of attachments.entries()) {
    throwIfAborted(input.signal, `Reading ${input.uri}`, { uri: input.uri });
    const { content, mimeType } = attachment;
    const name = uniqueName(nameOf(attachment, index + 1), names);
    const mediaType = plain.has(mimeType) ? "text/plain" : mimeType;
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    yield* expand({ name, mediaType, content: bytes }, 1);
  }
  return undefined;
}

/** Its media type; `""` where it has no bytes, or such as no reader takes: reading it says why. */
function kindOf({ name, mediaType: declared, content }: AttachedFile): string {
  if (typeof content === "string") return "";
  try {
    return detectMediaType(content, { declared, name });
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    return "";
  }
}

async function contentOf(read: () => Promise<Uint8Array>): Promise<Uint8Array | string> {
  try {
    return await read();
  } catch (error) {
    return reasonOf(error);
  }
}

/** The message of an error of ibid. **Errors** `aborted`, and what is no error of ibid. */
export function reasonOf(error: unknown): string {
  if (!IbidError.isInstance(error) || error.code === "aborted") throw error;
  return error.message;
}

/** The file name without folders; a message by its kind. */
function nameOf({ filename, mimeType }: Attachment, number: number): string {
  const name = headerText(filename ?? "")
    .replace(/^.*[\\/]/u, "")
    .slice(0, 200)
    .toWellFormed();
  if (name !== "") return name;
  return mimeType === "message/rfc822" ? `message ${number}.eml` : `attachment ${number}`;
}

function uniqueName(name: string, names: Map<string, number>): string {
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
}
