import type { Chunk } from "../contracts/chunk.ts";
import type { ChunkTransformer } from "../contracts/chunker.ts";
import { check, equal } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { documentOf } from "./store-fixtures.ts";
import { pathTo } from "./section-path.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of every {@link ChunkTransformer}: it writes around a chunk, and leaves alone what a citation rests on.
 *
 * @experimental
 */
export function createChunkTransformerPack(subject: { create(): ChunkTransformer }): readonly ContractCase[] {
  checkSubject("createChunkTransformerPack", subject);
  const document = documentOf("guide/keys.md", "# Keys\n\nTurn the key.\n\n## Spare\n\n鍵は二つ。 🗝️", {
    title: "The guide",
    metadata: { year: 2024 },
  });
  const chunks = (): readonly Chunk[] =>
    document.text.split("\n\n").map((urtext, index) => {
      const start = document.text.indexOf(urtext);
      const path = pathTo(document.root, start, start + urtext.length);
      return {
        type: "text-chunk",
        id: `c${index}`,
        documentId: document.id,
        uri: document.uri,
        title: document.title,
        origin: "note",
        text: urtext,
        urtext,
        start,
        end: start + urtext.length,
        index,
        metadata: { year: 2024 },
        sectionId: path.at(-1)?.id ?? "",
        headings: path.slice(1).map(({ title }) => title),
      } satisfies Chunk;
    });
  const cases: readonly CaseDefinition[] = [
    [
      "leaves-the-source-alone",
      "E11 E19 L1",
      async () => {
        const transformer = subject.create();
        check(transformer.name.trim() !== "", "it has a name");
        for (const chunk of chunks()) {
          const { id, urtext, start, end, documentId, uri } = await transformer.transform(chunk, { document });
          const facts = [chunk.id, chunk.urtext, chunk.start, chunk.end, chunk.documentId, chunk.uri];
          equal([id, urtext, start, end, documentId, uri], facts, "what a citation rests on");
        }
      },
    ],
    [
      "keeps-metadata-and-has-text",
      "E19 B8",
      async () => {
        const transformer = subject.create();
        for (const chunk of chunks()) {
          const { metadata, text } = await transformer.transform(chunk, { document });
          equal(metadata["year"], 2024, "metadata of the document");
          check(text.trim() !== "", "a chunk without text");
        }
      },
    ],
    [
      "changes-nothing-it-was-given",
      "E19 B27",
      async () => {
        const transformer = subject.create();
        const before = structuredClone(document);
        for (const [i, chunk] of chunks().entries()) {
          await transformer.transform(chunk, { document });
          equal(chunk, chunks()[i], "the chunk that was given");
        }
        equal(document, before, "the document that was given");
      },
    ],
    [
      "same-chunk-same-result",
      "E19 L7",
      async () => {
        for (const chunk of chunks()) {
          const [first, second] = [
            await subject.create().transform(chunk, { document }),
            await subject.create().transform(chunk, { document }),
          ];
          equal(second, first, "a chunk, transformed twice");
        }
      },
    ],
  ];
  return defineCases("chunk-transformer", cases);
}
