import type { BlobStore, PutBlobResult } from "../../contracts/blob-store.ts";
import type { Origin } from "../../contracts/document.ts";
import { checkIngest } from "./check-ingest.ts";
import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";
import type { IngestResult, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { archivesOf } from "../../readers/archives/archive-kind.ts";
import { detectMediaType } from "../../readers/media-type.ts";
import { checkBlobKey, isBlobKey } from "../../stores/blobs/check-blob.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { matchesMediaType } from "../../runtime/matches-media-type.ts";
import { asIngestError } from "../as-ingest-error.ts";
import { ingestOnly } from "./ingest-only.ts";
import { type EnqueueUpload, queueIsFull, type Upload } from "./upload-document.ts";

/**
 * A blob that is to be ingested.
 *
 * @experimental
 */
export interface BlobUpload extends Upload {
  readonly key: string;
  readonly mediaType: string;
}

/**
 * Options for the ingestion of blobs.
 *
 * @experimental
 */
export interface BlobIngestionOptions {
  readonly scope: Scope;
  /** Metadata of every document. */
  readonly metadata?: Metadata | undefined;
  /** Default `"user-content"`. */
  readonly origin?: Origin | undefined;
  /** Only these; `text/*` is every text. Default: whatever a reader takes. */
  readonly mediaTypes?: readonly string[] | undefined;
  /** Media type for a key, where no reader would know it: for a custom handler. Default: by the extension. */
  readonly mediaTypeOf?: ((key: string) => string | undefined) | undefined;
  /** Prefix of a document's uri before its key. No other documents of the scope may have it. Default `"blob:"`. */
  readonly uriPrefix?: string | undefined;
  /** Queues uploads for later, with their bytes, or with their key for a later `ingest`. Default: none; they are ingested before `put` returns. */
  readonly enqueue?: EnqueueUpload<BlobUpload> | undefined;
  /** Lets go of what waits for a document that is deleted, or it would come back: `(uri, scope) => queue.cancel(queue.idOf(uri, scope))`. */
  readonly cancel?: ((uri: string, scope: Scope) => unknown) | undefined;
}

/**
 * Outcome of one blob in the knowledge base.
 *
 * @experimental
 */
export interface BlobIngestion {
  readonly key: string;
  readonly uri: string;
  /**
   * `skipped`: its media type is not wanted, or nobody reads it; `error` says which. `rejected`: the queue is full. `removed`: there is no such blob, and now
   * no such document.
   */
  readonly status: "ingested" | "queued" | "rejected" | "skipped" | "removed" | "failed";
  readonly mediaType?: string;
  /** Result of the reading: chunks, notes, and whether it was new. */
  readonly result?: IngestResult;
  readonly error?: IbidError;
}

/**
 * A {@link BlobStore} beside which a knowledge base is kept.
 *
 * @experimental
 */
export interface IngestingBlobStore extends BlobStore {
  /** The blob is saved when this returns, whatever became of its ingestion; a conflict has none. */
  put(
    ...call: Parameters<BlobStore["put"]>
  ): Promise<PutBlobResult & { readonly ingestion?: BlobIngestion | undefined }>;
  /** Out of the knowledge base first, so that nothing is cited that is gone. */
  delete(...call: Parameters<BlobStore["delete"]>): Promise<void>;
  /** Brings the knowledge base to what the store has under that key now. Idempotent: what a queue calls, once or twice. */
  ingest(key: string, options?: { readonly signal?: AbortSignal }): Promise<BlobIngestion>;
  /** The same for every key, and for documents whose blobs are gone: after a crash, or for a store that others wrote to. */
  ingestAll(options?: { readonly signal?: AbortSignal }): AsyncIterable<BlobIngestion>;
}

const optionNames = {
  scope: true,
  metadata: true,
  origin: true,
  mediaTypes: true,
  mediaTypeOf: true,
  uriPrefix: true,
  enqueue: true,
  cancel: true,
} as const;

/** Errors for uploads that no reader takes: an upload of such a kind is no mistake. */
const unread: readonly IbidErrorCode[] = ["unsupported-media", "binary", "empty"];

/**
 * Wraps a blob store: saved blobs are ingested by their media type, and deleted ones leave the knowledge base.
 *
 * **Shape** calls for one key take turns in this process; when another process wrote meanwhile, its own hook or `ingestAll` catches up. A blob that
 * replaces a document and cannot be one itself removes that document. Bytes and key decide the media type: give keys their extension.
 * **Errors** `access-denied` at once where the caller may not write; errors of the store, and of deleting. An error of an ingestion is in its outcome.
 * **Source** ToolUp's post-save hook; a handler of a media type is one of the knowledge base's (`handlers`).
 *
 * @experimental
 */
export function withIngestion(store: BlobStore, kb: KnowledgeBase, options: BlobIngestionOptions): IngestingBlobStore {
  checkGiven("withIngestion", "store", store, "object");
  checkGiven("withIngestion", "kb", kb, "object", { ingest: "function", delete: "function", mayWrite: "function" });
  checkGiven("withIngestion", "options", options, "object");
  checkOptions("withIngestion", options, optionNames);
  const {
    scope,
    metadata,
    origin = "user-content",
    mediaTypes,
    mediaTypeOf,
    uriPrefix = "blob:",
    enqueue,
    cancel,
  } = options;
  checkIngest(kb, [], { scope, origin, ...(metadata && { metadata }) });
  const inTurn = createTurnsByKey();
  const uriOf = (key: string): string => uriPrefix + key;
  const remove = async (uri: string): Promise<void> => {
    await cancel?.(uri, scope);
    await kb.delete(uri, { scope });
  };

  /** The media type of the bytes. **Errors** `unsupported-media` when it is not among `mediaTypes`. */
  const wantedType = (key: string, bytes: Uint8Array): string => {
    const mediaType = detectMediaType(bytes, { declared: mediaTypeOf?.(key), name: uriOf(key) });
    if (mediaTypes === undefined || matchesMediaType(mediaTypes, mediaType)) return mediaType;
    throw new IbidError("unsupported-media", `${uriOf(key)} is ${mediaType}, which is not among those to ingest.`, {
      uri: uriOf(key),
      hint: "Add it to mediaTypes, or leave mediaTypes out.",
    });
  };

  const outcomeOf = async (
    key: string,
    bytes: Uint8Array,
    go: (mediaType: string) => Promise<Omit<BlobIngestion, "key" | "uri">>,
  ): Promise<BlobIngestion> => {
    const uri = uriOf(key);
    const recover = async (error: unknown): Promise<BlobIngestion> => {
      if (!IbidError.isInstance(error)) return { key, uri, status: "failed", error: asIngestError(error, uri) };
      if (!unread.includes(error.code)) return { key, uri, status: "failed", error };
      await remove(uri);
      return { key, uri, status: "skipped", error };
    };
    try {
      const outcome = { key, uri, ...(await go(wantedType(key, bytes))) };
      if (outcome.result?.error === undefined) return outcome;
      return { ...outcome, ...(await recover(outcome.result.error)) };
    } catch (error) {
      return recover(error);
    }
  };

  const ingestNow = (key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<BlobIngestion> =>
    outcomeOf(key, bytes, async (mediaType) => {
      const result = await ingestOnly(
        kb,
        { uri: uriOf(key), bytes, mediaType, maxBytes: bytes.length },
        { scope, ...(metadata && { metadata }), origin, ...(signal && { signal }) },
      );
      return { status: "ingested", mediaType, result };
    });

  const ingestLater = (key: string, bytes: Uint8Array, take: NonNullable<typeof enqueue>): Promise<BlobIngestion> =>
    outcomeOf(key, bytes, async (mediaType) => {
      const uri = uriOf(key);
      const input = { uri, bytes, mediaType, maxBytes: bytes.length };
      const taken = await take({ key, mediaType, input, options: { scope, origin, ...(metadata && { metadata }) } });
      if (taken === false) return { status: "rejected", mediaType, error: queueIsFull(uri) };
      return { status: "queued", mediaType };
    });

  const ingest = (key: string, asked: { readonly signal?: AbortSignal } = {}): Promise<BlobIngestion> =>
    inTurn(key, async () => {
      const found = await store.get(key, asked);
      if (found !== undefined) return ingestNow(key, found.bytes, asked.signal);
      await remove(uriOf(key));
      return { key, uri: uriOf(key), status: "removed" };
    });

  return {
    head: store.head.bind(store),
    get: store.get.bind(store),
    list: store.list.bind(store),
    put(key, given, asked = {}) {
      // The caller may change theirs while this one waits for its turn.
      const bytes = given instanceof Uint8Array ? new Uint8Array(given) : given;
      return inTurn(key, async () => {
        const put = await store.put(key, bytes, asked);
        if (put.status === "conflict") return put;
        const later = enqueue && ingestLater(key, bytes, enqueue);
        return { ...put, ingestion: await (later ?? ingestNow(key, bytes, asked.signal)) };
      });
    },
    delete: (key, asked = {}) =>
      inTurn(key, async () => {
        checkBlobKey(key, "delete", asked);
        await remove(uriOf(key));
        await store.delete(key, asked);
      }),
    ingest,
    async *ingestAll(asked = {}) {
      checkOptions("ingestAll", asked, { signal: true });
      for await (const { key } of store.list(asked)) yield await ingest(key, asked);
      const known = new Set<string>();
      for await (const { uri, scope: of } of kb.list()) {
        const blob = archivesOf(uri).at(-1) ?? uri;
        if (of === scope && uri.startsWith(uriPrefix)) known.add(blob.slice(uriPrefix.length));
      }
      for (const key of known) {
        if (isBlobKey(key) && (await store.head(key, asked)) === undefined) yield await ingest(key, asked);
      }
    },
  };
}

/** One call at a time for each key, in the order in which they came. */
function createTurnsByKey(): <Value>(key: string, task: () => Promise<Value>) => Promise<Value> {
  const last = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(task);
    const ended = mine
      .catch(() => {})
      .then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return mine;
  };
}
