import { check, collect, equal, throwsCode } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";
import { chunkOf, documentOf } from "../../src/testing/store-fixtures.ts";
import { countingModel, inputsSeen, shelf } from "./knowledge-base-fixtures.ts";

/** What a knowledge base promises about chunks and vectors of one's own, loops and options. */
export const inputCases: readonly KnowledgeBaseCase[] = [
  [
    "documents-and-chunks-of-ones-own",
    "B3 B5 B7 B18 B35 W5",
    async (open) => {
      const kb = await open({ models: { embedding: countingModel() } });
      const document = documentOf("own.md", "# Title\n\nWords of my own.", { metadata: { year: 1 } });
      equal((await kb.ingest(document)).added, 1, "documents added");
      equal((await kb.document("own.md"))?.root.children[0]?.title, "Title", "the section tree that was given");
      const loose = [
        chunkOf("c1", { text: "a loose chunk about voles", documentId: "loose" }),
        chunkOf("c2", { text: "another about shrews", documentId: "loose" }),
      ];
      equal((await kb.ingest(loose)).chunks, 2, "chunks of one's own");
      const [hit] = await kb.search("voles", { mode: "lexical" });
      equal([hit?.chunkId, hit?.text], ["c1", "a loose chunk about voles"], "a hit on a chunk of one's own");
      const image = { type: "image", content: new Uint8Array(3), metadata: { fileName: "x.png" } } as const;
      const [result] = await collect(kb.ingest(image));
      equal([result?.status, result?.error?.code], ["added", undefined], "an image");
    },
  ],
  [
    "given-vectors-taken-as-they-are",
    "W5 E5 B36 L6",
    async (open) => {
      const model = countingModel();
      const kb = await open({ models: { embedding: model } });
      const given = { ...chunkOf("given", { text: "with a vector" }), embedding: [3, 4] };
      equal((await kb.ingest([given])).embedded, 0, "texts embedded");
      const [hit] = await kb.search("anything", { mode: "dense", includeEmbeddings: true });
      equal(hit?.embedding, [3, 4], "the vector that was given");
      const before = inputsSeen(model);
      const wide = [
        chunkOf("fine", { text: "fine" }),
        { ...chunkOf("wide", { text: "too wide" }), embedding: [1, 2, 3] },
      ];
      await throwsCode(() => kb.ingest(wide), "dimension-mismatch", "a vector of another length");
      check(
        inputsSeen(model) - before <= 1,
        "texts embedded beside a vector that is refused",
        inputsSeen(model) - before,
      );
      equal((await kb.status()).chunks, 1, "chunks after a refused batch");
    },
  ],
  [
    "blank-ids-refused-before-anything-is-embedded",
    "W16 W37 B36",
    async (open) => {
      const model = countingModel();
      const kb = await open({ models: { embedding: model } });
      for (const id of ["", " \t"]) {
        const chunks = [chunkOf("fine", { text: "fine" }), chunkOf(id, { text: "nameless" })];
        await throwsCode(() => kb.ingest(chunks), "invalid-id", `a chunk with id ${JSON.stringify(id)}`);
      }
      equal(inputsSeen(model), 0, "texts embedded");
      equal((await kb.status()).chunks, 0, "chunks stored");
    },
  ],
  [
    "a-failed-embedding-stores-nothing",
    "B36 B16 W11",
    async (open) => {
      const kb = await open({ models: { embedding: countingModel() } });
      const chunks = [chunkOf("a", { text: "fine" }), chunkOf("b", { text: "poison" })];
      const error = await throwsCode(() => kb.ingest(chunks), "embedding-failed", "a batch that cannot be embedded");
      check(error.cause instanceof Error, "the error keeps its cause", error.cause);
      equal((await kb.status()).chunks, 0, "chunks stored");
    },
  ],
  [
    "loops-may-be-left-and-watched",
    "",
    async (open) => {
      const kb = await open();
      const many = Array.from({ length: 100 }, (_, i) => ({
        uri: `${String(i).padStart(3, "0")}.txt`,
        text: `text ${i}`,
      }));
      for await (const { uri } of kb.ingest(many)) if (uri === "003.txt") break;
      const stopped = (await collect(kb.list())).length;
      check(stopped >= 4 && stopped < 100, "leaving the loop stops the work", stopped);
      const seen: number[] = [];
      const onProgress = ({ documents, complete }: { documents: number; complete: boolean }): void => {
        seen.push(documents);
        if (complete) throw new Error("a display that fails");
      };
      equal((await kb.ingest(many, { onProgress })).failed, 0, "failures caused by a display");
      equal(seen.at(-1), 100, "documents that were reported");
      equal(
        seen,
        seen.toSorted((a, b) => a - b),
        "progress goes forwards",
      );
    },
  ],
  [
    "wrong-options-refused",
    "",
    async (open) => {
      const kb = await open();
      const strange = { nonsense: 1 } as object;
      await throwsCode(() => kb.ingest(shelf, strange), "invalid-argument", "ingest, unknown option");
      await throwsCode(() => kb.search("x", strange), "invalid-argument", "search, unknown option");
      await throwsCode(() => kb.ask("x", strange), "invalid-argument", "ask, unknown option");
      await throwsCode(() => kb.delete("a.txt", strange), "invalid-argument", "delete, unknown option");
      await throwsCode(
        () => kb.ingest(shelf, { scope: "nowhere" as "deployment" }),
        "invalid-argument",
        "a scope that is none",
      );
      await throwsCode(() => kb.ingest(shelf, { signal: AbortSignal.abort() }), "aborted", "a signal that has fired");
      equal((await kb.status()).documents, 0, "documents after all that");
    },
  ],
];
