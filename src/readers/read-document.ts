import type { Chosen } from "../contracts/complete.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Reader, ReadInput, ReadLimits, ReadPart, ReadResult, TextReadInput } from "../contracts/reader.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkReadResult } from "./check-read-result.ts";
import { markContents } from "./mark-contents.ts";
import { markTables } from "./mark-tables.ts";
import { findCharset } from "./text/find-charset.ts";
import { detectMediaType, isTextual } from "./media-type.ts";
import { limitsOf, overLimit } from "./read-limits.ts";

/** Bytes with a name, and what their sender says of them. */
export interface DocumentInput {
  readonly uri: string;
  readonly bytes: Uint8Array;
  /** Media type that the sender or caller declares; content decides first. */
  readonly mediaType?: string | undefined;
  /** The character encoding that the sender declared or the caller gave. */
  readonly charset?: string | undefined;
  readonly password?: string | undefined;
  readonly limits?: Chosen<ReadLimits> | undefined;
  readonly metadata?: Metadata | undefined;
  readonly signal?: AbortSignal | undefined;
  /** See {@link ReadInput.onPage}. Parts inside the file are no pages of it. */
  readonly onPage?: ReadInput["onPage"] | undefined;
  /** How many files it lies within; see {@link ReadInput.depth}. */
  readonly depth?: number | undefined;
  /**
   * Called first for each embedded part, where these readers run in a worker: the caller may read the part instead.
   * `undefined` leaves it to these readers.
   */
  readonly readElsewhere?: ((part: PartInput) => Promise<FoundResult | undefined>) | undefined;
}

/** A part on its way to a reader. */
export type PartInput = Omit<DocumentInput, "readElsewhere" | "signal" | "onPage">;

/** A reader's result, and the media type of the file. */
export type FoundResult = ReadResult & { readonly mediaType: string };

/**
 * Reads bytes into canonical text, section tree and source map, by the first reader that accepts their media type.
 *
 * **Shape** readers are tried in order, the caller's own before the built-in ones. The result carries the detected media type.
 * A text without a declared encoding is read in the one that its words show; its metadata (`encoding`) and a note record it.
 * **Errors** always an `IbidError` that names the uri: `empty`, `binary`, `unsupported-media` (no reader accepts it),
 * `encrypted`, `too-large` or `aborted`. Every other failure, a reader's own fault included, is `unreadable` with its
 * `cause`.
 * **Cost** the reader's, and a check linear in sections and blocks.
 * **Source** Embabel's reader stage, Ballerina `DataLoader`, Wesichain's loader errors.
 */
export async function readDocument(
  readers: readonly Reader[],
  input: DocumentInput,
): Promise<ReadResult & { mediaType: string }> {
  const { uri, bytes, charset, signal } = input;
  throwIfAborted(signal, `Reading ${uri}`, { uri });
  const limits = limitsOf({ ...(input.limits && { limits: input.limits }) });
  if (bytes.length > limits.maxBytes) throw overLimit(uri, "maxBytes", limits.maxBytes, bytes.length);
  const mediaType = detectMediaType(bytes, { declared: input.mediaType, name: uri });
  const reader = readers.find((candidate) => candidate.accepts(mediaType));
  if (reader === undefined) {
    const { nameMediaType } = await import("./media-type-labels.ts");
    const { label, hint } = nameMediaType(mediaType);
    throw new IbidError("unsupported-media", `${uri} is ${label}, and no reader accepts it.`, {
      hint: hint.slice(0, 1).toUpperCase() + hint.slice(1),
      uri,
      details: { mediaType },
    });
  }
  const found = charset === undefined && isTextual(mediaType) ? await findCharset(bytes) : undefined;
  const known = charset ?? found?.charset;
  const request: ReadInput = {
    ...requestOf(readers, { ...input, limits }, mediaType),
    bytes,
    ...(known === undefined ? {} : { charset: known }),
  };
  const result = await attemptRead(reader, request, () => reader.read(request));
  if (found?.detected !== true) return { ...result, mediaType };
  const note = `It does not say its encoding, and was read as ${found.charset}, which its words show; where that is wrong, name the charset.`;
  return {
    ...result,
    mediaType,
    metadata: { ...result.metadata, encoding: found.charset },
    notes: [note, ...(result.notes ?? [])],
  };
}

/** The rest of {@link readDocument} for a text that was decoded as it came. **Errors** as there. */
export async function readByText(
  reader: Reader,
  input: Omit<DocumentInput, "bytes"> & { readonly mediaType: string },
  text: string,
): Promise<FoundResult> {
  throwIfAborted(input.signal, `Reading ${input.uri}`, { uri: input.uri });
  const limits = limitsOf({ ...(input.limits && { limits: input.limits }) });
  const request: TextReadInput = { ...requestOf([], { ...input, limits }, input.mediaType), text };
  const result = await attemptRead(reader, request, () => reader.readText!(request));
  return { ...result, mediaType: input.mediaType };
}

/** The request to a reader, without its content. */
function requestOf(
  readers: readonly Reader[],
  input: Omit<DocumentInput, "bytes"> & { readonly limits: ReadLimits },
  mediaType: string,
): Omit<ReadInput, "bytes" | "charset"> {
  const { uri, limits, password, metadata, signal, onPage, depth = 0 } = input;
  return {
    uri,
    mediaType,
    limits,
    ...(password === undefined ? {} : { password }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(signal === undefined ? {} : { signal }),
    ...(onPage === undefined ? {} : { onPage }),
    depth,
    readPart: createPartReader(readers, input),
  };
}

/** **Errors** an `IbidError`, always, that names the uri. */
async function attemptRead(
  reader: Reader,
  { uri, mediaType, limits, signal, depth = 0 }: Omit<ReadInput, "bytes" | "charset">,
  read: () => Promise<ReadResult>,
): Promise<ReadResult> {
  try {
    const result = await read();
    checkReadResult(result, reader.name, uri, limitsOf({ ...(limits && { limits }) }).maxTextLength);
    // The file around a part marks the blocks of both.
    return depth === 0 ? markTables(await markContents(result)) : result;
  } catch (error) {
    if (IbidError.isInstance(error)) throw error;
    throwIfAborted(signal, `Reading ${uri}`, { uri, cause: error });
    throw new IbidError("unreadable", `${uri} could not be read as ${mediaType}: the reader ${reader.name} failed.`, {
      hint: "Check that the file opens in a program of its kind, or give it in another format. For a reader of your own, `cause` has its error.",
      uri,
      details: { mediaType, reader: reader.name },
      cause: error,
    });
  }
}

/** Makes a reader's `readPart`. **Errors** `too-large` for a part that lies within more files than `maxDepth` allows. */
export function createPartReader(
  readers: readonly Reader[],
  { uri, password, limits, signal, depth = 0, readElsewhere }: Omit<DocumentInput, "bytes">,
): (part: ReadPart) => Promise<FoundResult> {
  return async ({ name, ...given }) => {
    const { maxDepth } = limitsOf({ ...(limits && { limits }) });
    if (depth >= maxDepth) throw overLimit(uri, "maxDepth", maxDepth);
    const part: PartInput = { ...given, uri: `${uri}/${name}`, password, limits, depth: depth + 1 };
    return (await readElsewhere?.(part)) ?? (await readDocument(readers, { ...part, signal, readElsewhere }));
  };
}
