import type { MediaDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { checkNotRevoked, checkOptions } from "../runtime/check-options.ts";
import { readAddress } from "../runtime/read-address.ts";

/**
 * Facts about a picture or a recording.
 *
 * @experimental
 */
export interface MediaOptions {
  /** Media type such as `image/png`. Default: unknown, so that a model looks at the first bytes. */
  readonly mediaType?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/**
 * A picture, to be put into a prompt whole.
 *
 * **Shape** bytes are copied; an address is absolute. **Errors** `invalid-argument` for no bytes, and "Must be a valid URL" for what is no http or https address.
 * **Source** Ballerina `ImageDocument`.
 * @experimental
 * @example prompt`What does ${createImageDocument("https://example.com/plan.png")} show?`
 */
export function createImageDocument(content: Uint8Array | URL | string, options: MediaOptions = {}): MediaDocument {
  return createMediaDocument("image", content, options);
}

/**
 * A recording, to be put into a prompt whole; see {@link createImageDocument}. **Source** Ballerina `AudioDocument`.
 *
 * @experimental
 */
export function createAudioDocument(content: Uint8Array | URL | string, options: MediaOptions = {}): MediaDocument {
  return createMediaDocument("audio", content, options);
}

/**
 * A file, to be put into a prompt whole or kept in a knowledge base. A provider's file id is for prompts of that provider. See {@link createImageDocument}.
 * **Source** Ballerina `FileDocument`.
 *
 * @experimental
 */
export function createFileDocument(
  content: Uint8Array | URL | string | { readonly fileId: string },
  options: MediaOptions = {},
): MediaDocument {
  return createMediaDocument("file", content, options);
}

/**
 * Bytes of any kind; see {@link createFileDocument}. **Source** Ballerina `BinaryDocument`.
 *
 * @experimental
 */
export function createBinaryDocument(content: Uint8Array, options: MediaOptions = {}): MediaDocument {
  return createMediaDocument("binary", content, options);
}

/** Content of a media document as it is given: bytes are copied, addresses are read. **Errors** `invalid-argument`. */
export function readMediaContent(content: unknown, where: string): MediaDocument["content"] {
  checkNotRevoked(where, "content", content);
  if (content instanceof Uint8Array) {
    if (content.length > 0) return content.slice();
    throw new IbidError("invalid-argument", `${where} was given no bytes.`, { hint: "Give the whole file." });
  }
  if (content instanceof URL || typeof content === "string") return readAddress(content, "content");
  const { fileId } = (content ?? {}) as { readonly fileId?: unknown };
  if (typeof fileId === "string" && fileId.trim() !== "") return { fileId };
  throw new IbidError("invalid-argument", `${where} was given no content.`, {
    hint: "Give bytes, an http or https address, or { fileId }.",
  });
}

function createMediaDocument(
  type: MediaDocument["type"],
  content: Uint8Array | URL | string | { readonly fileId: string },
  options: MediaOptions,
): MediaDocument {
  const where = `create${type[0]!.toUpperCase()}${type.slice(1)}Document`;
  checkOptions(where, options, { mediaType: true, metadata: true });
  const { mediaType, metadata = {} } = options;
  return {
    type,
    content: readMediaContent(content, where),
    ...(mediaType === undefined ? {} : { mediaType }),
    metadata,
  };
}
