import { IbidError } from "../contracts/errors.ts";

/** Reads a list or an object that the store wrote as JSON. **Errors** `store-corrupt`, without the text: it may be of a document that the caller may not read. */
export function parseStored(json: string): unknown {
  const stored = parseStoredValue(json);
  if (typeof stored === "object" && stored !== null) return stored;
  throw notJson();
}

/** As {@link parseStored}, for any value. */
export function parseStoredValue(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw notJson();
  }
}

const notJson = (): IbidError =>
  new IbidError("store-corrupt", "A row of the store holds no JSON where it should.", {
    hint: "Run ibid doctor; restore the file from a backup, or ingest the documents again into a new one.",
  });
