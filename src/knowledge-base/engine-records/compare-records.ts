import type { RecordsCopied } from "../../contracts/collection.ts";
import type { Engine, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import type { KeptRow, PartVectors, RecordRequest, RecordTable } from "../../stores/engines/engine-records.ts";
import { isSameVector, likeness } from "../../stores/engines/engine-vector.ts";
import { waitUntil } from "../../stores/engines/wait-until.ts";
import type { RecordFields } from "../records/check-definition.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** Records of one collection whose vectors lie in the same indexes, in both engines. */
export interface RecordCopy {
  readonly name: string;
  readonly fields: RecordFields;
  readonly scopes: readonly Scope[];
  readonly specs: ReadonlyMap<string, EngineIndexSpec>;
  readonly from: Engine;
  readonly to: Engine;
  readonly source: RecordTable;
  readonly target: RecordTable;
}

/** Records of each scope that are searched for, by each of their vectors, with and without a filter. */
const sampled = 8;

/** Records that a search is compared by. */
const depth = 10;

/** Share of records as near as those of the source that a graph must find. */
const leastFound = 0.95;

/** Scores of two engines that differ by less are the same. */
const tolerance = 1e-4;

type Groups = (rows: AsyncIterable<KeptRow>) => AsyncIterable<readonly KeptRow[]>;

/** Whether the vectors of a record are those of another. */
export function isCopied({ specs }: RecordCopy, vectors: PartVectors, copied: PartVectors): boolean {
  return [...specs].every(([part, { metric }]) => {
    const [one, other] = [vectors.get(part), copied.get(part)];
    return one !== undefined && other !== undefined && isSameVector(metric, one, other);
  });
}

/**
 * Compares the records of a scope in both engines: their number, each record with its vectors, and a sample of searches.
 *
 * **Shape** an engine that shows writes late is asked again until twice its usual wait is over. **Errors** `store-failed` for the first difference, with the record.
 */
export async function compareRecords(
  copy: RecordCopy,
  scope: Scope,
  inGroups: Groups,
  signal: AbortSignal | undefined,
): Promise<RecordsCopied["verified"]> {
  const withinMs = 2 * copy.to.capabilities.visibleAfterMs;
  const soon = (what: string, isSo: () => Promise<boolean>, late: () => IbidError): Promise<true> =>
    waitUntil({ what, withinMs, signal }, async () => ((await isSo()) ? true : undefined), late);

  let records = 0;
  const samples: KeptRow[] = [];
  for await (const rows of inGroups(copy.source.rows([scope], signal))) {
    throwIfAborted(signal, "The comparison of records");
    let differing: KeptRow | undefined;
    const isSame = async (): Promise<boolean> =>
      (differing = await findDifference(copy, scope, rows, signal)) === undefined;
    await soon("compare records", isSame, () => differs(copy, scope, differing!.key, "differs"));
    records += rows.length;
    if (samples.length < sampled) samples.push(...rows.slice(0, sampled - samples.length));
  }
  const extra = async (): Promise<string> => {
    for await (const { key } of copy.target.rows([scope], signal))
      if ((await copy.source.read([scope], [key], signal)).length === 0) return key;
    return samples[0]?.key ?? "";
  };
  const isEven = async (): Promise<boolean> =>
    JSON.stringify([...(await copy.source.counts(scope, signal))]) ===
    JSON.stringify([...(await copy.target.counts(scope, signal))]);
  let surplus = "";
  await soon(
    "count records",
    async () => (await isEven()) || ((surplus = await extra()), false),
    () => differs(copy, scope, surplus, "stands beside another number of entries than in the source"),
  );
  const requests = await requestsFor(copy, scope, samples, signal);
  let lost = "";
  const isAlike = async (): Promise<boolean> => {
    let [wanted, near] = [0, 0];
    for (const request of requests) {
      throwIfAborted(signal, "The comparison of records");
      const found = await countAlike(copy, scope, request, signal);
      if (found.near < found.wanted) lost = request.key;
      wanted += found.wanted;
      near += found.near;
    }
    return near >= wanted * (copy.to.capabilities.exhaustive ? 1 : leastFound);
  };
  await soon("search records", isAlike, () => differs(copy, scope, lost, "is not found alike"));
  return { records, searches: requests.length };
}

function differs({ name, from, to }: RecordCopy, scope: Scope, key: string, what: string): IbidError {
  const message = `${to.name}: record ${JSON.stringify(key)} of ${name} in ${scope} ${what}.`;
  return new IbidError("store-failed", message, {
    hint: `Copy again, as ${from.name} may have been written meanwhile. If it stays so, delete the record over ${to.name} first.`,
    details: { store: to.name, operation: "migrate", scope },
  });
}

/** The first record of a group that the target has otherwise, or not at all. */
async function findDifference(
  copy: RecordCopy,
  scope: Scope,
  rows: readonly KeptRow[],
  signal: AbortSignal | undefined,
): Promise<KeptRow | undefined> {
  const keys = rows.map(({ key }) => key);
  const there = new Map((await copy.target.read([scope], keys, signal)).map(({ key, json }) => [key, json]));
  const vectors = await copy.source.vectors(scope, keys, signal);
  const copied = await copy.target.vectors(scope, keys, signal);
  return rows.find(({ key, json }) => there.get(key) !== json || !isCopied(copy, vectors.get(key)!, copied.get(key)!));
}

interface Sample extends RecordRequest {
  /** The record that it was made of. */
  readonly key: string;
  readonly part: string;
}

/** Searches by each vector of some records, alone and among the records that share a value with it. */
async function requestsFor(
  { source, fields, specs }: RecordCopy,
  scope: Scope,
  samples: readonly KeptRow[],
  signal: AbortSignal | undefined,
): Promise<readonly Sample[]> {
  const keys = samples.map(({ key }) => key);
  const vectors = await source.vectors(scope, keys, signal);
  return samples.flatMap(({ key, json }) => {
    const filter = filterFor(parseStored(json) as Metadata, fields.filterable);
    return [...specs.keys()].flatMap((part): Sample[] => {
      const vector = vectors.get(key)!.get(part)!;
      const plain: Sample = { key, part, scopes: [scope], parts: [part], vector, wanted: depth, signal };
      return filter === undefined ? [plain] : [plain, { ...plain, filter }];
    });
  });
}

/** One value that the record has. */
function filterFor(record: Metadata, filterable: readonly string[]): Filter | undefined {
  for (const key of filterable) {
    const value = record[key];
    if (value !== undefined && (typeof value !== "object" || value === null)) return { op: "eq", key, value };
  }
  return undefined;
}

/** How many records as near as those of the source are found. Each engine has its own order of two that are equally near. */
async function countAlike(
  { source, target, specs }: RecordCopy,
  scope: Scope,
  request: Sample,
  signal: AbortSignal | undefined,
): Promise<{ readonly wanted: number; readonly near: number }> {
  const { metric } = specs.get(request.part)!;
  const scoresOf = async (table: typeof source): Promise<readonly number[]> => {
    const keys = (await table.search(request)).map(({ key }) => key);
    // The vectors of both engines are the same by now.
    const vectors = await source.vectors(scope, keys, signal);
    const scores = keys.map((key) => {
      const vector = vectors.get(key)?.get(request.part);
      return vector === undefined ? -Infinity : likeness[metric](request.vector, vector);
    });
    return scores.sort((a, b) => b - a);
  };
  const [expected, found] = [await scoresOf(source), await scoresOf(target)];
  const near = expected.filter(
    (score, i) => (found[i] ?? -Infinity) >= score - tolerance * Math.max(1, Math.abs(score)),
  );
  return { wanted: Math.max(expected.length, found.length), near: near.length };
}
