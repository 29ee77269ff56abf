import type { Receipt } from "../contracts/leg.ts";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { MediaDocument, Origin, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type {
  IngestOptions,
  IngestProgress,
  IngestResult,
  IngestSummary,
  SkippedKind,
} from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { SourceItem } from "../contracts/reader.ts";
import type { RefreshPolicy } from "../contracts/refresh-policy.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { archivesOf } from "../readers/archives/archive-kind.ts";
import { isUnreadKind } from "../readers/unread-kind.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { giveTurn } from "../runtime/next-turn.ts";
import { hashParts, sha256 } from "../runtime/hash.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { noteUnseen } from "../text/untrusted/describe-suspicions.ts";
import { type Arrival, type BytesContent, mostInFlight, type Seen, type TextContent, weighArrival } from "./arrival.ts";
import { createEmbeddingUsage } from "./embedding-usage.ts";
import { createGivenLengths, type GivenLengths } from "./given-version.ts";
import { withLanguage } from "./find-language.ts";
import { expandArchives } from "./expand-archives.ts";
import { fingerprintPipeline, isMadeBy } from "./fingerprint.ts";
import { type KnownDocuments, knownDocuments } from "./known-documents.ts";
import { createLook, type Look, markOf } from "./look-again.ts";
import { mapInOrder } from "./map-in-order.ts";
import { missingInputs } from "./missing-inputs.ts";
import { hashBytes, hashMetadata, seeItem, untilSteady } from "./prepare-document.ts";
import { laterOf, receiptOf } from "./run-receipt.ts";
import { createReport } from "./settle-store.ts";
import type { IngestStages } from "./stages.ts";
import { asIngestError } from "./as-ingest-error.ts";
import { leftArchives, outerFolder, vanished } from "./sweep.ts";
import type { Arrivals } from "./to-arrivals.ts";
import { type Incoming, type WriteJob, writeDocuments, type Written } from "./write-document.ts";

/** The arrivals to ingest, their scope, and the options. */
export interface IngestJob extends WriteJob {
  readonly arrivals: Arrivals;
  readonly scope: Scope;
  /** The gate's permission to read that scope. */
  readonly from: AuthorizedScopes;
  /** Added to every document's; wins over what it says. */
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** Opens protected files. */
  readonly password?: string | undefined;
  /** Encoding for texts whose source names none. */
  readonly charset?: string | undefined;
  /** Whether documents that are gone from a folder of `arrivals` are removed. Default false. */
  readonly sweep?: boolean | undefined;
  /** Whether the arrivals are records of a collection, which alone stand under ibid's own uris. Default false. */
  readonly writesRecords?: boolean | undefined;
  /** Default: everything is looked at. */
  readonly refresh?: RefreshPolicy | undefined;
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  readonly onSkip?: IngestOptions["onSkip"];
  readonly onInvalid?: IngestOptions["onInvalid"];
  /** Receives the ids of documents that came in together, when a failure of one leaves all of them out. */
  readonly onBatchFailed?: ((documentIds: readonly string[], error: unknown) => void) | undefined;
  /** Lets the store finish deferred work: at once, reporting how far a fit has come, or later. */
  readonly settle?: ((onFit: (share: number) => void) => Promise<void>) | undefined;
}

/**
 * Ingests everything, in one sequence for each document: identify, unchanged?, read, cut, transform, embed, replace; then removes what is gone.
 *
 * **Shape** one result per document in the order of the arrivals, then the removed ones; the summary is the generator's return value.
 * **Errors** a document's error is in its result and the rest goes on; where arrivals come in together, it ends the run and nothing is stored. An abort, or
 * a store that fails, ends the run. `not-found` at the end for an input that was named and is not there; `details.summary` counts the rest.
 * **Source** Embabel's pipeline, Ballerina's knowledge base (embed everything, then one write), ToolUp.
 */
export async function* ingestArrivals(
  stages: IngestStages,
  job: IngestJob,
): AsyncGenerator<IngestResult, IngestSummary> {
  const started = performance.now();
  const { arrivals } = job;
  const totals = { added: 0, updated: 0, unchanged: 0, removed: 0, failed: 0, chunks: 0, embedded: 0 };
  let skipped = 0;
  let unembedded = 0;
  const failures: { readonly uri: string; readonly error: IbidError }[] = [];
  const missing: IbidError[] = [];
  const progress = { documents: 0, chunks: 0, found: 0, complete: false };
  const report = createReport(job.onProgress);
  const known = await knownDocuments(stages.store, job.from, arrivals.folders);
  const lengths = createGivenLengths(stages.store, job.from);
  const work: Work = {
    stages,
    job,
    known,
    lengths,
    look: createLook(stages, job, known),
    ...(job.onProgress && { onPage: (uri, done, of) => report({ ...progress, pages: { uri, done, of } }) }),
  };
  const seen = new Set<string>();
  const usage = createEmbeddingUsage(stages);
  let written: Receipt | undefined;
  /** Archives whose members all came: what they brought before and hold no more is gone. */
  const archives: string[] = [];

  async function* found(): AsyncGenerator<Arrival> {
    const claimed = new Set<string>();
    const opened = arrivals.open(work.look.kept, job.signal);
    const files = arrivals.together ? opened : expandArchives(stages, opened, job, (uri) => archives.push(uri));
    for await (const arrival of files) {
      const { uri } = arrival;
      progress.found++;
      // Two at once would race, and neither can be preferred.
      const error =
        job.writesRecords !== true && isOwnUri(uri) ? ownUri(uri) : claimed.has(uri) ? givenTwice(uri) : undefined;
      claimed.add(uri);
      yield error === undefined ? arrival : { ...arrival, content: { kind: "refused", error, named: false } };
    }
    progress.complete = true;
  }

  const outcomes = arrivals.together
    ? ingestTogether(work, found())
    : mapInOrder(found(), mostInFlight, (arrival) => ingestAlone(work, arrival), job.signal, weighArrival);
  for await (const { result, isMissing, skipped: passed, ...counted } of outcomes) {
    if (passed !== undefined) {
      // It counts as absent: a document that it brought before is swept.
      progress.documents++;
      skipped++;
      job.onSkip?.(result.uri, passed);
      continue;
    }
    usage.add(counted);
    written = laterOf(written, counted.receipt);
    seen.add(result.uri);
    totals[result.status]++;
    unembedded += result.unembedded ?? 0;
    totals.embedded += counted.sent;
    if (result.error !== undefined) failures.push({ uri: result.uri, error: result.error });
    if (result.error !== undefined && isMissing === true) missing.push(result.error);
    if (result.status !== "failed") totals.chunks += result.chunks;
    progress.documents++;
    progress.chunks = totals.chunks;
    report({ ...progress });
    yield result;
  }

  async function* removed(gone: AsyncIterable<DocumentSummary>): AsyncGenerator<IngestResult> {
    for await (const { id, uri } of gone) {
      throwIfAborted(job.signal, "The ingestion");
      const { chunks } = await stages.store.delete(job.into, { documentIds: [id] });
      totals.removed++;
      yield { uri, scope: job.scope, status: "removed", documentId: id, chunks };
    }
  }
  yield* removed(leftArchives(stages.store, job.from, archives, seen));
  if (job.sweep === true && arrivals.folders.length > 0) {
    const folders = arrivals.folders.filter((folder) => !seen.has(folder));
    yield* removed(vanished(known, { folders, seen, has: arrivals.has }));
  }
  await job.settle?.((fit) => report({ ...progress, fit }));
  const ms = Math.round(performance.now() - started);
  const receipt = await receiptOf(stages, job, written);
  const left = { ...(skipped > 0 && { skipped }), ...(unembedded > 0 && { unembedded }) };
  const summary: IngestSummary = { ...totals, ...left, ...(await usage.total()), failures, receipt, ms };
  if (missing.length > 0) throw missingInputs(missing, summary);
  return summary;
}

interface Work {
  readonly stages: IngestStages;
  readonly job: IngestJob;
  readonly known: KnownDocuments;
  readonly lengths: GivenLengths;
  readonly look: Look;
  readonly onPage?: ((uri: string, done: number, of: number) => void) | undefined;
}

interface Outcome {
  readonly result: IngestResult;
  readonly sent: number;
  readonly tokens?: number | undefined;
  /** The receipt of the last commit. */
  readonly receipt?: Receipt | undefined;
  /** Whether it is an input that was named and is not there. */
  readonly isMissing?: boolean;
  /** Why a file that a walk found is passed by; absent for one that is not. */
  readonly skipped?: SkippedKind | undefined;
}

async function ingestAlone(work: Work, arrival: Arrival): Promise<Outcome> {
  const { uri, content } = arrival;
  try {
    return (await takeIn(work, [await prepare(work, arrival)]))[0]!;
  } catch (error) {
    throwIfAborted(work.job.signal, "The ingestion");
    if (isFatal(error)) throw error;
    const documentId = idOf(work, arrival);
    const isMissing = content.kind === "refused" && content.named;
    const reason = asIngestError(error, uri);
    return {
      result: { uri, scope: work.job.scope, status: "failed", documentId, chunks: 0, error: reason },
      sent: 0,
      isMissing,
      skipped: skippedKind(arrival, reason),
    };
  }
}

/** Whether a file that a walk found is passed by: nobody reads its kind, or it is too large where that is no failure. */
function skippedKind({ uri, folder, isMember, content }: Arrival, reason: IbidError): SkippedKind | undefined {
  if ((folder !== null || isMember === true) && isUnreadKind(reason, uri)) return "unread";
  return content.kind === "refused" && content.oversized === true ? "oversized" : undefined;
}

/** Id of an arrival's document: the one that is stored, else the one that it gets. */
function idOf({ known, job }: Work, { uri, content }: Arrival): string {
  const given = content.kind === "text" ? content.document.id : content.kind === "chunks" ? content.id : undefined;
  return known.get(uri)?.id || given || hashParts(job.scope, uri);
}

/** **Errors** the first one: then nothing is stored, unless the store failed in the midst of it. */
async function* ingestTogether(work: Work, arrivals: AsyncIterable<Arrival>): AsyncGenerator<Outcome> {
  const documentIds: string[] = [];
  try {
    const prepared: Prepared[] = [];
    for await (const arrival of arrivals) {
      throwIfAborted(work.job.signal, "The ingestion");
      documentIds.push(idOf(work, arrival));
      prepared.push(await prepare(work, arrival));
    }
    yield* await takeIn(work, prepared);
  } catch (error) {
    if (work.job.signal?.aborted !== true) work.job.onBatchFailed?.(documentIds, error);
    throw error;
  }
}

/** A document that stays as it is, or one to write, with notes of its reader. */
type Prepared =
  | { readonly kept: IngestResult }
  | (Incoming & { readonly notes: readonly string[]; readonly places?: string | undefined } & Pick<
        IngestResult,
        "invalid"
      >);

/** Cuts, embeds and writes what is prepared. **Shape** one outcome each, in order; the first carries what all of them used. */
async function takeIn({ stages, job }: Work, prepared: readonly Prepared[]): Promise<readonly Outcome[]> {
  const incoming = prepared.flatMap((one) => ("kept" in one ? [] : [one]));
  const none: Written = { chunks: [], sent: 0 };
  const { chunks, failed, ...counted } = incoming.length === 0 ? none : await writeDocuments(stages, job, incoming);
  for (const { facts, places } of incoming)
    if (places !== undefined) await (await import("./keep-places.ts")).keepPlacesOf(stages, job.from, facts, places);
  const counts = chunks.values();
  const outcomes: Outcome[] = [];
  for (const one of prepared) {
    const used = outcomes.length === 0 ? counted : { sent: 0 };
    if ("kept" in one) {
      outcomes.push({ result: one.kept, ...used });
      continue;
    }
    const { facts, isNew } = one;
    const { id, uri, text, mediaType } = facts.document;
    const unseen = await noteUnseen(text, mediaType);
    const lacking = failed?.get(id) ?? [];
    const notes = [...one.notes, ...(unseen === undefined ? [] : [unseen]), ...noteLacking(lacking)];
    outcomes.push({
      result: {
        uri,
        scope: job.scope,
        status: isNew ? "added" : "updated",
        documentId: id,
        chunks: counts.next().value!,
        ...(notes.length > 0 && { notes }),
        ...(lacking.length > 0 && { unembedded: lacking.length }),
        ...(one.invalid && { invalid: one.invalid }),
      },
      ...used,
    });
  }
  return outcomes;
}

/** A sentence about chunks without vectors, with the reason of the first. */
function noteLacking([first, ...others]: readonly unknown[]): readonly string[] {
  if (first === undefined) return [];
  const reason = first instanceof Error ? first.message : "the model failed";
  const number = others.length + 1;
  return [
    `${number === 1 ? "One chunk has" : `${number} chunks have`} no vector, because the embedding failed: ${reason}`,
  ];
}

/** Identifies an arrival, recognises what is unchanged, and reads the rest. */
async function prepare(work: Work, arrival: Arrival): Promise<Prepared> {
  const { content } = arrival;
  switch (content.kind) {
    case "refused":
      throw content.error;
    case "unchanged":
      return keepUnfetched(work, arrival);
    case "bytes":
      return untilSteady(content.item, () => prepareSeen(work, arrival, () => seeBytes(work, arrival, content)));
    case "text":
      return prepareSeen(work, arrival, () => seeText(work, arrival, content));
    case "media":
      return prepareSeen(work, arrival, async () =>
        (await import("./media-input.ts")).seeMedia(work, arrival, content),
      );
    case "chunks":
      return prepareSeen(work, arrival, async () =>
        (await import("./chunk-inputs.ts")).seeChunks(work, arrival, content),
      );
  }
}

async function prepareSeen(work: Work, arrival: Arrival, see: () => Promise<Seen>): Promise<Prepared> {
  const { stages, job, known, look } = work;
  const { uri, folder, validators } = arrival;
  await giveTurn();
  const before = await known.find(uri);
  if (!(await look.wants(uri, before)) && before !== undefined) return keep(work, before, { folder, looked: false });

  const seen = await see();
  const { contentHash, metadataHash, bytes, invalid } = seen;
  if (before?.contentHash === contentHash && before.metadataHash === metadataHash) {
    const fingerprint = seen.fingerprint(before.mediaType);
    const isSameKind = seen.mediaType === undefined || seen.mediaType === before.mediaType;
    if (isSameKind && (await isMadeBy(stages, job.into, before, fingerprint)))
      return keep(work, before, { folder, validators, looked: true, fingerprint });
  }

  await giveTurn();
  const { document: read, chunks, notes = [], places } = await seen.read(before?.id ?? "");
  if (before !== undefined && (await job.refresh?.shouldRefreshDocument?.(read, before)) === false)
    return keep(work, before, { folder, looked: true });
  await giveTurn();
  const document = await enhanced(stages, withLanguage(read, stages.analyzer));
  await giveTurn();
  return {
    facts: {
      document,
      contentHash,
      metadataHash,
      bytes,
      folder: outerFolder(before?.folder ?? null, folder),
      fingerprint: seen.fingerprint(document.mediaType),
      ...(validators && { validators }),
      ...validityOf(document.metadata),
    },
    isNew: before === undefined,
    chunks: chunks?.(document),
    chunker: seen.chunker ?? stages.chunker,
    notes,
    places,
    ...(invalid && { invalid }),
  };
}

/** A page whose documents nobody enhances does not load the parts for it. */
async function enhanced({ enhancers = [] }: IngestStages, document: TextDocument): Promise<TextDocument> {
  if (enhancers.length === 0) return document;
  return (await import("./enhance.ts")).enhanceDocument(enhancers, document);
}

/** The columns of a document that its metadata fill. Front matter may have anything under these names. */
function validityOf(metadata: Metadata): Pick<DocumentSummary, "validFrom" | "validTo" | "supersedes"> {
  const { validFrom, validTo, supersedes } = metadata as Readonly<Record<string, unknown>>;
  return {
    ...(typeof validFrom === "string" && { validFrom }),
    ...(typeof validTo === "string" && { validTo }),
    ...(typeof supersedes === "string" && { supersedes }),
  };
}

/** Unchanged bytes under the same pipeline are recognised before they are read. */
async function seeBytes({ stages, job, onPage }: Work, arrival: Arrival, { item }: BytesContent): Promise<Seen> {
  const { uri, title, metadata: own } = arrival;
  const seen = await seeItem(stages, item, job.signal);
  const { contentHash, bytes } = seen;
  const metadata = { ...own, ...job.metadata };
  const charset = item.charset ?? job.charset;
  const said = [title ?? "", job.origin, ...(charset === undefined ? [] : [charset])];
  return {
    contentHash,
    metadataHash: hashMetadata(metadata, ...said),
    bytes,
    fingerprint: (mediaType) => fingerprintPipeline(stages, mediaType),
    async read(id) {
      const result = await seen
        .read({ ...job, charset, ...(onPage && { onPage: (done, of) => onPage(uri, done, of) }) })
        .catch((error: unknown) => readMedium(stages, item, error, job.signal));
      if ("content" in result) {
        const { seeMedia } = await import("./media-input.ts");
        return (await seeMedia({ stages, job }, arrival, { kind: "media", document: result })).read(id);
      }
      const document: TextDocument = {
        type: "text",
        id: id || hashParts(job.scope, uri),
        uri,
        title: title ?? result.title,
        mediaType: result.mediaType,
        text: result.text,
        metadata: { ...toMetadata(result.metadata, uri), ...metadata },
        origin: job.origin,
        root: result.root,
        sourceMap: result.sourceMap,
        ...(result.blocks === undefined ? {} : { blocks: result.blocks }),
      };
      return { document, notes: result.notes, places: result.places };
    },
  };
}

/**
 * A picture or a recording without words, or that no reader accepts. It is kept whole where the item wants it or a model embeds it.
 *
 * **Errors** the one that is given, for anything else.
 */
async function readMedium(
  { imageEmbedder, embedder }: IngestStages,
  item: SourceItem,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<MediaDocument> {
  const isWordless = IbidError.isInstance(error, "unsupported-media") || IbidError.isInstance(error, "empty");
  const mediaType = isWordless ? String(error.details["mediaType"]) : "";
  const [kind] = mediaType.split("/", 1);
  if (kind !== "image" && kind !== "audio" && kind !== "video") throw error;
  const type = kind === "video" ? "file" : kind;
  const isEmbedded =
    (type === "image" && imageEmbedder !== undefined) || embedder?.model.media?.includes(type) === true;
  if (item.keepsMedia !== true && !isEmbedded) throw error;
  return { type, content: await item.bytes(signal), mediaType, metadata: {} };
}

/** A text that was read elsewhere, or composed. */
async function seeText({ stages, job }: Work, arrival: Arrival, content: TextContent): Promise<Seen> {
  const { document: given, source, composedBy, chunker } = content;
  const bytes = new TextEncoder().encode(source ?? given.text);
  // The tree, the title and the language are part of a given document, beside its text.
  const contentHash =
    source === undefined
      ? hashParts(
          await hashBytes(bytes),
          given.title,
          given.language ?? "",
          JSON.stringify([given.root, given.sourceMap]),
        )
      : sha256(source);
  const metadata = { ...arrival.metadata, ...job.metadata };
  return {
    contentHash,
    metadataHash: hashMetadata(metadata, ...(source === undefined ? [given.origin] : [])),
    bytes: bytes.byteLength,
    mediaType: given.mediaType,
    chunker,
    fingerprint(mediaType) {
      const pipeline = fingerprintPipeline(stages, mediaType);
      return composedBy === undefined ? pipeline : hashParts(composedBy, pipeline);
    },
    read: (id) =>
      Promise.resolve({ document: { ...given, id: id || given.id || hashParts(job.scope, given.uri), metadata } }),
  };
}

/** A document that its source did not fetch. **Errors** `internal` when the store has nothing of it. */
async function keepUnfetched(work: Work, { uri, folder, validators }: Arrival): Promise<Prepared> {
  const before = await work.known.find(uri);
  if (before === undefined) {
    throw new IbidError("internal", `${uri} is reported as unchanged, but is not stored.`, {
      uri,
      hint: "Correct the source: it may report only stored documents as unchanged.",
    });
  }
  return keep(work, before, { folder, validators, looked: await work.look.wants(uri, before) });
}

async function keep(
  { stages, job }: Work,
  before: DocumentSummary,
  found: Parameters<typeof markOf>[3],
): Promise<Prepared> {
  const mark = markOf(stages, job, before, found);
  if (mark !== undefined) await stages.store.touch(job.into, before.id, mark);
  const { uri, id, chunks } = before;
  return { kept: { uri, scope: job.scope, status: "unchanged", documentId: id, chunks } };
}

/** Collections and their records stand under such uris: a document there would replace what they are. */
const isOwnUri = (uri: string): boolean => /^ibid:collections?\//u.test(uri);

function ownUri(uri: string): IbidError {
  return new IbidError(
    "invalid-id",
    `${uri} is a uri of ibid's own, under which collections and their records stand.`,
    {
      uri,
      hint: "Give the document another uri, or write the record by kb.collection.",
    },
  );
}

function givenTwice(uri: string): IbidError {
  return new IbidError("invalid-id", `${uri} was given twice in one ingestion; the first one counts.`, {
    uri,
    hint:
      archivesOf(uri).length > 0
        ? "The archive holds two files of this name. Unpack it, rename one of them, and pack it again."
        : "Give each document its own uri, or ingest the second one afterwards.",
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
