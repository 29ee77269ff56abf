import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads rich text (RTF) of any version: the canonical text is the printed text without headers and footers.
 *
 * Paragraphs in styles called `heading 1` to `heading 9`, or with an outline level, are headings. Tables are rows of `| a | b |`, footnotes follow their paragraph.
 *
 * **Shape** the title is the shown one, else from its properties, the first heading or the file name. Metadata `author`, `createdAt` when stated.
 * **Errors** `empty`, `unreadable`, `too-large`, `aborted`. **Cost** linear.
 * **Source** Microsoft, Rich Text Format Specification 1.9.1.
 */
export function createRtfReader(): Reader {
  return {
    name: "rtf/7",
    accepts: (mediaType) => mediaType === "application/rtf" || mediaType === "text/rtf",
    read: async (input) => (await import("./read-rtf.ts")).readRtf(input),
  };
}
