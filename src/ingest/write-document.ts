import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../contracts/chunker.ts";
import type { ChunkEntry, DocumentWrite } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Receipt } from "../contracts/leg.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { createChunkEmbedding, embedChunks } from "./embed-chunks.ts";
import { mapInOrder } from "./map-in-order.ts";
import { cutDocument, cutInBatches } from "./prepare-document.ts";
import { laterOf } from "./run-receipt.ts";
import type { IngestStages } from "./stages.ts";

/** A document that is read, on its way into the store. */
export interface Incoming {
  readonly facts: Omit<DocumentWrite, "chunks" | "keeps">;
  /** Nothing is held of a new document. */
  readonly isNew: boolean;
  /** Chunks for a document that was cut elsewhere; they are not transformed. */
  readonly chunks?: readonly Chunk[] | undefined;
  readonly chunker: Chunker | AsyncChunker;
}

/** Counts of documents that were written together. */
export interface Written {
  /** The number of chunks for each document, in order. */
  readonly chunks: readonly number[];
  /** Chunks of each document that were left without a vector, and why. Absent where nothing failed. */
  readonly failed?: ReadonlyMap<string, readonly unknown[]> | undefined;
  readonly sent: number;
  readonly tokens?: number | undefined;
  /** The receipt of the last commit. Absent where nothing was written. */
  readonly receipt?: Receipt | undefined;
}

export interface WriteJob {
  readonly into: AuthorizedScopes<"write">;
  /** Embeds every chunk anew, whatever the store holds. */
  readonly fresh?: boolean | undefined;
  /** Default `"error"`. */
  readonly onFailedBatch?: "error" | "skip" | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEmbedding?: ((uri: string) => void) | undefined;
  /** Called when only the store can fail any more. */
  readonly beforeWriting?: (() => Promise<void>) | undefined;
}

/** From this length on a document's chunks go from the chunker to the store in batches. **Units** UTF-16 code units. */
const large = 2 ** 20;

/** Writes that may share a commit. */
const concurrency = 16;

/**
 * Cuts, transforms and embeds documents, all of them, and swaps each for its earlier version, in a transaction of its own.
 *
 * **Shape** a large document that comes alone is never in memory with all its chunks, unless a transformer needs them together.
 * **Errors** `invalid-id`, and those of the chunker, the embedder and the store; `aborted`. Before the first write, nothing is stored.
 */
export async function writeDocuments(
  stages: IngestStages,
  job: WriteJob,
  incoming: readonly Incoming[],
): Promise<Written> {
  const [only] = incoming;
  const inBatches =
    incoming.length === 1 &&
    only!.chunks === undefined &&
    only!.facts.document.text.length >= large &&
    job.onFailedBatch !== "skip" &&
    stages.transformers.length === 0;
  return inBatches ? retried(() => writeInBatches(stages, job, only!)) : writeWhole(stages, job, incoming);
}

/** Another writer may take away, between asking and writing, a chunk whose vectors were to be kept. Asked again, the store tells. */
function retried<Result>(write: () => Promise<Result>, again = write): Promise<Result> {
  return write().catch((error: unknown) => {
    if (IbidError.isInstance(error, "store-busy")) return again();
    throw error;
  });
}

const heldOf = ({ fresh }: WriteJob, incoming: readonly Incoming[]): readonly string[] =>
  fresh === true ? [] : incoming.flatMap(({ isNew, facts }) => (isNew ? [] : [facts.document.id]));

async function writeWhole(stages: IngestStages, job: WriteJob, incoming: readonly Incoming[]): Promise<Written> {
  const { into, signal } = job;
  const cut: (readonly Chunk[])[] = [];
  for (const { facts, chunks, chunker } of incoming) {
    cut.push(chunks ?? (await cutDocument(chunker, stages.transformers, facts.document, signal)));
    job.onEmbedding?.(facts.document.uri);
  }
  const embed = async (some: readonly number[]) => {
    const chunks = some.flatMap((i) => cut[i]!);
    const held = heldOf(
      job,
      some.map((i) => incoming[i]!),
    );
    const { entries, keeps, failed, ...counted } = await embedChunks(
      stages,
      into,
      held,
      chunks,
      signal,
      job.onFailedBatch,
    );
    throwIfAborted(signal, "The ingestion");
    const ofDocument = Map.groupBy(entries, ({ chunk }) => chunk.documentId);
    const lacking = Map.groupBy(
      chunks.filter(({ id }) => failed.has(id)),
      ({ documentId }) => documentId,
    );
    return { ofDocument, keeps: new Set(keeps), failed, lacking, counted };
  };
  let receipt: Receipt | undefined;
  const all = await embed(incoming.map((_, i) => i));
  await job.beforeWriting?.();
  const put = async (i: number, { ofDocument, keeps, lacking }: typeof all): Promise<void> => {
    const { facts } = incoming[i]!;
    const entries = ofDocument.get(facts.document.id) ?? [];
    const kept = entries.flatMap(({ chunk }) => (keeps.has(chunk.id) ? [chunk.id] : []));
    const fingerprint = lacking.has(facts.document.id) ? unfinished(facts.fingerprint) : facts.fingerprint;
    const done = await stages.store.replace(into, { ...facts, fingerprint, chunks: entries, keeps: kept });
    receipt = laterOf(receipt, done.receipt);
  };
  const write = (i: number): Promise<void> =>
    retried(
      () => put(i, all),
      async () => put(i, await embed([i])),
    );
  // Once begun, all of them are written: only a crash leaves some out.
  for await (const _ of mapInOrder(each(incoming.keys()), concurrency, write));
  const failed = new Map(
    Array.from(all.lacking, ([id, lacking]) => [id, lacking.map((chunk) => all.failed.get(chunk.id))] as const),
  );
  return { chunks: cut.map(({ length }) => length), ...(failed.size > 0 && { failed }), ...all.counted, receipt };
}

/** The fingerprint of a document that lacks vectors: the next ingestion sees that its model has not made all of it. */
const unfinished = (fingerprint: string): string => `${fingerprint.split("-")[0]!}-unfinished`;

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

async function writeInBatches(stages: IngestStages, job: WriteJob, incoming: Incoming): Promise<Written> {
  const { document } = incoming.facts;
  const embed = createChunkEmbedding(stages, job.into, heldOf(job, [incoming]), job.signal);
  const isEmbedded = stages.embedder !== undefined || (stages.apart ?? []).length > 0;
  let [chunks, sent] = [0, 0];
  let tokens: number | undefined = 0;

  async function* batches(): AsyncGenerator<readonly ChunkEntry[]> {
    for await (const batch of cutInBatches(incoming.chunker, document, { signal: job.signal, isEmbedded })) {
      const embedded = await embed(batch);
      throwIfAborted(job.signal, "The ingestion");
      chunks += batch.length;
      sent += embedded.sent;
      if (embedded.sent > 0) {
        tokens = tokens === undefined || embedded.tokens === undefined ? undefined : tokens + embedded.tokens;
      }
      yield embedded.entries;
    }
  }

  job.onEmbedding?.(document.uri);
  await job.beforeWriting?.();
  const keeps = stages.embedder === undefined ? [] : "all-without-vectors";
  const { receipt } = await stages.store.replace(job.into, { ...incoming.facts, chunks: batches(), keeps });
  return { chunks: [chunks], sent, receipt, ...(tokens === undefined || sent === 0 ? {} : { tokens }) };
}
