import { createGate, operator } from "../../src/access/gate.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Retriever, WrapRetriever } from "../../src/contracts/retriever.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import type { RetrievableText } from "../../src/testing/retriever-fixtures.ts";
import { documentEntryOf, documentOf } from "../../src/testing/store-fixtures.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";
import { hashParts } from "../../src/runtime/hash.ts";

/** The built-in retriever, or one around it, over a memory store that holds these texts. */
export async function retrieverOver(
  texts: readonly RetrievableText[],
  model: EmbeddingModel | undefined,
  wrap: WrapRetriever = (base) => base,
): Promise<Retriever> {
  const store = createMemoryStore();
  const embedder = model === undefined ? undefined : createEmbedder(model, { secret: store.secret });
  const gate = createGate({ platform: true });
  for (const { scope, uri, text, chunks, metadata, origin } of texts) {
    const document = documentOf(uri, text, {
      id: hashParts(scope, uri),
      ...(metadata === undefined ? {} : { metadata }),
      ...(origin === undefined ? {} : { origin }),
    });
    const pieces = chunks ?? [text];
    const embedded = await embedder?.embed(pieces, { purpose: "document" });
    const entries = pieces.map((piece, index) => {
      const embedding = embedded?.embeddings[index];
      return { text: piece, ...(embedded && embedding && { embedding, version: embedded.version }) };
    });
    await store.replace(gate.write(operator, scope), documentEntryOf(document, entries));
  }
  const base = createRetriever({ store, embedder, secret: store.secret });
  return wrap(base, { documents: store, analyzer: defaultAnalyzer });
}
