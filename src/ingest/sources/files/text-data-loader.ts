import { checkGiven } from "../../../runtime/check-options.ts";
import { existsSync } from "node:fs";
import { openFileSource } from "./file-source.ts";
import type { TextDocument } from "../../../contracts/document.ts";
import { IbidError } from "../../../contracts/errors.ts";
import { readSource } from "../../read-source.ts";
import { createReaders } from "../../../readers/create-readers.ts";

/**
 * Loads named files as documents, under Ballerina's name. The files must exist at construction, and are read by `load`.
 *
 * **Shape** one path gives one document, several an array in their order. Metadata have `fileName`, `mimeType`, `fileSize`, `modifiedAt`. Every format that
 * ibid reads is accepted. **Errors** `not-found` at once; the first file that cannot be read fails `load`.
 * **Source** Ballerina `TextDataLoader`.
 *
 * @experimental
 */
export function createTextDataLoader(...paths: readonly [string, ...string[]]): {
  load(): Promise<TextDocument | readonly TextDocument[]>;
} {
  for (const path of paths) {
    checkGiven("createTextDataLoader", "path", path, "text");
    if (existsSync(path)) continue;
    throw new IbidError("not-found", `File does not exist: ${path}`, { uri: path, hint: "Check the path." });
  }
  const load = async (path: string): Promise<TextDocument> => {
    const run = readSource(openFileSource([path], { base: process.cwd() }), createReaders());
    for await (const { metadata, ...document } of run)
      return { ...document, metadata: { ...metadata, mimeType: document.mediaType } };
    const [failure] = (await run).errors;
    throw failure?.error ?? new IbidError("empty", `${path} holds no document.`, { uri: path });
  };
  return { load: () => (paths.length === 1 ? load(paths[0]) : Promise.all(paths.map(load))) };
}
