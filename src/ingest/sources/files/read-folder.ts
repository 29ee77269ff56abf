import { checkGiven } from "../../../runtime/check-options.ts";
import { openFileSource } from "./file-source.ts";
import type { FolderRules } from "../../../contracts/knowledge-base.ts";
import type { Reader } from "../../../contracts/reader.ts";
import { type ReadRun, readSource, type ReadSourceOptions } from "../../read-source.ts";
import { createReaders } from "../../../readers/create-readers.ts";

/**
 * Reads a folder or a glob into documents without storing them: `for await` gives the documents, `await` the counts.
 *
 * **Shape** uris relative to the working folder. Rules and errors as for ingesting it. **Source** Embabel `parseDirectory`.
 *
 * @experimental
 */
export function readFolder(
  path: string,
  options: FolderRules & ReadSourceOptions & { readonly readers?: readonly Reader[] | undefined } = {},
): ReadRun {
  checkGiven("readFolder", "options", options, "object");
  const { limits, signal, readers = [], ...rules } = options;
  let skipped = 0;
  const source = openFileSource([path], {
    base: process.cwd(),
    ...rules,
    onSkip: (_, kind) => {
      if (kind !== "folder") skipped++;
    },
  });
  const reading = { ...(limits && { limits }), ...(signal && { signal }) };
  return readSource(source, [...readers, ...createReaders()], reading, () => skipped);
}
