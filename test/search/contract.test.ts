import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { describe, it } from "vitest";

import { createGate, operator } from "../../src/access/gate.ts";
import type { SearchMode } from "../../src/contracts/retriever.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createRetrieverPack, type RetrievableText } from "../../src/testing/retriever-pack.ts";
import { chunk } from "../stores/build.ts";

const gate = createGate();

async function open(texts: readonly RetrievableText[], dense: boolean) {
  const store = createMemoryStore();
  const embedder = createEmbedder(createHashingModel(), { secret: store.secret });
  for (const { scope, uri, text, metadata = {}, origin = "user-content" } of texts) {
    const given = chunk(uri, text, { documentId: uri, uri, title: uri, metadata, origin });
    const { version, embeddings } = await embedder.embed([given], { purpose: "document" });
    await writeChunks(store, gate.write(operator, scope), [
      { chunk: given, embeddings: embeddings.map((embedding) => ({ version, embedding })) },
    ]);
  }
  return createRetriever({ store, ...(dense && { embedder }) });
}

const subjects: readonly (readonly [string, readonly SearchMode[], boolean])[] = [
  ["over vectors and terms", ["hybrid", "dense", "lexical", "regex"], true],
  ["over terms alone", ["hybrid", "lexical", "regex"], false],
];

describe.each(subjects)("the retriever keeps its contract, %s", (_, modes, dense) => {
  for (const contract of createRetrieverPack({ create: (texts) => open(texts, dense), modes }))
    it(contract.id, () => contract.run());
});
