import { IbidError } from "../../contracts/errors.ts";

/** **Errors** `store-corrupt`, always. */
export function missingRow(): never {
  throw new IbidError("store-corrupt", "A row that the index refers to is not there.", {
    hint: "Restore the file from a backup, or move it away and ingest the documents again.",
  });
}
