import type { Chunk } from "../contracts/chunk.ts";
import type { TextDocument } from "../contracts/document.ts";
import { check, equal } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import {
  characterStarts,
  type ChunkerSubject,
  chunkerCorpus,
  codeDocument,
  isSingleRow,
  lineStartsOf,
  numberTexts,
  tableDocument,
} from "./chunker-fixtures.ts";
import { createChunkerRunningCases } from "./chunker-running-cases.ts";
import { generateText } from "./corpus.ts";
import { documentOf } from "./store-fixtures.ts";
import { hasLoneSurrogate } from "./tree-checks.ts";
import { pathTo } from "./section-path.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of every chunker: slices that cover the document, first of all.
 *
 * @experimental
 */
export function createChunkerPack(subject: ChunkerSubject): readonly ContractCase[] {
  checkSubject("createChunkerPack", subject);
  const cut = async (document: TextDocument, chunker = subject.create()): Promise<readonly Chunk[]> => {
    const chunks: Chunk[] = [];
    for await (const chunk of chunker.chunk(document)) chunks.push(chunk);
    return chunks;
  };
  const cutCorpus = async () => {
    const documents = [];
    for (const document of chunkerCorpus()) documents.push({ document, chunks: await cut(document) });
    return documents;
  };
  /** Cut once for all cases; that a second run gives the same is a case of its own. */
  let corpus: ReturnType<typeof cutCorpus> | undefined;
  const each =
    (judge: (chunks: readonly Chunk[], document: TextDocument) => void | Promise<void>) => async (): Promise<void> => {
      for (const { document, chunks } of await (corpus ??= cutCorpus())) await judge(chunks, document);
    };

  const cases: readonly CaseDefinition[] = [
    [
      "every-chunk-is-its-slice",
      "L1 E11 E17",
      each((chunks, { text, uri }) => {
        for (const { urtext, start, end, text: shown } of chunks) {
          check(start >= 0 && start < end && end <= text.length, `${uri}: 0 ≤ start < end ≤ length`, [start, end]);
          equal(urtext, text.slice(start, end), `${uri}: the slice from ${start} to ${end}`);
          check(shown.trim() !== "", `${uri}: a chunk without text`);
        }
      }),
    ],
    [
      "no-character-is-lost",
      "L1 E17",
      each((chunks, { text, uri }) => {
        const covered = new Uint8Array(text.length);
        for (const { start, end } of chunks) covered.fill(1, start, end);
        for (const { index, 0: letter } of text.matchAll(/\S/gu)) {
          if (covered[index] === 0) check(false, `${uri}: ${JSON.stringify(letter)} at ${index} is in no chunk`);
        }
      }),
    ],
    [
      "in-order-and-numbered",
      "E12 E18 B10",
      each((chunks, { uri }) => {
        for (const [i, chunk] of chunks.entries()) {
          equal(chunk.index, i, `${uri}: index of chunk ${i}`);
          const before = chunks[i - 1];
          if (before === undefined) continue;
          check(chunk.start > before.start, `${uri}: chunk ${i} begins after the one before`, [
            before.start,
            chunk.start,
          ]);
          check(chunk.end > before.end, `${uri}: chunk ${i} ends after the one before`, [before.end, chunk.end]);
        }
      }),
    ],
    [
      "ids-unique-and-stable",
      "E12 W16 L7",
      each(async (chunks, document) => {
        const ids = chunks.map(({ id }) => id);
        equal(new Set(ids).size, ids.length, `${document.uri}: distinct ids`);
        check(
          ids.every((id) => id.trim() !== ""),
          `${document.uri}: a blank id`,
        );
        equal(await cut(document), chunks, `${document.uri}: chunks of a second run`);
      }),
    ],
    [
      "unchanged-text-keeps-its-id",
      "L7",
      async () => {
        const paragraphs = Array.from(
          { length: 60 },
          (_, i) => `Paragraph ${i} says something of its own. ${"Word after word. ".repeat(9)}`,
        );
        const ids = async (uri: string, text: string): Promise<ReadonlyMap<string, string>> =>
          numberTexts(await cut(documentOf(uri, text)));
        const before = await ids("a.md", paragraphs.join("\n\n"));
        const after = await ids("a.md", [...paragraphs, "One more paragraph."].join("\n\n"));
        const other = await ids("b.md", paragraphs.join("\n\n"));
        const kept = [...before.keys()].filter((urtext) => after.has(urtext));
        check(
          kept.length > 0 || subject.cuts === false,
          "some chunks are the same after a paragraph was added at the end",
        );
        for (const urtext of kept) equal(after.get(urtext), before.get(urtext), "the id of words that did not change");
        for (const [urtext, id] of other)
          check(id !== before.get(urtext), "the same words in another document have another id", id);
      },
    ],
    [
      "repeated-paragraphs-stay-apart",
      "E12 L1",
      async () => {
        const line = `${"The same line, again and again. ".repeat(60)}\n\n`;
        const chunks = await cut(documentOf("r.md", line.repeat(8)));
        equal(new Set(chunks.map(({ id }) => id)).size, chunks.length, "ids of a paragraph that stands eight times");
        equal(
          new Set(chunks.map(({ start }) => start)).size,
          chunks.length,
          "places of a paragraph that stands eight times",
        );
      },
    ],
    [
      "carries-the-document's-facts",
      "B7 B8 B10 E12 T9",
      each((chunks, { id, uri, title, origin }) => {
        for (const chunk of chunks) {
          equal(
            [chunk.type, chunk.documentId, chunk.uri, chunk.title, chunk.origin],
            ["text-chunk", id, uri, title, origin],
            `${uri}: facts`,
          );
          equal(
            [chunk.metadata["department"], chunk.metadata["nested"]],
            ["HR", { a: [1] }],
            `${uri}: the document's metadata`,
          );
        }
      }),
    ],
    [
      "knows-its-section-and-line",
      "E12 E2 L1",
      each((chunks, { root, text, uri }) => {
        for (const { start, end, sectionId, headings, line } of chunks) {
          const path = pathTo(root, start, end);
          equal(sectionId, path.at(-1)?.id, `${uri}: innermost section of ${start} to ${end}`);
          equal(
            headings,
            path.slice(1).map(({ title }) => title),
            `${uri}: headings of ${start} to ${end}`,
          );
          equal(line, text.slice(0, start).split("\n").length, `${uri}: line of ${start}`);
        }
      }),
    ],
    [
      "keeps-its-sizes",
      "E17 E18 B48 T30 W18",
      each((chunks, document) => {
        if (subject.limits === undefined) return;
        const { uri } = document;
        const { maxSize, overlap, length } = subject.limits;
        for (const [i, chunk] of chunks.entries()) {
          const { urtext, start, text } = chunk;
          const fits = isSingleRow(document, chunk) || length(text) <= maxSize;
          check(fits, `${uri}: chunk ${i} is at most ${maxSize} long`, length(text));
          const shared = Math.max(0, (chunks[i - 1]?.end ?? 0) - start);
          check(length(urtext.slice(0, shared)) <= overlap, `${uri}: chunk ${i} repeats at most ${overlap}`, shared);
        }
      }),
    ],
    [
      "no-character-is-cut",
      "L1",
      each((chunks, { uri, text }) => {
        const places = subject.wholeCharacters === false ? undefined : characterStarts(text);
        for (const { urtext, start, end } of chunks) {
          check(!hasLoneSurrogate(urtext), `${uri}: a cut through a surrogate pair`, [start, end]);
          check(
            places?.has(start) !== false && places?.has(end) !== false,
            `${uri}: a cut through what is drawn as one`,
            [start, end],
          );
        }
      }),
    ],
    [
      "rows-and-lines-stay-whole",
      "E18 T34",
      async () => {
        if (subject.wholeRows !== true) return;
        for (const document of [tableDocument(), codeDocument()]) {
          const chunks = await cut(document);
          const starts = lineStartsOf(document.text);
          check(
            chunks.length > 1 || subject.cuts === false,
            `${document.uri} does not fit into one chunk`,
            chunks.length,
          );
          for (const { start } of chunks) {
            check(starts.has(start), `${document.uri}: a cut within a line`, start);
          }
        }
      },
    ],
    [
      "blank-texts-have-no-words-to-cut",
      "E18",
      async () => {
        for (const text of ["", " ", "\n\n\t\n", "\u00A0\u3000"]) {
          for (const { urtext, start, end } of await cut(documentOf("blank.md", text))) {
            equal(urtext, text.slice(start, end), "the slice of a chunk of white space");
          }
        }
      },
    ],
    [
      "documents-are-left-alone",
      "B27",
      async () => {
        const document = documentOf("a.md", generateText(2, 10), { metadata: { list: [1] } });
        const before = structuredClone(document);
        equal((await cut(document)).length > 0, true, "it was cut");
        equal(document, before, "the document after it was cut");
      },
    ],
    ...createChunkerRunningCases(subject),
  ];
  return defineCases("chunker", cases);
}
