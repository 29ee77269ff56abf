import { openKnowledgeBase } from "ibid";
import { createChunkFactory } from "ibid/chunkers";
import { createInMemoryVectorStore } from "ibid/compat";
import type { Embedding } from "ibid/models";
import { defaultPort, startService } from "ibid/server";
import { equal, matches, plain, putVectors, reading, refuses, version, writing } from "../kit.ts";
import { prove } from "../prove.ts";

export const guarantees = [
  prove(
    "B26",
    "one sparse vector among dense ones: nothing of the batch is kept, and the message is the design's",
    async () => {
      const store = createInMemoryVectorStore();
      await putVectors(store, [{ id: "before", vector: [0, 1] }]);
      const document = plain("a", "good bad");
      const entry = (start: number, end: number, embedding: Embedding) => ({
        chunk: createChunkFactory(document)(start, end),
        embeddings: [{ version, embedding }],
      });
      const chunks = [entry(0, 4, [1, 0]), entry(5, 8, { indices: [0], values: [1] })];
      const write = { document, chunks, contentHash: "a", metadataHash: "", fingerprint: "", bytes: 8, folder: null };
      const messages = [
        (await refuses("unsupported", () => store.replace(writing, write))).message,
        (
          await refuses("unsupported", () =>
            store.search(reading, { embedding: { indices: [0], values: [1] }, version }),
          )
        ).message,
      ];
      for (const message of messages) equal(message, "InMemoryVectorStore supports dense vectors exclusively");
      const kb = await openKnowledgeBase({ store: createInMemoryVectorStore() });
      const sparse = { indices: [0], values: [1] };
      const mixed = [
        { text: "dense", embedding: [1, 0] },
        { text: "sparse", embedding: sparse },
      ];
      for (const call of [() => kb.ingest({ uri: "b", chunks: mixed }), () => kb.searchVector(sparse)])
        equal((await refuses("unsupported", call)).message, "InMemoryVectorStore supports dense vectors exclusively");
      equal((await kb.status()).chunks, 0);
      await kb.close();
      equal(
        (await store.search(reading, { embedding: [1, 0], version, topK: "all" })).map(({ chunk }) => chunk.id),
        ["before"],
      );
    },
  ),
  prove("B46", "the query service on its port, 9090", async () => {
    equal(defaultPort, 9090);
    const kb = await openKnowledgeBase();
    await kb.ingest({ uri: "a", text: "Refunds take 14 days." });
    // Where something else listens there, the error says on which port it would.
    const service = await startService(kb).catch((error: Error) => error);
    if (service instanceof Error) matches(service.message, /9090/u);
    else {
      equal(new URL(service.url).port, "9090");
      const request = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "How many days do refunds take?" }),
      };
      equal(await (await fetch(new URL("rag/query", service.url), request)).json(), {
        response: "Refunds take 14 days.",
      });
      await service.stop();
    }
    await kb.close();
  }),
];
