import { describe, expect, it } from "vitest";

import { createMarkdownReader } from "../../src/readers/markdown/markdown-reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../../src/testing/tree-checks.ts";
import { locate } from "../../src/text/locate.ts";

const read = async (source: string) => {
  const result = await readDocument([createMarkdownReader()], { uri: "a.md", bytes: new TextEncoder().encode(source) });
  checkTree(result.root, result.text);
  checkBlocks(result.blocks, result.text);
  checkSourceMap(result.sourceMap, result.text);
  return result;
};

describe("a table of HTML in Markdown", () => {
  it("is a table with bars, and every line keeps its line of the source [L1]", async () => {
    const source =
      "# Ports\n\n<div>\n<table>\n<tr><th>Port</th>\n<th>Depth</th></tr>\n\n<tr><td>A|B</td><td>12 m</td></tr>\n</table>\n</div>\n\nText below.\n";
    const document = await read(source);
    const { text, blocks = [] } = document;
    const [table] = blocks.filter(({ kind }) => kind === "table");
    expect(text.slice(table?.start, table?.end)).toBe("| Port | Depth |\n| --- | --- |\n| A\\|B | 12 m |");
    expect(text).toMatch(/\n<\/div>\n\nText below\.\n$/u);
    const lineOf = (words: string): unknown => locate(document, text.indexOf(words)).line;
    expect([lineOf("# Ports"), lineOf("| Port"), lineOf("Text below")]).toEqual([1, 4, 12]);
  });

  it.each([
    ["in code", "```html\n<table><tr><td>a</td><td>b</td></tr></table>\n```\n"],
    ["that is not closed", "<table><tr><td>a</td><td>b</td></tr>\n\nText\n"],
    ["in a comment", "<!-- <table><tr><td>a</td><td>b</td></tr></table> -->\n"],
    ["around a picture", '<table><tr><td><img src="a.png"></td></tr></table>\n'],
  ])("%s stays as it is written", async (_, source) => {
    expect((await read(source)).text).toBe(source);
  });
});
