import { extname } from "node:path";
import { checkGiven, checkOptions } from "../../../runtime/check-options.ts";
import { existsSync } from "node:fs";
import { openFileSource } from "./file-source.ts";
import type { TextDocument } from "../../../contracts/document.ts";
import { IbidError } from "../../../contracts/errors.ts";
import { readSource } from "../../read-source.ts";
import { createReaders } from "../../../readers/create-readers.ts";

/** Options of one load. */
export interface TextLoadOptions {
  /** Endings of names that are loaded, in any case, such as Ballerina's `["pdf", "docx", "pptx", "html", "htm", "md"]`. Default: every format that is read. */
  readonly extensions?: readonly string[] | undefined;
}

/**
 * Loads named files as documents, under Ballerina's name. The files must exist at construction, and are read by `load`.
 *
 * **Shape** one path gives one document, several an array in their order. Metadata have `fileName`, `mimeType`, `fileSize`, `modifiedAt`. Every format that
 * ibid reads is accepted, unless `load` names `extensions`. **Errors** `not-found` at once; `load` fails with `unsupported-media` before it reads a file of another
 * extension, and with the error of the first file that cannot be read.
 * **Source** Ballerina `TextDataLoader`.
 *
 * @experimental
 */
export function createTextDataLoader(...paths: readonly [string, ...string[]]): {
  load(options?: TextLoadOptions): Promise<TextDocument | readonly TextDocument[]>;
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
  return {
    async load(options = {}) {
      checkOptions("load", options, { extensions: true });
      if (options.extensions !== undefined) checkExtensions(paths, options.extensions);
      return paths.length === 1 ? load(paths[0]) : Promise.all(paths.map(load));
    },
  };
}

/** **Errors** `invalid-argument` for no list of names; `unsupported-media` for the first path with another extension. */
function checkExtensions(paths: readonly string[], extensions: readonly string[]): void {
  checkGiven("load", "extensions", extensions, "list");
  for (const each of extensions) checkGiven("load", "extension", each, "text");
  const taken = new Set(extensions.map((each) => each.replace(/^\./u, "").toLowerCase()));
  for (const path of paths) {
    const own = extname(path).slice(1).toLowerCase();
    if (taken.has(own)) continue;
    throw new IbidError("unsupported-media", `Unsupported file type: ${own}`, {
      uri: path,
      hint: `The extensions that are loaded are ${[...taken].join(", ")}.`,
    });
  }
}
