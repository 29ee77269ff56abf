import type { Chunk } from "../contracts/chunk.ts";
import type { MediaDocument, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type {
  BytesInput,
  ChunksInput,
  FolderRules,
  IngestInput,
  IngestOptions,
  TextInput,
  TextLiteral,
} from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { AskKept, Source, SourceItem, SourceRefusal, SourceUnchanged } from "../contracts/reader.ts";
import type { Scope } from "../contracts/scope.ts";
import { checkGiven, checkNotRevoked } from "../runtime/check-options.ts";
import { hashParts, sha256 } from "../runtime/hash.ts";
import { readMediaContent } from "../readers/media-document.ts";
import { toMetadata } from "../runtime/to-json.ts";
import type { Arrival } from "./arrival.ts";
import { joinSources } from "./sources/join-sources.ts";

/** How paths, globs and addresses become a source; absent on a runtime without files. */
export type OpenSource = (inputs: readonly string[], rules?: WalkRules) => Source;

/** Rules for the files that are taken below a folder, and a callback for the others. */
export type WalkRules = FolderRules & Pick<IngestOptions, "onSkip">;

/** Every input of one ingestion, in one form. */
export interface Arrivals extends Pick<Source, "folders"> {
  readonly has?: Source["has"] | undefined;
  /** `kept` answers sources that must fetch to know more. */
  open(kept: AskKept, signal: AbortSignal | undefined): AsyncIterable<Arrival>;
  /** Whether all of them come in together: a failure of one stores none. */
  readonly together: boolean;
}

/**
 * Turns every form of {@link IngestInput} into arrivals. `home` is the scope that the call did not name; an input that names another one is refused.
 *
 * **Errors** `invalid-argument` for anything else, and for chunks and metadata of a wrong shape, by the name of the field; `invalid-id`.
 */
export function toArrivals(
  given: IngestInput,
  openSource: OpenSource | undefined,
  rules?: WalkRules,
  ids: IngestOptions["ids"] = "require",
  home?: Scope,
): Arrivals {
  checkNotRevoked("ingest", "input", given);
  const input = ids === "generate" ? withIds(given) : given;
  if (typeof input === "string") return fromSource(open([input], openSource, rules));
  if (Array.isArray(input)) {
    const list = input as readonly unknown[];
    if (list.length > 0 && list.every((entry) => typeof entry === "string" || isSource(entry))) {
      const paths = list.filter((entry) => typeof entry === "string");
      const opened = paths.length === 0 ? [] : [open(paths, openSource, rules)];
      return fromSource(joinSources([...opened, ...list.filter(isSource)]));
    }
    if (list.length > 0 && list.every(isChunk)) return together(async () => (await chunkInputs()).readChunkList(list));
    if (list.length > 0 && list.every(isChunksInput))
      return together(async () => {
        const { readChunksInput } = await chunkInputs();
        return list.map((input) => readChunksInput(input));
      });
    if (list.every((entry) => !isChunk(entry) && typeof entry !== "string" && !isSource(entry))) {
      for (const entry of list) if (isTextInput(entry) || isBytesInput(entry)) checkUri(entry.uri);
      return each(list, home);
    }
    throw new IbidError("invalid-argument", "The list to ingest mixes paths, chunks and documents.", {
      hint: "Ingest paths, chunks and documents in separate calls.",
    });
  }
  if (isSource(input)) return fromSource(input);
  if (isAsyncIterable(input)) return each(input, home);
  if (isChunksInput(input)) return together(async () => [(await chunkInputs()).readChunksInput(input)]);
  return each([input], home);
}

/** Names texts that have no uri by their content; a chunk without an id gets one of its own further on. */
function withIds(input: IngestInput): IngestInput {
  const fill = (one: unknown): unknown => {
    if (!isObject(one)) return one;
    if (isChunksInput(one))
      return { ...one, chunks: one.chunks.map((chunk) => (isBlank(chunk.id) ? { ...chunk, id: undefined } : chunk)) };
    const { uri, text } = one;
    return typeof text === "string" && one["type"] === undefined && isBlank(uri)
      ? { ...one, uri: `text:${hashParts(text)}` }
      : one;
  };
  return (Array.isArray(input) ? input.map(fill) : isAsyncIterable(input) ? input : fill(input)) as IngestInput;
}

const isBlank = (id: unknown): boolean => id === undefined || (typeof id === "string" && id.trim() === "");

function open(inputs: readonly string[], openSource: OpenSource | undefined, rules: WalkRules | undefined): Source {
  if (openSource === undefined) {
    throw new IbidError("unsupported-runtime", "Paths and addresses cannot be read on this runtime.", {
      hint: "Pass texts instead: kb.ingest({ uri, text }).",
    });
  }
  return openSource(inputs, rules);
}

async function* map<From>(
  inputs: Iterable<From> | AsyncIterable<From>,
  to: (input: From) => Arrival | Promise<Arrival>,
) {
  for await (const input of checkIterator(inputs)) yield to(input);
}

/** The same inputs. **Errors** `invalid-argument` for an iterable whose iterator has no `next`: the engine's own error would name nothing. */
function checkIterator<From>(inputs: Iterable<From> | AsyncIterable<From>): Iterable<From> | AsyncIterable<From> {
  if (!isAsyncIterable(inputs)) return inputs;
  const iterator = inputs[Symbol.asyncIterator]();
  checkGiven("ingest", "inputs[Symbol.asyncIterator]()", iterator, "object", { next: "function" });
  return { [Symbol.asyncIterator]: () => iterator };
}

const each = (inputs: Iterable<unknown> | AsyncIterable<unknown>, home: Scope | undefined): Arrivals => ({
  open: () => map(inputs, (input) => toArrival(checkScope(input, home))),
  folders: [],
  together: false,
});

const together = (read: () => Promise<readonly Arrival[]>): Arrivals => ({
  async *open() {
    yield* await read();
  },
  folders: [],
  together: true,
});

const fromSource = (source: Source): Arrivals => ({
  open: (kept, signal) => map(source.changes?.(kept, signal) ?? source.items(signal), fromItem),
  get folders() {
    return source.folders;
  },
  has: source.has?.bind(source),
  together: false,
});

/** An item of a source. A fault in what it says of itself is the item's own failure. */
function fromItem(item: SourceItem | SourceRefusal | SourceUnchanged): Arrival {
  const { uri } = item;
  if ("error" in item) return refused(uri, item.error, item.named, item.oversized);
  const { folder = null, validators } = item;
  const shared = { uri, folder, validators };
  if ("unchanged" in item) return { ...shared, metadata: {}, content: { kind: "unchanged" } };
  try {
    return { ...shared, title: item.title, metadata: toMetadata(item.metadata, uri), content: { kind: "bytes", item } };
  } catch (error) {
    return refused(uri, error);
  }
}

const refused = (uri: string, error: unknown, named = false, oversized = false): Arrival => ({
  uri,
  metadata: {},
  folder: null,
  content: { kind: "refused", error, named, oversized },
});

/** Chunks that were cut elsewhere are rare, and so is the code that takes them. */
const chunkInputs = () => import("./chunk-inputs.ts");

async function toArrival(input: unknown): Promise<Arrival> {
  checkNotRevoked("ingest", "input", input);
  if (isTextLiteral(input)) return fromTextLiteral(input);
  if (isDocument(input)) return fromDocument(input);
  if (isChunksInput(input)) return (await chunkInputs()).readChunksInput(input);
  if (isTextInput(input) && input.embedding !== undefined) {
    checkUri(input.uri);
    return (await chunkInputs()).readEmbeddedText(input);
  }
  const isText = isTextInput(input);
  if (!isText && !isBytesInput(input)) {
    throw new IbidError("invalid-argument", "This is nothing that can be ingested.", {
      hint: "Pass a path, a glob, an address, { uri, text }, { uri, bytes }, { chunks }, a document, a source, or a stream of texts or documents.",
    });
  }
  const { uri } = input;
  checkUri(uri);
  const { title } = input;
  const metadata = toMetadata(input.metadata, uri);
  const item = isText ? textItem(input, metadata) : bytesItem(input, metadata);
  return { uri, title, metadata, folder: null, content: { kind: "bytes", item } };
}

/** The same input. **Errors** `invalid-argument` for one that names a scope: it would be stored in another one, with other readers. */
function checkScope<Input>(input: Input, home: Scope | undefined): Input {
  const named = home !== undefined && isObject(input) ? input["scope"] : undefined;
  if (named === undefined || named === home) return input;
  const scope = JSON.stringify(named);
  throw new IbidError("invalid-argument", `An input names the scope ${scope}, and the call ingests into ${home}.`, {
    hint: `The scope is an option of the call: kb.ingest(input, { scope: ${scope} }).`,
  });
}

function checkUri(uri: string): void {
  if (uri.trim() !== "") return;
  throw new IbidError("invalid-id", "A text to ingest has a blank uri.", {
    hint: "Give it a name that tells it from the others.",
  });
}

/** A text or a chunk as Ballerina writes it: `{ type: "text", content, metadata }`. */
const isTextLiteral = (value: unknown): value is TextLiteral =>
  isObject(value) &&
  (value["type"] === "text" || value["type"] === "text-chunk") &&
  typeof value["content"] === "string" &&
  value["text"] === undefined;

/** **Shape** named after `metadata.fileName`, else after a hash of the text. A chunk is stored as one chunk. */
async function fromTextLiteral({ type, content, metadata = {} }: TextLiteral): Promise<Arrival> {
  const { fileName, mimeType } = metadata;
  const uri = typeof fileName === "string" && fileName.trim() !== "" ? fileName : `text:${hashParts(content)}`;
  const mediaType = typeof mimeType === "string" ? mimeType : undefined;
  if (type === "text") return toArrival({ uri, text: content, metadata, mediaType });
  const chunks = [{ text: content, start: 0, end: content.length }];
  return (await chunkInputs()).readChunksInput({ uri, text: content, chunks, metadata }, mediaType);
}

function fromDocument(document: TextDocument | MediaDocument): Arrival {
  if (document.type === "text") {
    const { uri, metadata } = document;
    if (typeof uri !== "string" || typeof document.text !== "string" || document.root === undefined) {
      throw new IbidError("invalid-argument", "A document of type text has no uri, no text or no section tree.", {
        hint: 'Give { uri, text }, { type: "text", content, metadata }, or a document of composeDocument.',
      });
    }
    return { uri, metadata: toMetadata(metadata, uri), folder: null, content: { kind: "text", document } };
  }
  return fromMedia(document);
}

/** **Shape** named after `metadata.fileName`, else its address, else a hash of its bytes. */
function fromMedia({ type, content: given, mediaType, metadata }: MediaDocument): Arrival {
  const content = readMediaContent(given, `A document of type ${type}`);
  // A literal may lack them.
  const facts: Metadata = metadata ?? {};
  const { fileName, mimeType } = facts;
  const named =
    content instanceof URL
      ? content.href
      : content instanceof Uint8Array
        ? `${type}:${sha256(content).slice(0, 32)}`
        : `${type}:${content.fileId}`;
  const uri = typeof fileName === "string" && fileName.trim() !== "" ? fileName : named;
  const taken = toMetadata(facts, uri);
  const kind = mediaType ?? mimeType;
  const document: MediaDocument = {
    type,
    content,
    metadata: taken,
    ...(typeof kind === "string" && { mediaType: kind }),
  };
  return { uri, metadata: taken, folder: null, content: { kind: "media", document } };
}

/** Limit of a file that is named outright. */
const defaultMaxBytes = 64 * 1024 * 1024;

function bytesItem(input: BytesInput, metadata: Metadata): SourceItem {
  const { uri, bytes, mediaType, charset, keepsMedia, maxBytes = defaultMaxBytes } = input;
  return {
    uri,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(charset === undefined ? {} : { charset }),
    ...(keepsMedia === true && { keepsMedia }),
    metadata,
    async bytes(signal) {
      const { collectBytes } = await import("../readers/collect-bytes.ts");
      return collectBytes(bytes, { uri, maxBytes, signal });
    },
  };
}

function textItem({ uri, text, mediaType = "text/plain" }: TextInput, metadata: Metadata): SourceItem {
  const bytes = new TextEncoder().encode(text);
  return { uri, size: bytes.byteLength, mediaType, metadata, bytes: () => Promise.resolve(bytes) };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isChunk = (value: unknown): value is Chunk =>
  isObject(value) && value["type"] === "text-chunk" && value["content"] === undefined;

const isChunksInput = (value: unknown): value is ChunksInput =>
  isObject(value) && Array.isArray(value["chunks"]) && value["type"] === undefined;

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
