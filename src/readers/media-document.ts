import type { MediaDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { readAddress } from "../runtime/read-address.ts";

/**
 * Facts about a picture or a recording.
 *
 * @experimental
 */
export interface MediaOptions {
  /** Media type such as `image/png`. Default: unknown, so that a model looks at the first bytes. */
  readonly mediaType?: string;
  readonly metadata?: Metadata;
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

function createMediaDocument(
  type: "image" | "audio",
  content: Uint8Array | URL | string,
  options: MediaOptions,
): MediaDocument {
  const where = type === "image" ? "createImageDocument" : "createAudioDocument";
  checkOptions(where, options, { mediaType: true, metadata: true });
  const { mediaType, metadata = {} } = options;
  if (content instanceof Uint8Array && content.length === 0) {
    throw new IbidError("invalid-argument", `${where} was given no bytes.`, { hint: "Give the whole file." });
  }
  return {
    type,
    content: content instanceof Uint8Array ? content.slice() : readAddress(content, "content"),
    ...(mediaType === undefined ? {} : { mediaType }),
    metadata,
  };
}
