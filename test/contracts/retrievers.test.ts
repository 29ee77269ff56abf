import { describe } from "vitest";

import { createGate, operator } from "../../src/access/gate.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding.ts";
import type { Retriever } from "../../src/contracts/retriever.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import { createHashingModel } from "../../src/embeddings/hashing-model.ts";
import { createRetriever } from "../../src/retrieval/create-retriever.ts";
import { createMemoryStore } from "../../src/stores/memory-store.ts";
import { createRecordingTracer } from "../../src/testing/recording-tracer.ts";
import { createRerankerPack, createRetrieverPack } from "../../src/testing/retriever-pack.ts";
import type { RetrievableText } from "../../src/testing/retriever-pack.ts";
import { createTracerPack } from "../../src/testing/tracer-pack.ts";
import type { RecordingTracer } from "../../src/testing/recording-tracer.ts";
import { hashParts } from "../../src/text/hash.ts";
import { documentEntryOf, documentOf } from "../../src/testing/store-fixtures.ts";
import { countWords } from "./count-words.ts";
import { runPack } from "./run-pack.ts";

async function retrieverOver(texts: readonly RetrievableText[], model: EmbeddingModel | undefined): Promise<Retriever> {
  const store = createMemoryStore();
  const embedder = model === undefined ? undefined : createEmbedder(model, { secret: store.secret });
  const gate = createGate({ platform: true });
  for (const { scope, uri, text, metadata, origin } of texts) {
    const document = documentOf(uri, text, {
      id: hashParts(scope, uri),
      ...(metadata === undefined ? {} : { metadata }),
      ...(origin === undefined ? {} : { origin }),
    });
    const embedded = await embedder?.embed([text], { purpose: "document" });
    const [embedding] = embedded?.embeddings ?? [];
    const piece =
      embedding === undefined || embedded === undefined ? { text } : { text, embedding, version: embedded.version };
    await store.replace(gate.write(operator, scope), documentEntryOf(document, [piece]));
  }
  return createRetriever({ store, embedder, secret: store.secret });
}

describe("the retriever with the hashing model", () => {
  runPack(
    createRetrieverPack({
      create: (texts) => retrieverOver(texts, createHashingModel()),
      modes: ["hybrid", "dense", "lexical", "regex"],
    }),
  );
});

describe("the retriever without a model", () => {
  runPack(createRetrieverPack({ create: (texts) => retrieverOver(texts, undefined), modes: ["hybrid", "lexical"] }));
});

describe("a reranker that counts shared words", () => {
  runPack(
    createRerankerPack({
      create: () => countWords,
      example: { query: "rotate the keys", better: "to rotate the keys, turn", worse: "the sea is calm" },
    }),
  );
});

describe("the recording tracer", () => {
  runPack(
    createTracerPack({ create: () => createRecordingTracer(), read: (tracer) => (tracer as RecordingTracer).traces }),
  );
});
