import { IbidError } from "../contracts/errors.ts";

/** Reads JSON that the store wrote. **Errors** `store-corrupt`, without the text: it may be of a document that the caller may not read. */
export function parseStored(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new IbidError("store-corrupt", "A row of the store holds no JSON where it should.", {
      hint: "Run ibid doctor; restore the file from a backup, or ingest the documents again into a new one.",
    });
  }
}
