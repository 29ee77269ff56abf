import { createPartChunker, type DocumentPart } from "../../chunkers/part-chunker.ts";
import type { CollectionPlan, RecordFields } from "./check-definition.ts";
import type { KeptRecord } from "./check-against-schema.ts";
import { recordKeys, recordUri } from "./collection-uri.ts";
import type { AsyncChunker, Chunker } from "../../contracts/chunker.ts";
import type { Section, TextDocument } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import { hashParts } from "../../runtime/hash.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Arrival } from "../../ingest/arrival.ts";
import type { Arrivals } from "../../ingest/to-arrivals.ts";

/** A record as a document, and where in it each of its fields stands. */
interface ComposedRecord {
  readonly document: TextDocument;
  readonly parts: readonly DocumentPart[];
}

/**
 * Makes arrivals of records: each a document that is composed of its fields, and cut along them.
 *
 * **Errors** `invalid-id` for a key that comes twice, and those of composing; before anything is stored.
 */
export function recordArrivals(
  plan: CollectionPlan,
  records: readonly KeptRecord[],
  scope: Scope,
  chunker: Chunker | AsyncChunker,
): Arrivals {
  const toArrival = (record: KeptRecord): Arrival => {
    const composed = composeRecord(plan, record, scope);
    const { document } = composed;
    const { uri, title, metadata } = document;
    const cut = chunkerOf(composed, chunker);
    const content = {
      kind: "text",
      document,
      chunker: cut,
      source: record.json,
      composedBy: plan.fingerprint,
    } as const;
    return { uri, title, metadata, folder: null, content };
  };
  async function* open(): AsyncGenerator<Arrival> {
    const seen = new Set<string>();
    for (const record of records) {
      const arrival = toArrival(record);
      if (seen.has(arrival.uri)) throw givenTwice(plan, record);
      seen.add(arrival.uri);
      yield arrival;
    }
  }
  return { open, folders: [], together: true };
}

function givenTwice({ name }: CollectionPlan, { key }: KeptRecord): IbidError {
  return new IbidError("invalid-id", `${name}: record ${JSON.stringify(key)} comes twice.`, {
    hint: "Nothing was stored; give each key once.",
  });
}

/**
 * A record as a document. Each text field is a section of its name. Its filterable fields are metadata; the record itself stands beside them.
 *
 * **Shape** a field with vectors of its own is a part by itself, and so is what stands between two of them. Fields without text are left out.
 * **Errors** `invalid-argument` for a text field that is no text, and for a filterable one that no filter could compare.
 */
function composeRecord(plan: CollectionPlan, record: KeptRecord, scope: Scope): ComposedRecord {
  const uri = recordUri(plan.name, record.key);
  const title = String(record.key);
  const fields: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  let text = "";
  for (const name of plan.text) {
    const words = textOf(plan, record, name);
    if (words.trim() === "") continue;
    if (text !== "") text += "\n\n";
    const start = text.length;
    text += words;
    fields.push({ name, start, end: text.length });
  }
  const children = fields.map(({ name, start }, i): Section => ({
    id: `0.${i}`,
    title: name,
    level: 1,
    start,
    end: fields[i + 1]?.start ?? text.length,
    contentStart: start,
    children: [],
  }));
  const document: TextDocument = {
    type: "text",
    id: hashParts(scope, uri),
    uri,
    title,
    mediaType: "text/plain",
    text,
    metadata: metadataOf(plan, record),
    origin: "user-content",
    root: { id: "0", title, level: 0, start: 0, end: text.length, contentStart: 0, children },
    sourceMap: { lines: "none" },
  };
  const parts: DocumentPart[] = [];
  for (const { name, start, end } of fields) {
    const field = plan.vectors.includes(name) ? name : "";
    const last = parts.at(-1);
    if (field === "" && last?.metadata[recordKeys.field] === "") parts[parts.length - 1] = { ...last, end };
    else parts.push({ start, end, metadata: { [recordKeys.field]: field } });
  }
  return { document, parts };
}

/** Cuts a record's parts as the knowledge base cuts its documents. Chunks do not each carry the whole record. */
function chunkerOf({ parts }: ComposedRecord, chunker: Chunker | AsyncChunker): AsyncChunker {
  const isCarried = ([name]: readonly [string, unknown]): boolean => name !== recordKeys.record;
  return createPartChunker(chunker, parts, (metadata) =>
    Object.fromEntries(Object.entries(metadata).filter(isCarried)),
  );
}

/** **Errors** `invalid-argument` for a text field that is no text. */
export function textOf(plan: Pick<CollectionPlan, "name">, { key, value }: KeptRecord, name: string): string {
  const words = Object.hasOwn(value, name) ? value[name] : undefined;
  // Halves of characters cannot be written as UTF-8; the record itself keeps them.
  if (typeof words === "string") return words.toWellFormed();
  if (words === undefined || words === null) return "";
  throw wrongField(plan, key, name, "no text");
}

/** The text of a part that has a vector: a field's own, or those of the text fields without vectors for `""`. */
export function partText(plan: NamedFields, record: KeptRecord, field: string): string {
  const names = field === "" ? plan.text.filter((one) => !plan.vectors.includes(one)) : [field];
  return names
    .map((one) => textOf(plan, record, one))
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** Fields of a collection, and its name for messages. */
type NamedFields = RecordFields & Pick<CollectionPlan, "name">;

function metadataOf(plan: CollectionPlan, record: KeptRecord): Metadata {
  return { ...filterableOf(plan, record), [recordKeys.collection]: plan.name, [recordKeys.record]: record.json };
}

/** The fields that filters can name. **Errors** `invalid-argument` for one that no filter could compare. */
export function filterableOf(plan: NamedFields, { key, value }: KeptRecord): Metadata {
  const filterable = plan.filterable.flatMap((name): [string, JsonValue][] => {
    const held = Object.hasOwn(value, name) ? value[name] : undefined;
    if (held === undefined) return [];
    const members: readonly JsonValue[] = Array.isArray(held) ? held : [held];
    if (members.every((member) => typeof member !== "object" || member === null)) return [[name, held]];
    throw wrongField(plan, key, name, "nothing that a filter can compare");
  });
  return Object.fromEntries(filterable);
}

function wrongField(
  { name }: Pick<CollectionPlan, "name">,
  key: string | number,
  field: string,
  what: string,
): IbidError {
  return new IbidError("invalid-argument", `${name}: record ${JSON.stringify(key)}: ${field} is ${what}.`, {
    hint: "Text fields hold strings; filterable ones strings, numbers, booleans, null or lists of them.",
    details: { fields: [field] },
  });
}
