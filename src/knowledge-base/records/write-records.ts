import type { CollectionPlan } from "./check-definition.ts";
import type { KeptRecord } from "./check-against-schema.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { TextDocument } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { IngestResult, IngestSummary } from "../../contracts/knowledge-base.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import type { ChunkEntry } from "../../contracts/document-store.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { hashParts, sha256 } from "../../runtime/hash.ts";
import { chunkerOf, composeRecord } from "./compose-record.ts";
import { type ApartEmbedder, embedChunks } from "../../ingest/embed-chunks.ts";
import { withLanguage } from "../../ingest/find-language.ts";
import { fingerprintPipeline } from "../../ingest/fingerprint.ts";
import { mapInOrder } from "../../ingest/map-in-order.ts";
import { cutDocument, hashMetadata } from "../../ingest/prepare-document.ts";
import type { IngestStages } from "../../ingest/stages.ts";

export interface RecordJob {
  readonly plan: CollectionPlan;
  readonly records: readonly KeptRecord[];
  readonly scope: Scope;
  readonly into: AuthorizedScopes<"write">;
  readonly from: AuthorizedScopes;
  readonly apart: readonly ApartEmbedder[];
  /** Vectors that are there are not kept: they may be of models that are not asked any more. */
  readonly fresh?: boolean;
  /** Nothing can fail any more but the store. */
  readonly beforeWriting?: () => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** One record that is not there yet, or says something else. */
interface Change {
  readonly index: number;
  readonly isNew: boolean;
  readonly document: TextDocument;
  readonly chunks: readonly Chunk[];
  readonly facts: {
    readonly contentHash: string;
    readonly metadataHash: string;
    readonly fingerprint: string;
    readonly bytes: number;
    readonly folder: null;
  };
}

/** Writes that may share a commit. */
const concurrency = 16;

/**
 * Records into the store: those that say something new are made documents, cut and embedded, all of them; then each is written in a transaction of its own.
 *
 * **Shape** one result for each, in order; the summary is the generator's return value. **Errors** those of the embedder before anything is written;
 * `invalid-id` for a key that comes twice.
 */
export async function* writeRecords(stages: IngestStages, job: RecordJob): AsyncGenerator<IngestResult, IngestSummary> {
  const started = performance.now();
  const { plan, records, scope, signal } = job;
  const results: IngestResult[] = [];
  const changes: Change[] = [];
  const seen = new Set<string>();
  for (const [index, record] of records.entries()) {
    throwIfAborted(signal, "The writing of records");
    const composed = composeRecord(plan, record, scope);
    const { uri } = composed.document;
    if (seen.has(uri)) throw givenTwice(plan, record);
    seen.add(uri);
    const [before] = await stages.store.find(job.from, uri);
    const facts = {
      contentHash: sha256(record.json),
      metadataHash: hashMetadata(composed.document.metadata),
      fingerprint: hashParts(plan.fingerprint, fingerprintPipeline(stages, composed.document.mediaType)),
      bytes: new TextEncoder().encode(record.json).length,
      folder: null,
    };
    const { id, chunks = 0, ...held } = before?.summary ?? { id: composed.document.id };
    const same = (["contentHash", "metadataHash", "fingerprint"] as const).every(
      (name) => "uri" in held && held[name] === facts[name],
    );
    results.push({ uri, scope, status: same ? "unchanged" : "added", documentId: id, chunks });
    if (same) continue;
    const document = withLanguage({ ...composed.document, id }, stages.analyzer);
    const cut = await cutDocument(chunkerOf(composed, stages.chunker), stages.transformers, document, signal);
    changes.push({ index, isNew: before === undefined, document, chunks: cut, facts });
  }

  const embed = (some: readonly Change[]) =>
    embedChunks(
      { ...stages, apart: job.apart },
      job.into,
      job.fresh === true ? [] : some.map(({ document }) => document.id),
      some.flatMap(({ chunks }) => chunks),
      signal,
    );
  const { entries, keeps, sent } = await embed(changes);
  const entriesOf = Map.groupBy(entries, ({ chunk }) => chunk.documentId);
  const kept = new Set(keeps);
  throwIfAborted(signal, "The writing of records");
  await job.beforeWriting?.();

  const put = ({ document, facts }: Change, own: readonly ChunkEntry[], keep: ReadonlySet<string>) =>
    stages.store.replace(job.into, {
      document,
      chunks: own,
      keeps: own.flatMap(({ chunk }) => (keep.has(chunk.id) ? [chunk.id] : [])),
      ...facts,
    });
  const write = async (change: Change): Promise<void> => {
    const own = entriesOf.get(change.document.id) ?? [];
    await put(change, own, kept).catch(async (error: unknown) => {
      if (!IbidError.isInstance(error, "store-busy")) throw error;
      // Somebody took away, between asking and writing, a chunk whose vectors were to be kept.
      const again = await embed([change]);
      return put(change, again.entries, new Set(again.keeps));
    });
    const { index, isNew, chunks } = change;
    results[index] = { ...results[index]!, status: isNew ? "added" : "updated", chunks: chunks.length };
  };
  // Begun, it goes through: half a batch is for a crash alone.
  for await (const _ of mapInOrder(each(changes), concurrency, write));

  const totals = { added: 0, updated: 0, unchanged: 0, removed: 0, failed: 0, chunks: 0 };
  for (const result of results) {
    totals[result.status]++;
    totals.chunks += result.chunks;
    yield result;
  }
  return { ...totals, embedded: sent, ms: Math.round(performance.now() - started) };
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

function givenTwice({ name }: CollectionPlan, { key }: KeptRecord): IbidError {
  return new IbidError("invalid-id", `${name}: record ${JSON.stringify(key)} comes twice.`, {
    hint: "Nothing was stored; give each key once.",
  });
}
