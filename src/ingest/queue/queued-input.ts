import { archivesOf } from "../../readers/archives/archive-kind.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { EnqueueInput, EnqueueOptions } from "../../contracts/ingestion-queue.ts";
import type { NewJob, TakenJob } from "../../contracts/job-store.ts";
import type { BytesInput, IngestInput, IngestOptions, TextInput } from "../../contracts/knowledge-base.ts";
import type { JsonValue } from "../../contracts/metadata.ts";
import { toMetadata } from "../../runtime/to-json.ts";
import { collectBytes } from "../../readers/collect-bytes.ts";

/** As much as a document named outright may have. */
const defaultMaxBytes = 64 * 1024 * 1024;

/** The JSON in a job's `request`: all of an ingestion but the bytes. */
interface Request {
  readonly kind: "path" | "text" | "bytes";
  readonly mediaType?: string;
  readonly charset?: string;
  readonly title?: string;
  /** The document's own. */
  readonly metadata?: TextInput["metadata"];
  readonly options: Pick<IngestOptions, "metadata" | "origin" | "sweep" | "folders">;
  readonly changed?: readonly string[];
}

/** The name of a queued input. **Errors** `invalid-id` for a name that is blank or cannot be kept. */
export function nameOf(input: EnqueueInput): string {
  const name = typeof input === "string" ? input : input.uri;
  if (typeof name === "string" && name.trim() !== "" && name.isWellFormed() && !name.includes("\u0000")) return name;
  throw new IbidError("invalid-id", "The job's uri is blank or not a valid string.", {
    hint: "Give a path or a uri.",
  });
}

/** How an ingestion is asked for, before it is put off: for the knowledge base to refuse what it would refuse then. */
export function toIngestOptions({ changed: _changed, signal: _signal, ...options }: EnqueueOptions): IngestOptions {
  return options;
}

/**
 * An input as something that outlives the process: a path stays a path, a text and bytes are taken whole.
 *
 * **Errors** as reading a stream; `invalid-argument`, naming the key, for metadata that JSON cannot hold.
 */
export async function toRequest(
  input: EnqueueInput,
  { metadata, origin, sweep, folders, changed, signal }: EnqueueOptions,
): Promise<Pick<NewJob, "request" | "bytes">> {
  const given = metadata && toMetadata(metadata, "enqueue");
  const shared = { options: { metadata: given, origin, sweep, folders }, changed };
  if (typeof input === "string") return { request: toJson({ kind: "path", ...shared }) };
  const { mediaType, title, metadata: own } = input;
  const facts = { ...shared, mediaType, title, metadata: own && toMetadata(own, input.uri) };
  if ("text" in input)
    return { request: toJson({ kind: "text", ...facts }), bytes: new TextEncoder().encode(input.text) };
  const { uri, charset, bytes, maxBytes = defaultMaxBytes } = input;
  return {
    request: toJson({ kind: "bytes", ...facts, charset }),
    bytes: await collectBytes(bytes, { uri, maxBytes, signal }),
  };
}

/** The input of a job, and the options to ingest it with. */
export function toIngestion({ uri, scope, request, bytes = new Uint8Array() }: TakenJob): {
  readonly input: IngestInput;
  readonly options: IngestOptions;
} {
  const { kind, options, changed, mediaType, charset, title, metadata } = request as unknown as Request;
  const looked = new Set(changed);
  const refresh = changed && {
    shouldReread: (found: string, kept: unknown) =>
      kept === undefined || looked.has(found) || archivesOf(found).some((archive) => looked.has(archive)),
  };
  const facts = { uri, ...defined({ mediaType, title, metadata }) };
  const whole: IngestOptions = { scope, ...defined(options), ...(refresh && { refresh }) };
  if (kind === "path") return { input: uri, options: whole };
  if (kind === "text") {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return { input: { ...facts, text } satisfies TextInput, options: whole };
  }
  const maxBytes = Math.max(1, bytes.byteLength);
  return { input: { ...facts, ...defined({ charset }), bytes, maxBytes } satisfies BytesInput, options: whole };
}

function toJson(request: object): { readonly [key: string]: JsonValue | undefined } {
  return JSON.parse(JSON.stringify(request)) as { readonly [key: string]: JsonValue };
}

/** Without the keys that say nothing. */
function defined<Facts extends object>(facts: Facts): { [Key in keyof Facts]: Exclude<Facts[Key], undefined> } {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Facts]: Exclude<Facts[Key], undefined> };
}
