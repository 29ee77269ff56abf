import type { CollectionWriteResult } from "../contracts/collection.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
import type { TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { type IngestJob, ingestArrivals } from "../ingest/ingest.ts";
import type { IngestStages } from "../ingest/stages.ts";
import { type CollectionMark, markCollection } from "./collection-mark.ts";
import type { CollectionParts } from "./parts.ts";
import { takeRecord } from "./records/check-against-schema.ts";
import type { CollectionPlan } from "./records/check-definition.ts";
import { collectionUri, recordKeys, recordUri } from "./records/collection-uri.ts";
import { recordArrivals } from "./records/compose-record.ts";
import { parseStoredValue } from "../runtime/parse-stored.ts";

type Key = string | number;
type Written = CollectionWriteResult<Key>;

/** Records that are written again at a time. */
const rebuiltAtOnce = 256;

interface Target {
  readonly scope: Scope;
  readonly into: AuthorizedScopes<"write">;
  readonly from: AuthorizedScopes;
}

interface WriteOptions {
  readonly fresh?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called when only the store can fail any more. */
  readonly begin: () => Promise<void>;
}

/** Ingests records as documents of the collection. */
export async function writeRecords(
  parts: CollectionParts,
  plan: CollectionPlan,
  apart: IngestStages["apart"],
  records: readonly unknown[],
  { scope, into, from }: Target,
  options: WriteOptions,
): Promise<Written> {
  const taken = [];
  for (const [index, record] of records.entries()) taken.push(await takeRecord(plan, record, index));
  const { fresh, signal } = options;
  let begin: (() => Promise<void>) | undefined = options.begin;
  const beforeWriting = async (): Promise<void> => {
    await begin?.();
    begin = undefined;
  };
  const job: IngestJob = {
    arrivals: recordArrivals(plan, taken, scope, parts.stages.chunker),
    scope,
    into,
    from,
    fresh,
    signal,
    metadata: {},
    origin: "user-content",
    beforeWriting,
    writesRecords: true,
  };
  const run = parts.watch(scope, ingestArrivals({ ...parts.stages, enhancers: [], apart }, job));
  for (;;) {
    const step = await run.next();
    if (step.done !== true) continue;
    await beforeWriting();
    const { added, updated, unchanged, embedded } = step.value;
    if (added + updated > 0) parts.settleLater();
    return { keys: taken.map(({ key }) => key), added, updated, unchanged, embedded };
  }
}

/** Records of a scope that an engine keeps. */
export interface RecordsInEngine {
  /** Each record as JSON. */
  readonly records: () => AsyncIterable<string>;
  readonly delete: () => Promise<void>;
}

/**
 * Writes every kept record again, as the definition is now. Records in an engine become documents, and go from there.
 *
 * **Errors** before anything is written, for a record that cannot be written again.
 */
export async function rebuildRecords(
  parts: CollectionParts,
  plan: CollectionPlan,
  apart: IngestStages["apart"],
  stored: () => AsyncIterable<StoredDocument>,
  inEngine: RecordsInEngine | undefined,
  where: Target,
  { signal }: Pick<WriteOptions, "signal">,
): Promise<Written> {
  const { store } = parts;
  const { name, fingerprint, modelsFingerprint } = plan;
  const uri = collectionUri(name);
  for await (const { document } of stored()) await checkKept(plan, document);
  const rows = async function* (): AsyncGenerator {
    for await (const json of inEngine?.records() ?? []) yield parseStoredValue(json);
  };
  for await (const row of rows()) await takeRecord(plan, row, 0);
  const [mark] = await store.find(where.from, uri);
  const fresh = mark !== undefined && mark.document.metadata[recordKeys.models] !== modelsFingerprint;
  const markAs = (definition: string, models: string, place: Pick<CollectionMark, "indexes" | "fields"> = {}) =>
    markCollection(store, where.into, { uri, name, scope: where.scope }, { fingerprint: definition, models, ...place });
  // Until it is through, neither definition answers.
  if (mark !== undefined && (inEngine !== undefined || mark.document.metadata[recordKeys.definition] !== fingerprint)) {
    const { [recordKeys.indexes]: indexes, [recordKeys.fields]: fields } = mark.document.metadata;
    const place = { indexes: indexes as string | undefined, fields: fields as string | undefined };
    await markAs("", fresh ? "" : modelsFingerprint, place);
  }
  const totals = { keys: [] as Key[], added: 0, updated: 0, unchanged: 0, embedded: 0 };
  const write = async (records: readonly unknown[]): Promise<void> => {
    const options = { fresh, signal, begin: async () => {} };
    const { keys, ...counts } = await writeRecords(parts, plan, apart, records, where, options);
    totals.keys.push(...keys);
    for (const count of ["added", "updated", "unchanged", "embedded"] as const) totals[count] += counts[count];
  };
  for await (const records of pagesOf(rows(), rebuiltAtOnce)) await write(records);
  const moved = new Set(totals.keys.map((key) => recordUri(name, key)));
  const others = async function* (): AsyncGenerator {
    for await (const { document } of stored()) if (!moved.has(document.uri)) yield parseKept(document);
  };
  for await (const records of pagesOf(others(), rebuiltAtOnce)) await write(records);
  await inEngine?.delete();
  await markAs(fingerprint, modelsFingerprint);
  return totals;
}

/** **Errors** `invalid-argument` for a kept record that the schema does not allow any more, or that would have another key now. */
async function checkKept(plan: CollectionPlan, { uri, metadata }: TextDocument): Promise<void> {
  const { key } = await takeRecord(plan, parseKept({ metadata }), 0);
  if (recordUri(plan.name, key) === uri) return;
  throw new IbidError("invalid-argument", `${plan.name}: ${uri} would be record ${JSON.stringify(key)} now.`, {
    uri,
    hint: "A collection's key stays; write the records into another collection.",
  });
}

function parseKept({ metadata }: Pick<TextDocument, "metadata">): unknown {
  const json = metadata[recordKeys.record];
  return typeof json === "string" ? parseStoredValue(json) : undefined;
}

async function* pagesOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
