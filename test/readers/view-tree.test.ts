import fc from "fast-check";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { buildViewTree, type ViewBlock, type ViewedDocument, type ViewRun } from "ibid/readers";
import { expect, test } from "vitest";
import { runs as times } from "../support/runs.ts";

/** All runs of a block, in order. */
const runsOf = ({ rows, runs }: ViewBlock): readonly ViewRun[] => runs ?? rows!.flatMap((row) => row.cells.flat());

/** The text that the blocks hold, with what stands between them; and whether each run is a slice. */
async function checkTree(document: ViewedDocument): Promise<void> {
  const { text } = document;
  const blocks = await buildViewTree(document);
  let at = 0;
  for (const block of blocks) {
    expect(text.slice(at, block.start).trim(), `between blocks, before ${block.start}`).toBe("");
    expect(block.start).toBeGreaterThanOrEqual(at);
    let reached = block.start;
    for (const run of runsOf(block)) {
      // A table has a line break between its rows.
      const between = block.rows === undefined ? run.start - reached : text.slice(reached, run.start).trim().length;
      expect(between).toBe(0);
      expect(run.text).toBe(text.slice(run.start, run.end));
      expect(run.end).toBeGreaterThan(run.start);
      reached = run.end;
    }
    expect(reached).toBe(block.end);
    at = block.end;
  }
  expect(text.slice(at).trim()).toBe("");
}

const root = (text: string): ViewedDocument["root"] => ({
  id: "0",
  title: "",
  level: 0,
  start: 0,
  end: text.length,
  contentStart: 0,
  children: [],
});
const documentOf = (text: string, mediaType: string): ViewedDocument => ({
  text,
  mediaType,
  root: root(text),
  sourceMap: { lines: "text" },
});

test("[page 21.1] the blocks of any text reproduce it", async () => {
  const piece = fc.constantFrom(
    "# a",
    "- b",
    "  - c",
    "1. d",
    "| a | b |",
    "|---|---|",
    "```js",
    "```",
    "> q",
    "*x*",
    "**y**",
    "`z`",
    "\\*",
    "&amp;",
    "[l](u)",
    "<b>",
    "---",
    "\n",
    "\n\n",
    " ",
    "\t",
    "word",
    '"',
    ",",
    ";",
    "ü😀",
  );
  const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
  const type = fc.constantFrom("text/markdown", "text/mdx", "text/plain", "text/csv", "application/json", "text/html");
  await fc.assert(
    fc.asyncProperty(text, type, (given, mediaType) => checkTree(documentOf(given, mediaType))),
    { numRuns: times(400) },
  );
});

test("[page 21.1] the blocks of every document of the examples reproduce it", async () => {
  const kb = await openKnowledgeBase();
  const folder = join(import.meta.dirname, "..", "..", "docs");
  await kb.ingest(folder, { folders: { maxDepth: 0 } });
  expect(readdirSync(folder).length).toBeGreaterThan(5);
  for await (const { uri } of kb.list()) await checkTree((await kb.document(uri))!);
  await kb.close();
});

test("a Markdown list, table and fence become items, cells and code", async () => {
  const text = "## Ways *in*\n\n- one\n  - two `x`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\ncode()\n```\n";
  const blocks = await buildViewTree(documentOf(text, "text/markdown"));
  expect(blocks.map(({ kind, level }) => [kind, level])).toEqual([
    ["heading", 2],
    ["item", 1],
    ["item", 2],
    ["table", undefined],
    ["code", undefined],
  ]);
  const shown = blocks.map((block) =>
    runsOf(block)
      .filter(({ syntax }) => syntax !== true)
      .map(({ text: own }) => own)
      .join("~"),
  );
  expect(shown).toEqual(["Ways ~in", "- ~one", "  - ~two ~x", "a~b~---~---~1~2", "code()"]);
});
