import type { Reader } from "../../contracts/reader.ts";
import { dataFormatOf } from "./data-format.ts";

/**
 * JSON, JSON lines, YAML and TOML: the canonical text is the source itself, its sections are what the data are made of.
 *
 * **Shape** a section for each object, list or table of some size, down to the third level: titled by its key, in lists by its `title`, `name`, `id` or `key`, else by
 * its number (`[3]`, from 0). A code block for each stretch between two of them, and for each line of JSON lines, so that a record is cut only when it is
 * too large by itself. Comments before something belong to it. Data that are broken are text all the same.
 * **Errors** `binary`, `unreadable`, `too-large`.
 * **Cost** linear, whatever the nesting. Nothing is made of values: anchors, aliases and dates stay as they are written.
 * **Source** RFC 8259 (JSON), JSON5's comments and keys, YAML 1.2.2 by its indentation, TOML 1.0.
 */
export const dataReader: Reader = {
  name: "data/1",
  accepts: (mediaType) => dataFormatOf(mediaType) !== undefined,
  read: async (input) => (await import("./read-data.ts")).readData(input),
};
