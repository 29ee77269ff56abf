import type { Chunk } from "../contracts/chunk.ts";
import type { MediaDocument, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { BytesInput, FolderRules, IngestInput, IngestOptions, TextInput } from "../contracts/knowledge-base.ts";
import type { Source, SourceItem } from "../contracts/reader.ts";
import { collectBytes } from "../readers/collect-bytes.ts";
import type { IngestItem } from "../ingest/ingest-item.ts";
import type { IngestJob } from "../ingest/ingest.ts";
import { joinSources } from "./join-sources.ts";

/** How paths, globs and addresses become a source; on a runtime without files there is no way. */
export type OpenSource = (inputs: readonly string[], rules?: WalkRules) => Source;

/** Which files below a folder, and who is told of the others. */
export type WalkRules = FolderRules & Pick<IngestOptions, "onSkip">;

/** What an ingestion takes in, told apart: chunks that are already cut, or items that walk the pipeline. */
export type SortedInput =
  | { readonly kind: "chunks"; readonly chunks: readonly Chunk[] }
  | ({ readonly kind: "items" } & Pick<IngestJob, "items" | "changes" | "folders" | "has">);

/** Tells the forms of {@link IngestInput} apart. **Errors** `invalid-argument` for anything else. */
export function sortInput(input: IngestInput, openSource: OpenSource | undefined, rules?: WalkRules): SortedInput {
  if (typeof input === "string") return fromSource(open([input], openSource, rules));
  if (Array.isArray(input)) {
    const list = input as readonly unknown[];
    if (list.length > 0 && list.every((entry) => typeof entry === "string" || isSource(entry))) {
      const paths = list.filter((entry) => typeof entry === "string");
      const opened = paths.length === 0 ? [] : [open(paths, openSource, rules)];
      return fromSource(joinSources([...opened, ...list.filter(isSource)]));
    }
    if (list.length > 0 && list.every(isChunk)) return { kind: "chunks", chunks: list };
    if (list.every((entry) => !isChunk(entry) && typeof entry !== "string" && !isSource(entry)))
      return { kind: "items", items: () => each(list), folders: [] };
    throw new IbidError("invalid-argument", "The list to ingest mixes paths, chunks and documents.", {
      hint: "Ingest paths, chunks and documents in separate calls.",
    });
  }
  if (isSource(input)) return fromSource(input);
  if (isAsyncIterable(input)) return { kind: "items", items: () => each(input), folders: [] };
  return { kind: "items", items: () => each([input]), folders: [] };
}

function open(inputs: readonly string[], openSource: OpenSource | undefined, rules: WalkRules | undefined): Source {
  if (openSource === undefined) {
    throw new IbidError("unsupported-runtime", "Paths and addresses cannot be read on this runtime.", {
      hint: "Pass texts instead: kb.ingest({ uri, text }).",
    });
  }
  return openSource(inputs, rules);
}

const fromSource = (source: Source): SortedInput => ({
  kind: "items",
  items: (signal) => source.items(signal),
  changes: source.changes?.bind(source),
  get folders() {
    return source.folders;
  },
  has: source.has?.bind(source),
});

async function* each(inputs: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<IngestItem> {
  for await (const input of inputs) yield toItem(input);
}

function toItem(input: unknown): IngestItem {
  if (isDocument(input)) return input;
  if (isTextInput(input)) return textItem(input);
  if (isBytesInput(input)) return bytesItem(input);
  throw new IbidError("invalid-argument", "This is nothing that can be ingested.", {
    hint: "Pass a path, a glob, an address, { uri, text }, { uri, bytes }, a document, chunks, a source, or a stream of texts or documents.",
  });
}

/** What is named by the caller. **Errors** `invalid-id` for a blank name. */
function checkName({ uri }: TextInput | BytesInput): void {
  if (uri.trim() !== "") return;
  throw new IbidError("invalid-id", "A text to ingest has a blank uri.", {
    hint: "Give it a name that tells it from the others.",
  });
}

/** As much as a file named outright may have. */
const defaultMaxBytes = 64 * 1024 * 1024;

function bytesItem(input: BytesInput): SourceItem {
  checkName(input);
  const { uri, bytes, mediaType, charset, title, metadata, maxBytes = defaultMaxBytes } = input;
  return {
    uri,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(charset === undefined ? {} : { charset }),
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    bytes: (signal) => collectBytes(bytes, { uri, maxBytes, signal }),
  };
}

function textItem(input: TextInput): SourceItem {
  checkName(input);
  const bytes = new TextEncoder().encode(input.text);
  return {
    uri: input.uri,
    size: bytes.byteLength,
    mediaType: input.mediaType ?? "text/plain",
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
    bytes: () => Promise.resolve(bytes),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isChunk = (value: unknown): value is Chunk => isObject(value) && value["type"] === "text-chunk";

const isTextInput = (value: unknown): value is TextInput =>
  isObject(value) &&
  typeof value["uri"] === "string" &&
  typeof value["text"] === "string" &&
  value["type"] === undefined;

const isBytesInput = (value: unknown): value is BytesInput => {
  if (!isObject(value) || typeof value["uri"] !== "string" || value["type"] !== undefined) return false;
  const { bytes } = value;
  return (
    isObject(bytes) &&
    (bytes instanceof Uint8Array ||
      bytes instanceof ArrayBuffer ||
      Symbol.asyncIterator in bytes ||
      typeof bytes["arrayBuffer"] === "function" ||
      typeof bytes["getReader"] === "function")
  );
};

const isDocument = (value: unknown): value is TextDocument | MediaDocument =>
  isObject(value) &&
  typeof value["type"] === "string" &&
  ["text", "image", "audio", "file", "binary"].includes(value["type"]);

const isSource = (value: unknown): value is Source =>
  isObject(value) && typeof value["items"] === "function" && Array.isArray(value["folders"]);

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value;
