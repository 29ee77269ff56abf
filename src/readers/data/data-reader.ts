import type { Reader } from "../../contracts/reader.ts";
import { dataFormatOf } from "./data-format.ts";

/**
 * Reads JSON, JSON lines, YAML and TOML: the canonical text is the source itself, and its sections are objects, lists and tables.
 *
 * **Shape** a section for each object, list or table of some size, down to the third level. Its title is its key, in lists its `title`, `name`, `id` or `key`, else
 * its number (`[3]`, from 0). Each stretch between two of them, and each line of JSON lines, is a code block. A record is cut only when it is
 * too large by itself. Comments before something belong to it. Data that are broken are text all the same.
 * **Errors** `binary`, `unreadable`, `too-large`.
 * **Cost** linear, whatever the nesting. Nothing is made of values: anchors, aliases and dates stay as they are written.
 * **Source** RFC 8259 (JSON), JSON5's comments and keys, YAML 1.2.2 by its indentation, TOML 1.0.
 *
 * @experimental
 */
export const dataReader: Reader = {
  name: "data/1",
  accepts: (mediaType) => dataFormatOf(mediaType) !== undefined,
  read: async (input) => (await import("./read-data.ts")).readData(input),
};
