// The whole way from a collection's documents to cited sentences, in memory and without a model, as a knowledge base
// goes it by default.
import { join } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import { answerQuestion } from "../src/answers/answer-question.ts";
import { createAutoChunker } from "../src/chunkers/auto-chunker.ts";
import type { Answer, Grounding } from "../src/contracts/answer.ts";
import type { TextDocument } from "../src/contracts/document.ts";
import { buildSections } from "../src/readers/build-sections.ts";
import { latentSemanticModel } from "../src/engine/latent/latent-semantic-model.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { createRetriever } from "../src/search/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { type Item, readItems } from "./beir.ts";

export interface Answering {
  readonly documents: ReadonlyMap<string, TextDocument>;
  readonly chunks: number;
  ask(question: string, grounding: Grounding): Promise<Answer>;
  close(): Promise<void>;
}

/** Each line of `corpus.jsonl` as a document of its own. */
export async function openAnswering(folder: string): Promise<Answering> {
  const documents = new Map(readItems(join(folder, "corpus.jsonl")).map((item) => [item._id, asDocument(item)]));
  const gate = createGate();
  const write = gate.write(operator, "deployment");
  const read = gate.read(operator, ["deployment"]);
  const store = createMemoryStore({ analyzer: languageAnalyzer, corpusModel: latentSemanticModel });
  const retriever = createRetriever({ store, analyzer: languageAnalyzer });
  const chunker = createAutoChunker();
  let chunks = 0;
  for (const document of documents.values()) {
    const entries = [...chunker.chunk(document)].map((chunk) => ({ chunk, embeddings: [] }));
    chunks += entries.length;
    await store.replace(write, {
      document,
      contentHash: "",
      metadataHash: "",
      fingerprint: "bench",
      bytes: document.text.length,
      folder: null,
      chunks: entries,
    });
  }
  return {
    documents,
    chunks,
    ask: async (question, grounding) => {
      const hits = await retriever.retrieve(read, question, { explain: true });
      for await (const event of answerQuestion({
        question,
        hits,
        grounding,
        analyzer: languageAnalyzer,
        documents: { read: async (id, _, start, end) => documents.get(id)?.text.slice(start, end) },
      })) {
        if (event.type === "answer") return event.answer;
      }
      throw new Error("No answer event.");
    },
    close: () => store.close(),
  };
}

export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function asDocument({ _id, title = "", text }: Item): TextDocument {
  return {
    type: "text",
    id: _id,
    uri: _id,
    title,
    mediaType: "text/plain",
    text,
    metadata: {},
    origin: "user-content",
    root: buildSections(text, title, []),
    sourceMap: { lines: "text" },
  };
}
