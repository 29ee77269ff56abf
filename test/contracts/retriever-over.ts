import { createGate, operator } from "../../src/access/gate.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Retriever } from "../../src/contracts/retriever.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import { createRetriever } from "../../src/retrieval/create-retriever.ts";
import { createMemoryStore } from "../../src/stores/memory-store.ts";
import type { RetrievableText } from "../../src/testing/retriever-fixtures.ts";
import { documentEntryOf, documentOf } from "../../src/testing/store-fixtures.ts";
import { hashParts } from "../../src/text/hash.ts";

/** The built-in retriever over a memory store that holds these texts, each as one chunk. */
export async function retrieverOver(
  texts: readonly RetrievableText[],
  model: EmbeddingModel | undefined,
): Promise<Retriever> {
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
