import type { IngestInput, IngestOptions, KnowledgeBase, TextInput } from "../../src/contracts/knowledge-base.ts";
import { collect } from "../../src/testing/assert.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import type { FixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";

/** A model of two dimensions that counts what it is asked; a text with the word `poison` makes it fail. */
export function countingModel(): FixedEmbeddingModel {
  return createFixedEmbeddingModel(
    {},
    {
      dimensions: 2,
      otherwise(text) {
        if (text.includes("poison")) throw new Error("The provider is down.");
        return [text.length % 7, 1];
      },
    },
  );
}

/** How many inputs the model has been asked for, in all. */
export const inputsSeen = (model: FixedEmbeddingModel): number =>
  model.calls.reduce((sum, { inputs }) => sum + inputs.length, 0);

/** What became of each document, by uri. */
export async function statuses(
  kb: KnowledgeBase,
  input: IngestInput,
  options?: IngestOptions,
): Promise<Record<string, string>> {
  const results = await collect(kb.ingest(input, options));
  return Object.fromEntries(
    results.map(({ uri, status, error }) => [uri, error === undefined ? status : `${status}: ${error.code}`]),
  );
}

/** Two short documents. */
export const shelf: readonly TextInput[] = [
  { uri: "a.txt", text: "The heron waits in the reeds.", metadata: { year: 2023 } },
  { uri: "b.txt", text: "The otter swims at night. 🦦", title: "On otters" },
];
