import type { EmbeddingInput } from "../../contracts/embedding-model.ts";

/** The text of an input: a string itself, or a chunk's `text`; `undefined` for what is not text. */
export function inputText(input: EmbeddingInput): string | undefined {
  if (typeof input === "string") return input;
  return input.type === "text-chunk" ? input.text : undefined;
}
