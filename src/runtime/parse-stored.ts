import { IbidError } from "../contracts/errors.ts";

/** Reads a list or an object that the store wrote as JSON. **Errors** `store-corrupt`, without the text: it may be of a document that the caller may not read. */
export function parseStored(json: string): unknown {
  try {
    const stored: unknown = JSON.parse(json);
    if (typeof stored === "object" && stored !== null) return stored;
  } catch {
    // As below.
  }
  throw new IbidError("store-corrupt", "A row of the store holds no JSON where it should.", {
    hint: "Run ibid doctor; restore the file from a backup, or ingest the documents again into a new one.",
  });
}
