import { type Gate, operator, systemAuthority } from "../../access/gate.ts";
import type { CopyRecordsOptions, RecordsCopied } from "../../contracts/collection.ts";
import type { Engine, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";
import { anySignal, throwIfAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { engineMetric } from "../../stores/engines/check-engine.ts";
import { untilReady } from "../../stores/engines/engine-ready.ts";
import {
  type KeptRow,
  openRecordTable,
  type PartVectors,
  type RecordRow,
} from "../../stores/engines/engine-records.ts";
import type { KeptRecord } from "../records/check-against-schema.ts";
import type { RecordFields } from "../records/check-definition.ts";
import { collectionsPrefix, nameOfCollection, recordKeys } from "../records/collection-uri.ts";
import { filterableOf, partText } from "../records/compose-record.ts";
import { compareRecords, isCopied, type RecordCopy } from "./compare-records.ts";
import { parseStored, parseStoredValue } from "../../runtime/parse-stored.ts";

/** Where marks of collections are, and the engine that keeps their records. */
export interface RecordSource {
  readonly store: Store;
  readonly gate: Gate;
  readonly from: Engine;
}

/** Records that are read and written at a time. */
const together = 128;

/** How long an engine is waited for that is not ready. **Units** milliseconds. */
const readyWithinMs = 60_000;

/**
 * Copies the records of every collection that an engine keeps to another engine, with their vectors.
 *
 * **Shape** the marks of the collections are valid over both engines. A copy that was interrupted goes on when it is called again.
 */
export async function copyRecords(
  { store, gate, from }: RecordSource,
  options: CopyRecordsOptions,
): Promise<RecordsCopied> {
  checkGiven("copyRecords", "the options", options, "object");
  checkOptions("copyRecords", options, { to: true, signal: true, onProgress: true });
  const { to, signal, onProgress } = options;
  checkGiven("copyRecords", "to", to, "object");
  checkGiven("copyRecords", "to.capabilities", to.capabilities, "object");
  if (from === to) {
    throw new IbidError("invalid-argument", `copyRecords: to is the engine that keeps the records, ${from.name}.`, {
      hint: "Give another engine.",
    });
  }
  await untilReady(to, anySignal([AbortSignal.timeout(readyWithinMs), ...(signal === undefined ? [] : [signal])]));
  const copies = await findCopies({ store, gate, from }, to);
  // An engine that gives no vectors back is named before anything is written.
  for (const { source, target, scopes } of copies)
    for (const table of [source, target]) await table.vectors(scopes[0]!, [], signal);

  const all = await countRecords(copies, signal);
  let [records, unchanged] = [0, 0];
  for (const copy of copies) {
    for (const scope of copy.scopes) {
      for await (const rows of inGroups(copy.source.rows([scope], signal))) {
        throwIfAborted(signal, "The copy of records");
        unchanged += await copyGroup(copy, scope, rows, signal);
        records += rows.length;
        onProgress?.(records, all);
      }
    }
  }
  const verified = { records: 0, searches: 0 };
  for (const copy of copies) {
    for (const scope of copy.scopes) {
      const { records: compared, searches } = await compareRecords(copy, scope, inGroups, signal);
      verified.records += compared;
      verified.searches += searches;
    }
  }
  return { collections: new Set(copies.map(({ name }) => name)).size, records, unchanged, verified };
}

/** Collections by their marks. **Errors** `unsupported` for anything that the engine which gets them lacks; `configuration-missing`. */
async function findCopies({ store, gate, from }: RecordSource, to: Engine): Promise<readonly RecordCopy[]> {
  const scopesOf = new Map<string, Scope[]>();
  const readable = gate.read(operator, await store.scopes(systemAuthority()));
  for await (const { id, scope, uri } of store.documents(readable, { under: collectionsPrefix })) {
    const { metadata } = (await store.document(gate.read(operator, [scope]), id))?.document ?? {};
    const { [recordKeys.indexes]: indexes, [recordKeys.fields]: fields } = metadata ?? {};
    if (typeof indexes !== "string") continue;
    const name = nameOfCollection(uri);
    if (typeof fields !== "string") {
      throw new IbidError("configuration-missing", `The mark of the collection ${name} in ${scope} names no fields.`, {
        uri,
        hint: `An earlier version wrote it. Open the collection with its definition, call ensure({ scope: "${scope}" }), and copy again.`,
        details: { scope },
      });
    }
    const place = JSON.stringify([name, fields, indexes]);
    scopesOf.set(place, [...(scopesOf.get(place) ?? []), scope]);
  }
  return [...scopesOf].map(([place, scopes]) => {
    const [name, fields, indexes] = JSON.parse(place) as [string, string, string];
    const specs = new Map(parseStored(indexes) as readonly (readonly [string, EngineIndexSpec])[]);
    for (const { metric } of specs.values()) engineMetric(to, metric);
    const tables = { source: openRecordTable(from, specs), target: openRecordTable(to, specs) };
    return { name, fields: parseStored(fields) as RecordFields, scopes, specs, from, to, ...tables };
  });
}

async function countRecords(copies: readonly RecordCopy[], signal: AbortSignal | undefined): Promise<number> {
  let sum = 0;
  for (const { source, specs, scopes } of copies) {
    // An index counts each part of a record that lies in it.
    const [main] = [...specs.values()];
    const parts = [...specs.values()].filter(({ name }) => name === main!.name).length;
    for (const scope of scopes) sum += ((await source.counts(scope, signal)).get(main!.name) ?? 0) / parts;
  }
  return Math.round(sum);
}

async function* inGroups(rows: AsyncIterable<KeptRow>): AsyncGenerator<readonly KeptRow[]> {
  let group: KeptRow[] = [];
  for await (const row of rows) {
    group.push(row);
    if (group.length < together) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Writes the records of a group that are not there as they are in the source. **Shape** how many were there. */
async function copyGroup(
  copy: RecordCopy,
  scope: Scope,
  rows: readonly KeptRow[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const keys = rows.map(({ key }) => key);
  const vectors = await copy.source.vectors(scope, keys, signal);
  const there = new Map((await copy.target.read([scope], keys, signal)).map(({ key, json }) => [key, json]));
  const copied = there.size === 0 ? new Map() : await copy.target.vectors(scope, [...there.keys()], signal);
  const missing = rows.filter(
    ({ key, json }) => there.get(key) !== json || !isCopied(copy, vectors.get(key)!, copied.get(key) ?? new Map()),
  );
  if (missing.length > 0) {
    const written = missing.map((row) => toRow(copy, row, vectors.get(row.key)!));
    await copy.target.put(written, signal);
  }
  return rows.length - missing.length;
}

/** A record for the other engine: its texts and filterable fields are those of its JSON. */
function toRow(
  { name, fields, specs, from }: RecordCopy,
  { scope, key, json }: KeptRow,
  vectors: PartVectors,
): RecordRow {
  const record: KeptRecord = { key, json, value: parseStoredValue(json) as KeptRecord["value"] };
  const named = { ...fields, name };
  const parts = [...specs.keys()].map((part) => {
    const text = partText(named, record, part);
    const vector = vectors.get(part);
    if (vector === undefined) {
      throw new IbidError("store-failed", `${from.name} has no vector of record ${JSON.stringify(key)} of ${name}.`, {
        hint: `Open the collection over ${from.name}, call rebuild({ scope: "${scope}" }), and copy again.`,
        details: { store: from.name, operation: "read vectors", scope },
      });
    }
    // A part without text has a vector that says nothing.
    return { name: part, text, vector: text === "" ? undefined : vector };
  });
  return { scope, key, json, metadata: filterableOf(named, record), parts };
}
