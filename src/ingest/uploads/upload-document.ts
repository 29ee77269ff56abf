import type { Origin } from "../../contracts/document.ts";
import { checkIngest } from "./check-ingest.ts";
import { IbidError } from "../../contracts/errors.ts";
import type {
  ByteContent,
  BytesInput,
  IngestResult,
  KnowledgeBase,
  TextInput,
} from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { ingestOnly } from "./ingest-only.ts";

/**
 * An upload, ready for `kb.ingest(input, options)`, or for a queue.
 *
 * @experimental
 */
export interface Upload {
  readonly input: TextInput | BytesInput;
  readonly options: { readonly scope: Scope; readonly origin: Origin; readonly metadata?: Metadata };
}

/**
 * Takes an upload for later: `({ input, options }) => queue.enqueue(input, options)`. **Shape** false when there is no room: nothing is kept of it then.
 *
 * @experimental
 */
export type EnqueueUpload<Given extends Upload = Upload> = (
  upload: Given,
) => boolean | string | Promise<boolean | string>;

/**
 * Where an upload goes, and when; everything has a default.
 *
 * @experimental
 */
export interface UploadOptions {
  /** Default: as for `ingest`. A queue needs it, because it may not know the uploader. */
  readonly scope?: Scope | undefined;
  readonly metadata?: Metadata | undefined;
  readonly title?: string | undefined;
  /** Default: what the bytes look like, then the name; `text/plain` for a text. */
  readonly mediaType?: string | undefined;
  /** Queues the upload for later. Default: none; it is ingested at once. */
  readonly enqueue?: EnqueueUpload | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Options of a written text.
 *
 * @experimental
 */
export interface WrittenOptions extends UploadOptions {
  /** Names it, so that it can be written again. Default: a hash of the text, so that the same text twice is one document. */
  readonly id?: string | undefined;
}

/**
 * Outcome of an upload: its ingestion's result, that it is queued, or that the queue is full, which is a failure with `store-busy`.
 *
 * @experimental
 */
export type UploadResult =
  | IngestResult
  | { readonly uri: string; readonly status: "queued" }
  | { readonly uri: string; readonly status: "failed"; readonly error: IbidError };

const uploadOptions = {
  scope: true,
  metadata: true,
  title: true,
  mediaType: true,
  enqueue: true,
  signal: true,
} as const;

/**
 * Ingests a user's document, of origin `user-content`.
 *
 * **Shape** its uri is `file.name`; the same name again replaces the earlier document. A stream is read once, when its turn comes.
 * **Errors** a document that cannot be read is a result with `error`; `access-denied`, `aborted`, `invalid-argument` are thrown.
 * **Source** ToolUp `UploadDocument`, `ChunkOrigin`.
 *
 * @experimental
 */
export async function uploadDocument(
  kb: KnowledgeBase,
  file: { readonly name: string; readonly bytes: ByteContent },
  options: UploadOptions = {},
): Promise<UploadResult> {
  checkGiven("uploadDocument", "kb", kb, "object", { ingest: "function" });
  checkGiven("uploadDocument", "file", file, "object");
  checkOptions("uploadDocument", options, uploadOptions);
  return take(kb, { uri: file.name, bytes: file.bytes, ...sayings(options) }, "user-content", options);
}

/**
 * Ingests a note, of origin `note`.
 *
 * **Shape** its uri is `note:` and its id. **Errors** as {@link uploadDocument}; `invalid-id` for a blank id. **Source** ToolUp `AddNote`.
 *
 * @experimental
 */
export async function addNote(kb: KnowledgeBase, text: string, options: WrittenOptions = {}): Promise<UploadResult> {
  checkGiven("addNote", "kb", kb, "object", { ingest: "function" });
  checkGiven("addNote", "text", text, "text");
  checkOptions("addNote", options, { ...uploadOptions, id: true });
  return take(kb, written("note", text, options), "note", options);
}

/**
 * Ingests an account of events that a program or a model wrote, of origin `narrative`.
 *
 * **Shape** its uri is `narrative:` and its id. **Errors** as {@link uploadDocument}; `invalid-id` for a blank id.
 * **Source** ToolUp `IngestNarrative`.
 *
 * @experimental
 */
export async function ingestNarrative(
  kb: KnowledgeBase,
  text: string,
  options: WrittenOptions = {},
): Promise<UploadResult> {
  checkGiven("ingestNarrative", "kb", kb, "object", { ingest: "function" });
  checkGiven("ingestNarrative", "text", text, "text");
  checkOptions("ingestNarrative", options, { ...uploadOptions, id: true });
  return take(kb, written("narrative", text, options), "narrative", options);
}

function written(kind: "note" | "narrative", text: string, options: WrittenOptions): TextInput {
  const { id = hashParts(text) } = options;
  if (id.trim() !== "") return { uri: `${kind}:${id}`, text, ...sayings(options) };
  throw new IbidError("invalid-id", `A ${kind} has a blank id.`, {
    hint: "Leave it out to have it named by its text.",
  });
}

function sayings({ title, mediaType }: UploadOptions): { readonly title?: string; readonly mediaType?: string } {
  return { ...(title === undefined ? {} : { title }), ...(mediaType === undefined ? {} : { mediaType }) };
}

async function take(
  kb: KnowledgeBase,
  input: TextInput | BytesInput,
  origin: Origin,
  { scope, metadata, enqueue, signal }: UploadOptions,
): Promise<UploadResult> {
  const options = {
    origin,
    ...(scope === undefined ? {} : { scope }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  if (enqueue === undefined) return ingestOnly(kb, input, { ...options, ...(signal && { signal }) });
  if (scope === undefined) {
    throw new IbidError("invalid-argument", `${input.uri} is for a queue, and names no scope.`, {
      uri: input.uri,
      hint: 'Say where it goes: scope: "team:…".',
    });
  }
  checkIngest(kb, input, { ...options, scope });
  const { uri } = input;
  const taken = await enqueue({ input, options: { ...options, scope } });
  return taken === false ? { uri, status: "failed", error: queueIsFull(uri) } : { uri, status: "queued" };
}

/** The error for an upload that a full queue does not take. */
export function queueIsFull(uri: string): IbidError {
  return new IbidError("store-busy", `${uri} was not taken: the queue is full.`, {
    uri,
    hint: "Upload it again when the queue is shorter.",
  });
}
