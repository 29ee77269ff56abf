import type { ChunkTransformer } from "../../contracts/chunker.ts";
import { createTransformer } from "./create-transformer.ts";

/** One line, whatever a title holds: a line break in it must not look like the end of the titles. */
const asLine = (label: string, value: string): string => {
  const line = value.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "" : `# ${label}: ${line}\n`;
};

/**
 * Writes before each chunk which document and section it is from, so that both are embedded and found with it.
 *
 * **Shape** the lines `# Title:`, `# URI:` and `# Section:` (the heading path, outermost first), each left out when there is nothing to say. They come on
 * top of the chunker's size. **Source** Embabel `AddTitlesChunkTransformer`.
 *
 * @experimental
 */
export function createTitleTransformer(): ChunkTransformer {
  return createTransformer({
    name: "add-titles",
    text: ({ title, uri, headings, text }) =>
      `${asLine("Title", title)}${asLine("URI", uri)}${asLine("Section", headings.join(" > "))}${text}`,
  });
}
