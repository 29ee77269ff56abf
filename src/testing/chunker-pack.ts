import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { TextDocument } from "../contracts/document.ts";
import { check, equal, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import {
  codeDocument,
  chunkerCorpus,
  countCopies,
  isSingleRow,
  lineStartsOf,
  tableDocument,
} from "./chunker-fixtures.ts";
import { generateText } from "./corpus.ts";
import { documentOf } from "./store-fixtures.ts";
import { hasLoneSurrogate } from "./tree-checks.ts";
import { pathTo } from "./section-path.ts";

/** A chunker to be tried, and the sizes that it is meant to keep. */
export interface ChunkerSubject {
  create(): Chunker | AsyncChunker;
  /** The sizes that `create` keeps, when it has any. A size is a hard limit, overlap included. */
  readonly limits?: { readonly maxSize: number; readonly overlap: number; readonly length: LengthFunction };
  /** A chunker of other sizes, in the same unit; wrong ones must be refused. */
  readonly resize?: (maxSize: number, overlap: number) => Chunker | AsyncChunker;
  /** Whether no cut falls between letters that are drawn as one. Default: yes. */
  readonly wholeCharacters?: boolean;
  /** Whether rows of tables and lines of code that fit stay whole. Default: no; a chunker by words, characters or windows is blind to them. */
  readonly wholeRows?: boolean;
  /** Whether a document of many pages is many chunks. Default: yes. */
  readonly cuts?: boolean;
}

/** What every {@link Chunker} promises; law 1 first of all. */
export function createChunkerPack(subject: ChunkerSubject): readonly ContractCase[] {
  const cut = async (document: TextDocument, chunker = subject.create()): Promise<readonly Chunk[]> => {
    const chunks: Chunk[] = [];
    for await (const chunk of chunker.chunk(document)) chunks.push(chunk);
    return chunks;
  };
  const each =
    (judge: (chunks: readonly Chunk[], document: TextDocument) => void | Promise<void>) => async (): Promise<void> => {
      for (const document of chunkerCorpus()) await judge(await cut(document), document);
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
          numbered(await cut(documentOf(uri, text)));
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
      "cuts-lazily",
      "E17",
      async () => {
        if (subject.cuts === false) return;
        const chunker = subject.create();
        const { document, copies } = countCopies(documentOf("huge.md", generateText(5, 3000)));
        let seen = 0;
        for await (const chunk of chunker.chunk(document)) {
          check(chunk.start >= 0, "a chunk has a start");
          seen += 1;
          if (seen === 3) break;
        }
        equal(seen, 3, "chunks taken");
        check(
          copies() <= 20,
          "chunks made when three were taken, by how often the document's metadata were copied",
          copies(),
        );
        for await (const first of chunker.chunk(document)) {
          equal(first.index, 0, "the first chunk of a fresh run after one that was left");
          break;
        }
      },
    ],
    [
      "asks-nothing-before-it-is-asked",
      "E17",
      () => {
        const { document, copies } = countCopies(documentOf("huge.md", generateText(5, 300)));
        check(subject.create().chunk(document) !== undefined, "what can be iterated");
        equal(copies(), 0, "chunks made when none was taken");
      },
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
      "fingerprint-tells-settings-apart",
      "L7",
      () => {
        equal(subject.create().fingerprint, subject.create().fingerprint, "fingerprints of equal chunkers");
        check(subject.create().fingerprint.trim() !== "", "it has a fingerprint");
        if (subject.resize === undefined) return;
        const prints = [subject.resize(300, 20), subject.resize(300, 30), subject.resize(400, 20)].map(
          ({ fingerprint }) => fingerprint,
        );
        equal(new Set(prints).size, 3, "fingerprints of chunkers of other sizes");
      },
    ],
    [
      "impossible-sizes-refused",
      "E17 B49 T30",
      async () => {
        const { resize } = subject;
        if (resize === undefined) return;
        for (const [maxSize, overlap] of [
          [0, 0],
          [-1, 0],
          [1.5, 0],
          [Number.NaN, 0],
          [10, 10],
          [10, 11],
          [10, -1],
          [10, 1.5],
        ] as const) {
          await throwsCode(() => resize(maxSize, overlap), "invalid-argument", `size ${maxSize}, overlap ${overlap}`);
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
  ];
  return defineCases("chunker", cases);
}

/** Ids by what the chunk says, and how often that was said before. */
function numbered(chunks: readonly Chunk[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { urtext, id } of chunks) {
    let occurrence = 0;
    while (ids.has(`${occurrence} ${urtext}`)) occurrence += 1;
    ids.set(`${occurrence} ${urtext}`, id);
  }
  return ids;
}

/** Where something that is drawn as one begins, and the end. **Source** Unicode's extended grapheme clusters (UAX 29). */
function characterStarts(text: string): ReadonlySet<number> {
  const starts = new Set<number>([text.length]);
  for (const { index } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) starts.add(index);
  return starts;
}
