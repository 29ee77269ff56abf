import { describe } from "vitest";

import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createTitleTransformer } from "../../src/chunkers/transformers/title-transformer.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { ChunkTransformer } from "../../src/contracts/chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type {
  KeptVersion,
  ReadResult,
  Reader,
  Source,
  SourceItem,
  SourceRefusal,
  SourceUnchanged,
} from "../../src/contracts/reader.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { createChunkTransformerPack } from "../../src/testing/chunk-transformer-pack.ts";
import type { ChunkerSubject } from "../../src/testing/chunker-fixtures.ts";
import { createChunkerPack } from "../../src/testing/chunker-pack.ts";
import { createListSource } from "../../src/testing/list-source.ts";
import { createReaderPack } from "../../src/testing/reader-pack.ts";
import type { ReaderSubject } from "../../src/testing/reader-pack.ts";
import { createSourcePack } from "../../src/testing/source-pack.ts";
import type { SourceSubject } from "../../src/testing/source-pack.ts";
import { characters } from "../../src/text/length.ts";
import { runMutants } from "./mutants.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const [maxSize, overlap] = [120, 30];

/** A good chunker whose chunks are changed on the way out. */
const chunker = (
  change: (chunks: readonly Chunk[], document: TextDocument) => readonly Chunk[],
  more: Partial<ChunkerSubject> = {},
): ChunkerSubject => ({
  create() {
    const good = createSectionChunker({ maxSize, overlap });
    return { fingerprint: good.fingerprint, chunk: (document) => change([...good.chunk(document)], document) };
  },
  limits: { maxSize, overlap, length: characters },
  resize: (size, shared) => createSectionChunker({ maxSize: size, overlap: shared }),
  ...more,
});
const each = (change: (chunk: Chunk, i: number, document: TextDocument) => Chunk): ChunkerSubject =>
  chunker((chunks, document) => chunks.map((chunk, i) => change(chunk, i, document)));
const slice = (chunk: Chunk, { text }: TextDocument, start: number, end: number): Chunk => {
  const urtext = text.slice(start, end);
  return { ...chunk, start, end, urtext, text: urtext };
};

describe("the chunker pack notices a chunker with one fault [L1 E17 E18]", () => {
  runMutants(createChunkerPack, [
    [
      "offsets shifted by one",
      "chunker/every-chunk-is-its-slice",
      each((chunk) => ({ ...chunk, start: chunk.start + 1, end: chunk.end + 1 })),
    ],
    [
      "trimmed urtext",
      "chunker/every-chunk-is-its-slice",
      each((chunk) => ({ ...chunk, urtext: chunk.urtext.replaceAll(/\s+/gu, " ") })),
    ],
    [
      "offsets in code points",
      "chunker/every-chunk-is-its-slice",
      each((chunk, _, { text }) => ({ ...chunk, start: Array.from(text.slice(0, chunk.start)).length })),
    ],
    [
      "last character lost",
      "chunker/no-character-is-lost",
      each((chunk, _, document) => slice(chunk, document, chunk.start, Math.max(chunk.start + 1, chunk.end - 1))),
    ],
    [
      "last chunk lost",
      "chunker/no-character-is-lost",
      chunker((chunks) => chunks.slice(0, Math.max(1, chunks.length - 1))),
    ],
    [
      "short chunks lost",
      "chunker/no-character-is-lost",
      chunker((chunks) => chunks.filter(({ urtext }) => urtext.length > 5)),
    ],
    ["backwards", "chunker/in-order-and-numbered", chunker((chunks) => chunks.toReversed())],
    ["numbered from one", "chunker/in-order-and-numbered", each((chunk) => ({ ...chunk, index: chunk.index + 1 }))],
    [
      "the same chunk twice",
      "chunker/in-order-and-numbered",
      chunker((chunks) =>
        chunks.flatMap((chunk, i) => [
          { ...chunk, index: 2 * i },
          { ...chunk, id: `${chunk.id}'`, index: 2 * i + 1 },
        ]),
      ),
    ],
    ["duplicate ids", "chunker/ids-unique-and-stable", each((chunk) => ({ ...chunk, id: chunk.documentId }))],
    ["random ids", "chunker/ids-unique-and-stable", each((chunk) => ({ ...chunk, id: crypto.randomUUID() }))],
    ["blank ids", "chunker/ids-unique-and-stable", each((chunk, i) => ({ ...chunk, id: " ".repeat(i + 1) }))],
    [
      "ids by length of the document",
      "chunker/unchanged-text-keeps-its-id",
      each((chunk, i, { text, id }) => ({ ...chunk, id: `${id}/${text.length}/${i}` })),
    ],
    ["ids by words alone", "chunker/unchanged-text-keeps-its-id", each((chunk) => ({ ...chunk, id: chunk.urtext }))],
    [
      "ids that do not count repetition",
      "chunker/repeated-paragraphs-stay-apart",
      each((chunk) => ({ ...chunk, id: `${chunk.documentId}/${chunk.urtext}` })),
    ],
    ["metadata dropped", "chunker/carries-the-document's-facts", each((chunk) => ({ ...chunk, metadata: {} }))],
    ["origin of its own", "chunker/carries-the-document's-facts", each((chunk) => ({ ...chunk, origin: "synthetic" }))],
    [
      "always the root",
      "chunker/knows-its-section-and-line",
      each((chunk) => ({ ...chunk, sectionId: "0", headings: [] })),
    ],
    [
      "lines from zero",
      "chunker/knows-its-section-and-line",
      each((chunk) => ({ ...chunk, line: (chunk.line ?? 1) - 1 })),
    ],
    [
      "too large by one",
      "chunker/keeps-its-sizes",
      { ...chunker((chunks) => chunks), create: () => createSectionChunker({ maxSize: maxSize + 1, overlap }) },
    ],
    [
      "overlap too large",
      "chunker/keeps-its-sizes",
      each((chunk, _, document) => slice(chunk, document, Math.max(0, chunk.start - 40), chunk.end)),
    ],
    ["a cut through a pair", "chunker/no-character-is-cut", chunker((_, document) => cutBlindly(document, 7))],
    ["a cut through a family", "chunker/no-character-is-cut", chunker((_, document) => cutBlindly(document, 2))],
    ["one run for all", "chunker/cuts-lazily", onceOnly()],
    [
      "one fingerprint for all",
      "chunker/fingerprint-tells-settings-apart",
      chunker((chunks) => chunks, { resize: () => createSectionChunker() }),
    ],
    [
      "sizes unchecked",
      "chunker/impossible-sizes-refused",
      chunker((chunks) => chunks, { resize: (size) => ({ ...createSectionChunker(), fingerprint: String(size) }) }),
    ],
    [
      "overlap cut down in silence",
      "chunker/impossible-sizes-refused",
      chunker((chunks) => chunks, {
        resize: (size, shared) => createSectionChunker({ maxSize: size, overlap: Math.min(shared, size - 1) }),
      }),
    ],
    [
      "the document tidied up",
      "chunker/documents-are-left-alone",
      chunker((chunks, document) => (((document.metadata as Record<string, unknown>)["cut"] = true), chunks)),
    ],
  ]);
});

/** Pieces of a fixed number of UTF-16 units, wherever that falls. */
function cutBlindly(document: TextDocument, size: number): readonly Chunk[] {
  const [pattern] = createSectionChunker().chunk(document);
  const pieces: Chunk[] = [];
  if (pattern === undefined) return pieces;
  for (let start = 0; start < document.text.length; start += size) {
    pieces.push(
      slice(
        { ...pattern, id: String(start), index: pieces.length },
        document,
        start,
        Math.min(start + size, document.text.length),
      ),
    );
  }
  return pieces;
}

/** A chunker that goes on where it was left. */
function onceOnly(): ChunkerSubject {
  const good = createSectionChunker();
  return {
    create() {
      let run: IterableIterator<Chunk> | undefined;
      return {
        fingerprint: good.fingerprint,
        chunk: (document) => {
          run ??= good.chunk(document)[Symbol.iterator]() as IterableIterator<Chunk>;
          const kept = run;
          return { [Symbol.iterator]: () => ({ next: () => kept.next() }) };
        },
      };
    },
  };
}

const transformer = (change: (chunk: Chunk, before: Chunk) => Chunk): { create(): ChunkTransformer } => ({
  create() {
    const good = createTitleTransformer();
    return {
      name: good.name,
      transform: async (chunk, context) => change(await good.transform(chunk, context), chunk),
    };
  },
});

describe("the transformer pack notices a transformer with one fault [E19 E11]", () => {
  runMutants(createChunkTransformerPack, [
    [
      "urtext rewritten",
      "chunk-transformer/leaves-the-source-alone",
      transformer((chunk) => ({ ...chunk, urtext: chunk.text })),
    ],
    [
      "places moved",
      "chunk-transformer/leaves-the-source-alone",
      transformer((chunk) => ({ ...chunk, end: chunk.start + chunk.text.length })),
    ],
    [
      "a new id",
      "chunk-transformer/leaves-the-source-alone",
      transformer((chunk) => ({ ...chunk, id: `${chunk.id}!` })),
    ],
    [
      "metadata dropped",
      "chunk-transformer/keeps-metadata-and-has-text",
      transformer((chunk) => ({ ...chunk, metadata: {} })),
    ],
    [
      "nothing left",
      "chunk-transformer/keeps-metadata-and-has-text",
      transformer((chunk) => ({ ...chunk, text: " " })),
    ],
    [
      "written into",
      "chunk-transformer/changes-nothing-it-was-given",
      transformer((chunk, before) => Object.assign(before, { text: chunk.text })),
    ],
    [
      "its mood in the text",
      "chunk-transformer/same-chunk-same-result",
      transformer((chunk) => ({ ...chunk, text: `${chunk.text} ${Math.random()}` })),
    ],
  ]);
});

const reader = (
  change: (result: ReadResult, bytes: Uint8Array) => ReadResult,
  more: Partial<ReaderSubject> & { reader?: Partial<Reader> } = {},
): ReaderSubject => ({
  create: () => ({
    ...plainTextReader,
    read: async (input) => change(await plainTextReader.read(input), input.bytes),
    ...more.reader,
  }),
  mediaType: "text/plain",
  wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
  verbatim: true,
  ...more,
});
const retext = (text: string, result: ReadResult): ReadResult => ({
  ...result,
  text,
  root: { ...result.root, end: text.length },
  blocks: [],
});
const nothingThere = { name: "an empty file", bytes: new Uint8Array(0), code: "empty" } as const;

describe("the reader pack notices a reader with one fault [L1 E15]", () => {
  runMutants(createReaderPack, [
    [
      "takes everything",
      "reader/takes-its-own-media-type",
      reader((result) => result, { reader: { accepts: () => true } }),
    ],
    [
      "takes nothing",
      "reader/takes-its-own-media-type",
      reader((result) => result, { reader: { accepts: () => false } }),
    ],
    [
      "a root that falls short",
      "reader/text-tree-and-map-fit",
      reader((result) => ({ ...result, root: { ...result.root, end: result.text.length - 1 } })),
    ],
    [
      "blocks that overlap",
      "reader/text-tree-and-map-fit",
      reader((result) => ({ ...result, blocks: [...(result.blocks ?? []), { kind: "paragraph", start: 0, end: 1 }] })),
    ],
    ["words between the blocks", "reader/text-tree-and-map-fit", reader((result) => ({ ...result, blocks: [] }))],
    [
      "sections out of order",
      "reader/text-tree-and-map-fit",
      reader((result) => ({
        ...result,
        root: { ...result.root, children: [section("0.0", 1, 1), section("0.1", 0, 1)] },
      })),
    ],
    [
      "sections of one id",
      "reader/text-tree-and-map-fit",
      reader((result) => ({ ...result, root: { ...result.root, children: [section("0", 0, 1)] } })),
    ],
    [
      "pages from zero",
      "reader/text-tree-and-map-fit",
      reader((result) => ({ ...result, sourceMap: { ...result.sourceMap, pages: [{ number: 0, start: 0 }] } })),
    ],
    [
      "times without an end",
      "reader/text-tree-and-map-fit",
      reader((result) => ({
        ...result,
        sourceMap: { ...result.sourceMap, times: [{ start: 0, from: 1, to: Number.NaN }] },
      })),
    ],
    [
      "anchors promised and not given",
      "reader/text-tree-and-map-fit",
      reader((result) => ({ ...result, sourceMap: { lines: "anchors" } })),
    ],
    [
      "half a pair",
      "reader/text-tree-and-map-fit",
      reader((result) => retext(`${result.text}\uD83D`, result), { verbatim: false }),
    ],
    [
      "newlines of another system",
      "reader/text-tree-and-map-fit",
      reader((result) => retext(result.text.replaceAll("\n", "\r\n"), result)),
    ],
    [
      "rare letters lost",
      "reader/no-word-is-lost",
      reader((result) => retext(result.text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, ""), result)),
    ],
    ["letters of one form", "reader/no-word-is-lost", reader((result) => retext(result.text.normalize("NFC"), result))],
    [
      "the last character lost",
      "reader/verbatim-as-declared",
      reader((result) => retext(result.text.slice(0, -1), result)),
    ],
    ["the ends trimmed", "reader/verbatim-as-declared", reader((result) => retext(result.text.trim(), result))],
    [
      "a second opinion",
      "reader/same-bytes-same-result",
      reader((result) => ({ ...result, metadata: { at: Math.random() } })),
    ],
    [
      "what JSON cannot carry",
      "reader/same-bytes-same-result",
      reader((result) => ({ ...result, metadata: { when: new Date(0) as unknown as string } })),
    ],
    [
      "scribbles on the bytes",
      "reader/same-bytes-same-result",
      reader((result, bytes) => (bytes.fill(32, bytes.length - 1), result)),
    ],
    [
      "refuses nothing",
      "reader/refuses-by-name",
      reader((result) => result, {
        reader: {
          read: async () => plainTextReader.read({ uri: "x", bytes: encode("made up"), mediaType: "text/plain" }),
        },
        refuses: [nothingThere],
      }),
    ],
    [
      "refuses without a name",
      "reader/refuses-by-name",
      reader((result) => result, {
        reader: { read: () => Promise.reject(new IbidError("empty", "Nothing in there.")) },
        refuses: [nothingThere],
      }),
    ],
    [
      "stops without saying why",
      "reader/stops-only-when-told",
      reader((result) => result, {
        reader: { read: async (input) => (input.signal?.throwIfAborted(), plainTextReader.read(input)) },
      }),
    ],
  ]);
});

function section(id: string, start: number, end: number): ReadResult["root"] {
  return { id, title: id, level: 1, start, end, contentStart: start, children: [] };
}

const contents = { "a.txt": encode("a"), "b.txt": encode("b"), "c.txt": encode("c") };
const source = (
  change: (items: readonly (SourceItem | SourceRefusal)[], walk: number) => readonly (SourceItem | SourceRefusal)[],
  folders: readonly string[] = ["f"],
): SourceSubject => ({
  create() {
    const list = [
      ...Object.entries(contents).map(([uri, content]) => ({ uri, content })),
      { uri: "gone", content: new Error("gone") },
    ];
    const good = createListSource(list, { folder: "f" });
    let walks = 0;
    return {
      folders,
      async *items(signal): AsyncGenerator<SourceItem | SourceRefusal> {
        const walk = walks++;
        const items: (SourceItem | SourceRefusal)[] = [];
        for await (const item of good.items(signal)) items.push(item);
        yield* change(items, walk);
      },
    } satisfies Source;
  },
  contents,
  refusals: ["gone"],
});

/** A good source that can ask first, with another answer to what it is told. */
const asking = (
  answer: (item: SourceItem, kept: KeptVersion | undefined) => SourceItem | SourceUnchanged | undefined,
): SourceSubject => {
  const plain = source((items) => items);
  return {
    ...plain,
    async create() {
      const good = await plain.create();
      return {
        ...good,
        async *changes(kept, signal): AsyncGenerator<SourceItem | SourceRefusal | SourceUnchanged> {
          for await (const item of good.items(signal)) {
            const given = "error" in item ? item : answer(item, await kept(item.uri));
            if (given !== undefined) yield given;
          }
        },
      };
    },
  };
};

describe("the source pack notices a source with one fault [E14 E15]", () => {
  runMutants(createSourcePack, [
    ["everything twice", "source/everything-once-by-name", source((items) => [...items, ...items])],
    [
      "the last one lost",
      "source/everything-once-by-name",
      source((items) => items.filter(({ uri }) => uri !== "c.txt")),
    ],
    [
      "another's bytes",
      "source/everything-once-by-name",
      source((items) => items.map((item) => ("bytes" in item ? { ...item, bytes: async () => encode("a") } : item))),
    ],
    [
      "a wrong size",
      "source/everything-once-by-name",
      source((items) => items.map((item) => ("bytes" in item ? { ...item, size: 9 } : item))),
    ],
    [
      "refusals kept quiet",
      "source/refusals-do-not-stop-the-rest",
      source((items) => items.filter((item) => !("error" in item))),
    ],
    [
      "refusals without a reason",
      "source/refusals-do-not-stop-the-rest",
      source((items) => items.map((item) => ("error" in item ? { ...item, error: new Error("") } : item))),
    ],
    ["nothing the second time", "source/the-same-again", source((items, walk) => (walk === 0 ? items : []))],
    ["folders it does not own", "source/folders-hold-their-items", source((items) => items, [])],
    ["goes on where it was left", "source/lazy", source((items, walk) => items.slice(walk))],
    ["fetches whatever is kept", "source/fetches-nothing-that-is-not-wanted", asking((item) => item)],
    [
      "keeps quiet about what is not wanted",
      "source/fetches-nothing-that-is-not-wanted",
      asking((item, kept) => (kept?.wanted === false ? undefined : item)),
    ],
    [
      "takes all that is kept for unchanged",
      "source/fetches-nothing-that-is-not-wanted",
      asking((item, kept) => (kept === undefined ? item : { uri: item.uri, unchanged: true })),
    ],
    [
      "deaf to signals",
      "source/stops-when-told",
      { ...source((items) => items), create: () => ({ folders: [], items: () => createListSource([]).items() }) },
    ],
  ]);
});
