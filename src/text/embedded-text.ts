import { checkGiven } from "../runtime/check-options.ts";
import type { Chunk } from "../contracts/chunk.ts";

/**
 * The text of a chunk that a model embeds: its names, then its text, a line each. A passage under "Opting out" of the page "Telemetry" says so to the model.
 *
 * **Shape** title, headings outermost first, text; a name that repeats another, and a blank one, is left out. A change of this function is another version of
 * the vectors: `fingerprintVectors` must change with it.
 *
 * @experimental
 */
export function embeddedText(chunk: Pick<Chunk, "title" | "headings" | "text">): string {
  checkGiven("embeddedText", "chunk", chunk, "object", { title: "text", headings: "list", text: "text" });
  const { title, headings, text } = chunk;
  const names = [...new Set([title, ...headings].map((name) => name.trim()))].filter((name) => name !== "");
  return [...names, text].join("\n");
}
