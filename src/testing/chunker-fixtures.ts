import type { Chunk } from "../contracts/chunk.ts";
import type { AsyncChunker, Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Block, TextDocument } from "../contracts/document.ts";
import { edgeTexts, generateText } from "./corpus.ts";
import { documentOf } from "./store-fixtures.ts";

/**
 * A chunker to be tried, and the sizes that it is meant to keep.
 *
 * @experimental
 */
export interface ChunkerSubject {
  create(): Chunker | AsyncChunker;
  /** The sizes that `create` keeps, when it has any. A size is a hard limit, overlap included. */
  readonly limits?: { readonly maxSize: number; readonly overlap: number; readonly length: LengthFunction } | undefined;
  /** A chunker of other sizes, in the same unit; wrong ones must be refused. */
  readonly resize?: ((maxSize: number, overlap: number) => Chunker | AsyncChunker) | undefined;
  /** Whether no cut falls between letters that are drawn as one. Default: yes. */
  readonly wholeCharacters?: boolean | undefined;
  /** Whether rows of tables and lines of code that fit stay whole. Default: no; a chunker by words, characters or windows is blind to them. */
  readonly wholeRows?: boolean | undefined;
  /** Whether a document of many pages is many chunks. Default: yes. */
  readonly cuts?: boolean | undefined;
}

/** Texts for every chunker: every script, short and hostile texts, a table, code. */
export function chunkerCorpus(): readonly TextDocument[] {
  const generated = Array.from({ length: 12 }, (_, seed) => generateText(seed, 30));
  const facts = { metadata: { department: "HR", nested: { a: [1] } }, origin: "narrative" } as const;
  const texts = [...edgeTexts, ...generated].map((text, i) => documentOf(`d${i}.md`, text));
  return [...texts, tableDocument(), codeDocument()].map((document, i) => ({ ...document, ...facts, title: `T${i}` }));
}

/** A document that knows how often its metadata were copied: once for each chunk that was made of it. */
export function countCopies(document: TextDocument): {
  readonly document: TextDocument;
  readonly copies: () => number;
} {
  let copies = 0;
  const metadata = Object.defineProperty({}, "counted", { enumerable: true, get: () => (copies += 1) });
  return { document: { ...document, metadata }, copies: () => copies };
}

/** Where lines begin, their indentation left out. */
export const lineStartsOf = (text: string): ReadonlySet<number> =>
  new Set([0, ...Array.from(text.matchAll(/\n[ \t]*/g), ({ index, 0: gap }) => index + gap.length)]);

/** A table of many rows under its header, each a sentence or two with full stops in it. */
export function tableDocument(): TextDocument {
  const header = "| Ship | What is known of it |\n| --- | --- |\n";
  const row = (i: number): string => `| No. ${i} | It sailed. It came back, as ships do! Cargo ${i}: tea. |\n`;
  const text = header + Array.from({ length: 300 }, (_, i) => row(i)).join("");
  const blocks: readonly Block[] = [{ kind: "table", start: 0, end: text.length - 1, bodyStart: header.length }];
  return { ...documentOf("table.md", text), blocks };
}

/** Functions, one after another, with sentences in their comments. */
export function codeDocument(): TextDocument {
  const one = (i: number): string =>
    `export function sail${i}(ship) {\n  // It sails. Then it stops. It is back!\n  const harbour = ship.home;\n\n  return harbour;\n}\n`;
  const text = Array.from({ length: 120 }, (_, i) => one(i)).join("\n");
  return { ...documentOf("sail.js", text), blocks: [{ kind: "code", start: 0, end: text.length - 1, language: "js" }] };
}

/** Whether a chunk is one row of a table, which no size takes apart. */
export function isSingleRow({ blocks = [] }: TextDocument, { urtext, start, end }: Chunk): boolean {
  const isInTable = blocks.some((block) => block.kind === "table" && block.start <= start && end <= block.end);
  return isInTable && !urtext.includes("\n");
}

/** Ids by what the chunk says, and how often that was said before. */
export function numberTexts(chunks: readonly Chunk[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { urtext, id } of chunks) {
    let occurrence = 0;
    while (ids.has(`${occurrence} ${urtext}`)) occurrence += 1;
    ids.set(`${occurrence} ${urtext}`, id);
  }
  return ids;
}

/** Where something that is drawn as one begins, and the end. **Source** Unicode's extended grapheme clusters (UAX 29). */
export function characterStarts(text: string): ReadonlySet<number> {
  const starts = new Set<number>([text.length]);
  for (const { index } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) starts.add(index);
  return starts;
}
