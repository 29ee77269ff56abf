import type { Chunk } from "../contracts/chunk.ts";
import type { Block, TextDocument } from "../contracts/document.ts";
import { edgeTexts, generateText } from "./corpus.ts";
import { documentOf } from "./store-fixtures.ts";

/** What every chunker is tried on: every script, short and hostile texts, a table, code. */
export function chunkerCorpus(): readonly TextDocument[] {
  const generated = Array.from({ length: 12 }, (_, seed) => generateText(seed, 30));
  const facts = { metadata: { department: "HR", nested: { a: [1] } }, origin: "narrative" } as const;
  const texts = [...edgeTexts, ...generated].map((text, i) => documentOf(`d${i}.md`, text));
  return [...texts, tableDocument(), codeDocument()].map((document, i) => ({ ...document, ...facts, title: `T${i}` }));
}

/** A document that knows how often its metadata were copied: once for each chunk that was made of it. */
export function countCopies(document: TextDocument): { readonly document: TextDocument; copies(): number } {
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
