import { operator } from "../../access/gate.ts";
import { parseScope } from "../../access/scopes.ts";
import type { CollectionWriteOptions, CollectionWriteResult } from "../../contracts/collection.ts";
import type { StoredDocument } from "../../contracts/document-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { beginningOf, type RecordPart, type RecordRow } from "../../stores/engines/engine-records.ts";
import { checkCollection } from "../collection-mark.ts";
import type { AnyCollection, RecordTarget } from "../parts.ts";
import { type KeptRecord, takeRecord } from "../records/check-against-schema.ts";
import { recordKeys, recordsUri, recordUri } from "../records/collection-uri.ts";
import { filterableOf } from "../records/compose-record.ts";
import type { EngineCollectionParts, EnginePlaces, PartSpecs } from "./engine-places.ts";
import { parseStoredValue } from "../../runtime/parse-stored.ts";

type Key = string | number;
type Written = CollectionWriteResult<Key>;

/** Records that are written again at a time. */
const together = 256;

/** The verbs that write records of an engine. */
export function createEngineWriting(
  parts: EngineCollectionParts,
  places: EnginePlaces,
): Pick<AnyCollection, "drop" | "upsert" | "delete" | "rebuild"> {
  const { store, gate, caller, plan, engine, ownUri, scopesOf, target } = parts;
  const { fields, embedderOf, currentSpecs, tableOf, placesOf, readAll, oneOf, partText, denseOf } = places;
  const { name } = plan;

  function toRow(record: KeptRecord, scope: Scope, parts: readonly RecordPart[]): RecordRow {
    return { scope, key: String(record.key), json: record.json, metadata: filterableOf(plan, record), parts };
  }

  async function write(
    records: readonly KeptRecord[],
    scope: Scope,
    isAnew: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Omit<Written, "keys">> {
    const specs = await currentSpecs(signal);
    const table = tableOf(specs);
    const keys = records.map(({ key }) => String(key));
    if (new Set(keys).size < keys.length) {
      const twice = keys.find((key, i) => keys.indexOf(key) !== i);
      throw new IbidError("invalid-id", `${name}: record ${JSON.stringify(twice)} comes twice.`, {
        hint: "Nothing was stored; give each key once.",
      });
    }
    // Everything is checked before anything is embedded.
    for (const record of records) {
      recordUri(name, record.key);
      filterableOf(plan, record);
      for (const field of fields) partText(record, field);
    }
    const before = new Map((await table.read([scope], keys, signal)).map(({ key, json }) => [key, json]));
    const changed = records.filter(({ key, json }) => isAnew || before.get(String(key)) !== json);
    let embedded = 0;
    const vectors = new Map<string, ReadonlyMap<KeptRecord, Float32Array | undefined>>();
    for (const field of fields) {
      const said = changed.filter((record) => partText(record, field) !== "");
      const { dimensions } = specs.get(field)!;
      const by = await embedderOf(field);
      const given =
        said.length === 0
          ? { embeddings: [], sent: 0 }
          : await by.embed(
              said.map((record) => partText(record, field)),
              { purpose: "document", ...(signal && { signal }) },
            );
      embedded += given.sent;
      vectors.set(field, new Map(said.map((record, i) => [record, denseOf(given.embeddings[i]!, dimensions)])));
    }
    const rows = changed.map((record) =>
      toRow(
        record,
        scope,
        fields.map((field) => ({
          name: field,
          text: partText(record, field),
          vector: vectors.get(field)!.get(record),
        })),
      ),
    );
    await table.put(rows, signal);
    // A record that is not shown yet could be neither read nor deleted: its delete would find nothing, and it would come back.
    await table.shown(
      scope,
      changed.map(({ key }) => String(key)),
      isAnew ? new Map() : before,
      signal,
    );
    const updated = changed.filter(({ key }) => before.has(String(key))).length;
    return { added: changed.length - updated, updated, unchanged: records.length - changed.length, embedded };
  }

  async function writeAll(
    given: readonly unknown[],
    { scope, into, from }: RecordTarget,
    signal: AbortSignal | undefined,
  ): Promise<Written> {
    const taken: KeptRecord[] = [];
    for (const [index, record] of given.entries()) taken.push(await takeRecord(plan, record, index));
    const specs = await currentSpecs(signal);
    const indexes = JSON.stringify([...specs]);
    tableOf(specs);
    // The mark comes first: records of a scope without it are found by nobody.
    const isMarked = ({ document: { metadata } }: StoredDocument): boolean =>
      metadata[recordKeys.indexes] === indexes && metadata[recordKeys.fields] !== undefined;
    if (!(await store.find(from, ownUri)).some(isMarked)) await parts.markIn(into, scope, indexes);
    const done = await write(taken, scope, false, signal);
    return { keys: taken.map(({ key }) => key), ...done };
  }

  return {
    async drop(options = {}) {
      checkOptions("drop", options, { scope: true, purge: true });
      const scopes = await scopesOf(options);
      const wanted = options.scope === undefined ? gate.writable(caller, scopes.scopes) : [parseScope(options.scope)];
      let gone = 0;
      for (const scope of wanted) {
        const { from } = target(scope);
        for (const { table } of await placesOf(from)) {
          const keys: string[] = [];
          for await (const { key } of table.rows([scope])) keys.push(key);
          gone += await table.delete(scope, keys);
        }
        await parts.deleteDocument(ownUri, { scope, purge: true });
      }
      if (caller === operator && options.scope === undefined) {
        for (const index of await engine.indexes(beginningOf(name))) await engine.drop(index);
        places.forget();
      }
      return gone;
    },

    async upsert(records: unknown, options: CollectionWriteOptions = {}) {
      const where = target(options.scope);
      await checkCollection(store, where.from, ownUri, plan);
      return writeAll(Array.isArray(records) ? records : [records], where, options.signal);
    },

    async delete(given: unknown, options = {}) {
      checkOptions("delete", options, { scope: true, onMissing: true, purge: true });
      const keys = [...new Set((Array.isArray(given) ? given : [given]) as readonly Key[])];
      const scopes = await scopesOf(options);
      const rows = await readAll(scopes, keys);
      const found = keys.map((key) => oneOf(rows, key));
      const missing = keys.find((_, i) => found[i] === undefined);
      if (missing !== undefined && options.onMissing === "error") {
        throw new IbidError("not-found", `${name}: there is no record ${JSON.stringify(missing)}.`, {
          uri: recordUri(name, missing),
          hint: "Nothing was deleted; see which there are with list().",
        });
      }
      const byScope = Map.groupBy(
        found.filter((row) => row !== undefined),
        ({ scope }) => scope,
      );
      let gone = 0;
      for (const [scope, some] of byScope) {
        const { from } = target(scope);
        for (const { table } of await placesOf(from))
          gone += await table.delete(
            scope,
            some.map(({ key }) => key),
          );
      }
      return gone;
    },

    async rebuild(options = {}) {
      const { signal } = options;
      const { scope, into, from } = target(options.scope);
      const specs = await currentSpecs(signal);
      const names = new Set([...specs.values()].map((spec) => spec.name));
      const totals = { keys: [] as Key[], added: 0, updated: 0, unchanged: 0, embedded: 0 };
      for (const { table, specs: former } of await placesOf(from)) {
        const kept: KeptRecord[] = [];
        for await (const { json } of table.rows([scope], signal))
          kept.push(await takeRecord(plan, parseStoredValue(json), kept.length));
        totals.updated += await writeAnew(kept, scope, totals, signal);
        await parts.markIn(into, scope, JSON.stringify([...specs]));
        const isSame = [...former.values()].every((spec) => names.has(spec.name));
        if (!isSame)
          await table.delete(
            scope,
            kept.map(({ key }) => String(key)),
            signal,
          );
      }
      await takeDocuments({ scope, into, from }, specs, totals, signal);
      return totals;
    },
  };

  /** Writes records in groups, the same ones again too. Gives their number. */
  async function writeAnew(
    records: readonly KeptRecord[],
    scope: Scope,
    totals: { readonly keys: Key[]; embedded: number },
    signal: AbortSignal | undefined,
  ): Promise<number> {
    for (let at = 0; at < records.length; at += together) {
      const some = records.slice(at, at + together);
      totals.embedded += (await write(some, scope, true, signal)).embedded;
      totals.keys.push(...some.map(({ key }) => key));
    }
    return records.length;
  }

  /** Makes rows of records that are kept in documents, and purges the documents. A row that is there already is the newer one. */
  async function takeDocuments(
    { scope, into, from }: RecordTarget,
    specs: PartSpecs,
    totals: { readonly keys: Key[]; added: number; embedded: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const uris: string[] = [];
    const kept: KeptRecord[] = [];
    for await (const { id, uri } of store.documents(from, { under: recordsUri(name) })) {
      const json = (await store.document(from, id))?.document.metadata[recordKeys.record];
      if (typeof json !== "string") continue;
      uris.push(uri);
      kept.push(await takeRecord(plan, parseStoredValue(json), kept.length));
    }
    if (uris.length === 0) return;
    const rows = await readAll(
      from,
      kept.map(({ key }) => key),
    );
    const held = new Set(rows.map(({ key }) => key));
    const missing = kept.filter(({ key }) => !held.has(String(key)));
    totals.added += await writeAnew(missing, scope, totals, signal);
    // The mark comes after the rows: until then the collection is refused, and this begins again.
    await parts.markIn(into, scope, JSON.stringify([...specs]));
    for (const uri of uris) await parts.deleteDocument(uri, { scope, purge: true });
  }
}
