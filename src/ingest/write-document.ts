import type { ChunkEntry, DocumentWrite } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { createChunkEmbedding, embedChunks } from "./embed-chunks.ts";
import { cutDocument, cutInBatches } from "./prepare-document.ts";
import type { IngestStages } from "./stages.ts";

/** What came of a document: its chunks, and what its model was sent and counted. */
export interface Written {
  readonly chunks: number;
  readonly sent: number;
  readonly tokens?: number;
}

interface WriteJob {
  readonly into: AuthorizedScopes<"write">;
  /** Of what was not there nothing is held. */
  readonly isNew: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onEmbedding?: ((uri: string) => void) | undefined;
}

type Facts = Omit<DocumentWrite, "chunks" | "keeps">;

/** From this length on a document's chunks go from the chunker to the store in batches. **Units** UTF-16 code units. */
const large = 2 ** 20;

/**
 * Cuts, transforms and embeds a document, and swaps it for what was there, in one transaction.
 *
 * **Shape** the chunks of a large document are never in memory together, unless a transformer wants to see them so.
 * **Errors** `invalid-id` (W16), and those of the chunker, the embedder and the store; `aborted`.
 */
export async function writeDocument(stages: IngestStages, job: WriteJob, facts: Facts): Promise<Written> {
  const inBatches = facts.document.text.length >= large && stages.transformers.length === 0;
  const write = inBatches ? () => writeInBatches(stages, job, facts) : await prepareWhole(stages, job, facts);
  // Somebody else may take away, between asking and writing, a chunk whose vectors were to be kept. Asked again, the store tells.
  return write().catch((error: unknown) => {
    if (IbidError.isInstance(error, "store-busy")) return write();
    throw error;
  });
}

const heldOf = ({ isNew }: WriteJob, { document }: Facts): readonly string[] => (isNew ? [] : [document.id]);

async function prepareWhole(stages: IngestStages, job: WriteJob, facts: Facts): Promise<() => Promise<Written>> {
  const { document } = facts;
  const chunks = await cutDocument(stages.chunker, stages.transformers, document, job.signal);
  job.onEmbedding?.(document.uri);
  return async () => {
    const { entries, keeps, ...counted } = await embedChunks(stages, job.into, heldOf(job, facts), chunks, job.signal);
    throwIfAborted(job.signal, "The ingestion");
    await stages.store.replace(job.into, { ...facts, chunks: entries, keeps });
    return { chunks: chunks.length, ...counted };
  };
}

async function writeInBatches(stages: IngestStages, job: WriteJob, facts: Facts): Promise<Written> {
  const { document } = facts;
  const embed = createChunkEmbedding(stages, job.into, heldOf(job, facts), job.signal);
  let [chunks, sent] = [0, 0];
  let tokens: number | undefined = 0;

  async function* batches(): AsyncGenerator<readonly ChunkEntry[]> {
    for await (const batch of cutInBatches(stages.chunker, document, job.signal)) {
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
  const keeps = stages.embedder === undefined ? [] : "all-without-vectors";
  await stages.store.replace(job.into, { ...facts, chunks: batches(), keeps });
  return { chunks, sent, ...(tokens === undefined || sent === 0 ? {} : { tokens }) };
}
