import { openKnowledgeBase } from "ibid";
import { createTransformer, createWindowChunker } from "ibid/chunkers";
import { neverRefreshExisting } from "ibid/ingest";
import { fixed } from "../fixed.ts";
import { equal, holds } from "../kit.ts";
import { prove } from "../prove.ts";

const lines = Array.from({ length: 300 }, (_, i) => `Line ${i} of many.`);

export const performance = [
  prove(
    "E45",
    "each step does what it must, once: reading, cutting, transforming, embedding, writing, searching",
    async () => {
      let [read, cut, transformed] = [0, 0, 0];
      const inner = createWindowChunker({ size: 20, overlap: 0 });
      const embedding = fixed({ x: [1, 0] });
      const model = {
        ...embedding,
        embed: async (inputs: readonly unknown[]) => (
          batches.push(inputs.length),
          { embeddings: inputs.map(() => [1, 0]) }
        ),
      };
      const batches: number[] = [];
      const kb = await openKnowledgeBase({
        models: { embedding: model, batch: { texts: 64 } },
        readers: [
          {
            name: "count/1",
            accepts: (type) => type === "text/count",
            read: async ({ bytes }) => (read++, { text: new TextDecoder().decode(bytes) }),
          },
        ],
        chunker: { fingerprint: inner.fingerprint, chunk: (document) => (cut++, inner.chunk(document)) },
        transformers: [createTransformer({ name: "count", text: ({ text }) => (transformed++, text) })],
      });
      const ingest = async (text: string, options = {}) => {
        [read, cut, transformed] = [0, 0, 0];
        batches.length = 0;
        const { embedded } = await kb.ingest(
          { uri: "a", bytes: new TextEncoder().encode(text), mediaType: "text/count" },
          options,
        );
        return { read, cut, embedded, requests: batches.length };
      };
      const text = lines.map((line) => line.padEnd(20)).join("");
      equal(await ingest(text), { read: 1, cut: 1, embedded: 300, requests: Math.ceil(300 / 64) });
      equal(transformed, 300);
      equal(await ingest(text), { read: 0, cut: 0, embedded: 0, requests: 0 });
      equal(await ingest("other", { refresh: neverRefreshExisting }), { read: 0, cut: 0, embedded: 0, requests: 0 });
      equal(await ingest(text.replace("Line 7 of many.", "Line 7 is other")), {
        read: 1,
        cut: 1,
        embedded: 1,
        requests: 1,
      });
      batches.length = 0;
      await kb.search("which line");
      await kb.search("which line", { topK: 3 });
      await kb.search("which line", { mode: "lexical" });
      await kb.search("Line 7", { mode: "regex" });
      equal(batches, [1]);
      batches.length = 0;
      await kb.delete("a");
      await kb.restore("a");
      holds((await kb.status()).chunks === 300 && batches.length === 0);
      await kb.close();
    },
  ),
];
