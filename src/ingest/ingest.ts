import type { DocumentSummary } from "../contracts/document-store.ts";
import type { Origin, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { IngestProgress, IngestResult, IngestSummary } from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Source, SourceItem, SourceUnchanged, Validators } from "../contracts/reader.ts";
import type { RefreshPolicy } from "../contracts/refresh-policy.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { noteUnseen } from "../text/untrusted/describe-suspicions.ts";
import { hashParts } from "../runtime/hash.ts";
import { createEmbeddingUsage } from "./embedding-usage.ts";
import { withLanguage } from "./find-language.ts";
import { fingerprintPipeline, isMadeBy } from "./fingerprint.ts";
import { type KnownDocuments, knownDocuments } from "./known-documents.ts";
import { type IngestItem, mostInFlight, uriOf, weighItem } from "./ingest-item.ts";
import { createLook, type Look, markOf } from "./look-again.ts";
import { mapInOrder } from "./map-in-order.ts";
import { createReport } from "./settle-store.ts";
import type { IngestStages } from "./stages.ts";
import { outerFolder, vanished } from "./sweep.ts";
import { hashBytes, hashMetadata, seeItem, untilSteady } from "./prepare-document.ts";
import { writeDocument } from "./write-document.ts";

export interface IngestJob {
  readonly items: (signal?: AbortSignal) => AsyncIterable<IngestItem>;
  readonly changes?: Source["changes"] | undefined;
  /** Folders that `items` walks whole; what came from them and does not appear again is swept. */
  readonly folders: readonly string[];
  readonly has?: Source["has"] | undefined;
  readonly scope: Scope;
  /** The gate's permission to write that scope, and to read it. */
  readonly into: AuthorizedScopes<"write">;
  readonly from: AuthorizedScopes;
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** Opens protected files. */
  readonly password?: string | undefined;
  /** Of texts whose source names none. */
  readonly charset?: string | undefined;
  readonly sweep: boolean;
  /** Default: everything is looked at. */
  readonly refresh?: RefreshPolicy | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  readonly onEmbedding?: ((uri: string) => void) | undefined;
  /** Lets the store finish what it put off: at once, telling how far a fit has come, or later. */
  readonly settle: (onFit: (share: number) => void) => Promise<void>;
}

/**
 * The whole way in: read, cut, transform, embed what is new, swap for what was there; then sweep what is gone.
 *
 * **Shape** one result per document in the order of the items, then the removed ones; the summary is the generator's return value.
 * **Errors** a document's error is in its result and the rest goes on; an abort, or a store that fails, ends the run.
 * **Source** Embabel's pipeline (E14, E20), Ballerina's knowledge base (B36: embed everything, then one write), ToolUp (T2).
 */
export async function* ingestDocuments(
  stages: IngestStages,
  job: IngestJob,
): AsyncGenerator<IngestResult, IngestSummary> {
  const started = performance.now();
  const totals = { added: 0, updated: 0, unchanged: 0, removed: 0, failed: 0, chunks: 0, embedded: 0 };
  const progress = { documents: 0, chunks: 0, found: 0, complete: false };
  const report = createReport(job.onProgress);
  const known = await knownDocuments(stages.store, job.from, job.folders);
  const look = createLook(stages, job, known);
  const work: Work = { stages, job, known, look };
  const seen = new Set<string>();
  const usage = createEmbeddingUsage(stages);

  async function* found(): AsyncGenerator<IngestItem> {
    const claimed = new Set<string>();
    for await (const item of job.changes?.(look.kept, job.signal) ?? job.items(job.signal)) {
      const uri = "uri" in item ? item.uri : undefined;
      progress.found++;
      // Two at once would race; which of them is meant is not ours to guess.
      yield uri !== undefined && claimed.has(uri) ? { uri, error: givenTwice(uri) } : item;
      if (uri !== undefined) claimed.add(uri);
    }
    progress.complete = true;
  }

  for await (const outcome of mapInOrder(
    found(),
    mostInFlight,
    (item) => ingestOne(work, item),
    job.signal,
    weighItem,
  )) {
    const { result, sent } = outcome;
    usage.add(outcome);
    seen.add(result.uri);
    totals[result.status]++;
    totals.embedded += sent;
    if (result.status !== "failed") totals.chunks += result.chunks;
    progress.documents++;
    progress.chunks = totals.chunks;
    report({ ...progress });
    yield result;
  }

  if (job.sweep && job.folders.length > 0) {
    const folders = job.folders.filter((folder) => !seen.has(folder));
    for await (const gone of vanished(known, { folders, seen, has: job.has })) {
      throwIfAborted(job.signal, "The ingestion");
      const { chunks } = await stages.store.delete(job.into, { documentIds: [gone.id] });
      totals.removed++;
      yield { uri: gone.uri, scope: job.scope, status: "removed", documentId: gone.id, chunks };
    }
  }
  await job.settle((fit) => report({ ...progress, fit }));
  return { ...totals, ...usage.total(), ms: Math.round(performance.now() - started) };
}

interface Work {
  readonly stages: IngestStages;
  readonly job: IngestJob;
  readonly known: KnownDocuments;
  readonly look: Look;
}

interface Outcome {
  readonly result: IngestResult;
  readonly sent: number;
  readonly tokens?: number;
}

async function ingestOne(work: Work, item: IngestItem): Promise<Outcome> {
  const { job, known } = work;
  const uri = uriOf(item);
  const fail = (error: unknown, documentId = ""): Outcome => ({
    result: { uri, scope: job.scope, status: "failed", documentId, chunks: 0, error: asIbidError(error, uri) },
    sent: 0,
  });
  if ("error" in item) return fail(item.error);
  try {
    if ("type" in item) {
      if (item.type !== "text") {
        throw new IbidError(
          "unsupported-input",
          `${uri} is a document of type "${item.type}"; only text can be cut and searched.`,
          {
            uri,
            hint: "Give its text, or put the document whole into a prompt.",
          },
        );
      }
      return await ingestText(work, item);
    }
    return await ("unchanged" in item ? keepUnfetched(work, item) : untilSteady(item, () => ingestBytes(work, item)));
  } catch (error) {
    throwIfAborted(job.signal, "The ingestion");
    if (isFatal(error)) throw error;
    return fail(error, known.get(uri)?.id);
  }
}

/** Bytes: unchanged ones under the same pipeline are recognised before they are read (law 7). */
async function ingestBytes(work: Work, item: SourceItem): Promise<Outcome> {
  const { stages, job, known, look } = work;
  const folder = item.folder ?? null;
  const before = await known.find(item.uri);
  if (!(await look.wants(item.uri, before)) && before !== undefined)
    return keep(work, before, { folder, looked: false });

  const seen = await seeItem(stages, item, job.signal);
  const { contentHash } = seen;
  const metadata = { ...item.metadata, ...job.metadata };
  const charset = item.charset ?? job.charset;
  const said = [item.title ?? "", job.origin, ...(charset === undefined ? [] : [charset])];
  const metadataHash = hashMetadata(metadata, ...said);
  const { validators } = item;
  const unchanged =
    before !== undefined &&
    before.contentHash === contentHash &&
    before.metadataHash === metadataHash &&
    (await isMadeBy(stages, job.into, before));
  if (unchanged) return keep(work, before, { folder, validators, looked: true, made: true });

  const read = await seen.read({ ...job, charset });
  const document: TextDocument = {
    type: "text",
    id: before?.id ?? hashParts(job.scope, item.uri),
    uri: item.uri,
    title: item.title ?? read.title,
    mediaType: read.mediaType,
    text: read.text,
    metadata: { ...read.metadata, ...metadata },
    origin: job.origin,
    root: read.root,
    sourceMap: read.sourceMap,
    ...(read.blocks === undefined ? {} : { blocks: read.blocks }),
  };
  if (before !== undefined && (await job.refresh?.shouldRefreshDocument?.(document, before)) === false)
    return keep(work, before, { folder, looked: true });
  const facts = { contentHash, metadataHash, folder, bytes: seen.bytes, validators };
  const outcome = await swap(stages, job, before, document, facts);
  return withNotes(outcome, read.notes ?? []);
}

/** A document that somebody else has read. */
async function ingestText(work: Work, given: TextDocument): Promise<Outcome> {
  const { stages, job, known, look } = work;
  const before = await known.find(given.uri);
  if (!(await look.wants(given.uri, before)) && before !== undefined)
    return keep(work, before, { folder: null, looked: false });
  const bytes = new TextEncoder().encode(given.text);
  // The tree, the title and the language are part of what was given, beside the text.
  const contentHash = hashParts(
    await hashBytes(bytes),
    given.title,
    given.language ?? "",
    JSON.stringify([given.root, given.sourceMap]),
  );
  const metadata = { ...given.metadata, ...job.metadata };
  const metadataHash = hashMetadata(metadata, given.origin);
  const unchanged =
    before?.contentHash === contentHash &&
    before.metadataHash === metadataHash &&
    before.mediaType === given.mediaType &&
    (await isMadeBy(stages, job.into, before));
  if (unchanged) return keep(work, before, { folder: null, looked: true, made: true });

  const document = { ...given, id: before?.id ?? (given.id || hashParts(job.scope, given.uri)), metadata };
  if (before !== undefined && (await job.refresh?.shouldRefreshDocument?.(document, before)) === false)
    return keep(work, before, { folder: null, looked: true });
  return swap(stages, job, before, document, { contentHash, metadataHash, folder: null, bytes: bytes.byteLength });
}

/** What a source need not fetch, because it was told of it or its sender said so. **Errors** `internal` when nothing is kept of it. */
async function keepUnfetched(work: Work, item: SourceUnchanged): Promise<Outcome> {
  const { uri, folder = null, validators } = item;
  const before = await work.known.find(uri);
  if (before === undefined) {
    throw new IbidError("internal", `${uri} is said to be unchanged, and nothing is kept of it.`, {
      uri,
      hint: "This is a fault of the source: it gives as unchanged only what it was told of.",
    });
  }
  return keep(work, before, { folder, validators, looked: await work.look.wants(uri, before) });
}

async function keep(
  { stages, job }: Work,
  before: DocumentSummary,
  now: Parameters<typeof markOf>[2] & { readonly made?: true },
): Promise<Outcome> {
  const fingerprint = now.made && fingerprintPipeline(stages, before.mediaType);
  const mark = markOf(job, before, { ...now, ...(fingerprint && { fingerprint }) });
  if (mark !== undefined) await stages.store.touch(job.into, before.id, mark);
  return {
    result: { uri: before.uri, scope: job.scope, status: "unchanged", documentId: before.id, chunks: before.chunks },
    sent: 0,
  };
}

interface SwapFacts {
  readonly contentHash: string;
  readonly metadataHash: string;
  readonly folder: string | null;
  readonly bytes: number;
  readonly validators?: Validators | undefined;
}

async function swap(
  stages: IngestStages,
  job: IngestJob,
  before: DocumentSummary | undefined,
  read: TextDocument,
  { validators, ...facts }: SwapFacts,
): Promise<Outcome> {
  const document = withLanguage(read, stages.analyzer);
  const { chunks, ...counted } = await writeDocument(
    stages,
    { ...job, isNew: before === undefined },
    {
      document,
      ...facts,
      ...(validators && { validators }),
      folder: outerFolder(before?.folder ?? null, facts.folder),
      fingerprint: fingerprintPipeline(stages, document.mediaType),
    },
  );
  // Whoever runs this sees it before a model does.
  const unseen = noteUnseen(document.text, document.mediaType);
  return {
    result: {
      uri: document.uri,
      scope: job.scope,
      status: before === undefined ? "added" : "updated",
      documentId: document.id,
      chunks,
      ...(unseen !== undefined && { notes: [unseen] }),
    },
    ...counted,
  };
}

/** What the reader has to say of a file, before what its text shows. */
function withNotes({ result, ...counted }: Outcome, notes: readonly string[]): Outcome {
  return notes.length === 0
    ? { result, ...counted }
    : { result: { ...result, notes: [...notes, ...(result.notes ?? [])] }, ...counted };
}

function asIbidError(error: unknown, uri: string): IbidError {
  if (IbidError.isInstance(error)) return error;
  const what = error instanceof Error ? error.message : String(error);
  return new IbidError("internal", `${uri} could not be ingested: ${what}`, { uri, cause: error });
}

function givenTwice(uri: string): IbidError {
  return new IbidError("invalid-id", `${uri} was given twice in one ingestion; the first one counts.`, {
    uri,
    hint: "Give each document its own uri, or ingest the second one afterwards.",
  });
}

/** Errors after which no other document can fare better. */
function isFatal(error: unknown): boolean {
  return (
    IbidError.isInstance(error) &&
    (["store-busy", "store-closed", "store-corrupt", "store-failed", "access-denied", "aborted"] as string[]).includes(
      error.code,
    )
  );
}
