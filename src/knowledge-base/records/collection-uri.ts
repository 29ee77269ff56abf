import { IbidError } from "../../contracts/errors.ts";

/** Every record's uri begins so: `ibid:collection/<name>/<key>`, percent-encoded. */
const recordsPrefix = "ibid:collection/";

/** Every collection's own uri begins so; apart from the records', so that collections can be listed without them. */
export const collectionsPrefix = "ibid:collections/";

/** Metadata keys: of a record's document and its chunks; of the document alone; of the chunks alone; of the collection's own document, the last four. */
export const recordKeys = {
  collection: "_collection",
  record: "_record",
  field: "_field",
  definition: "_definition",
  models: "_models",
  indexes: "_indexes",
  fields: "_fields",
} as const;

/** **Errors** `invalid-argument` for a name that is blank or no text. */
export function collectionUri(name: string): string {
  if (typeof name !== "string" || name.trim() === "" || !name.isWellFormed()) {
    throw new IbidError("invalid-argument", `A collection cannot be called ${JSON.stringify(name)}.`, {
      hint: "A name is a string that is not blank, without lone surrogates.",
    });
  }
  return collectionsPrefix + encodeURIComponent(name);
}

export function nameOfCollection(uri: string): string {
  return decodeURIComponent(uri.slice(collectionsPrefix.length));
}

/** The start of the uris of a collection's records. */
export function recordsUri(name: string): string {
  return `${recordsPrefix}${encodeURIComponent(name)}/`;
}

/**
 * **Shape** keys are compared as text: `1` and `"1"` are the same key.
 * **Errors** `invalid-id` for a key that is neither a string nor a finite number, or is blank.
 */
export function recordUri(collection: string, key: unknown): string {
  const isKey =
    typeof key === "number"
      ? Number.isFinite(key)
      : typeof key === "string" && key.trim() !== "" && key.isWellFormed() && !key.includes("\0");
  if (isKey) return recordsUri(collection) + encodeURIComponent(key as string | number);
  throw new IbidError("invalid-id", `${collection}: ${describe(key)} cannot be a record's key.`, {
    hint: "A key is a finite number, or a string that is not blank, without lone surrogates and U+0000.",
  });
}

/** The key, as text, of a record's uri. */
export function keyOfRecord(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}

const describe = (key: unknown): string =>
  typeof key === "string" ? JSON.stringify(key) : key === null || typeof key !== "object" ? String(key) : "an object";
