import { describe, expect, it } from "vitest";

import { createNotebookReader } from "../../src/readers/notebook/notebook-reader.ts";
import { locate } from "../../src/text/locate.ts";

import { readAny } from "./read-any.ts";
import { refusalOf, showBlocks, showOutline } from "./read-with.ts";

const markdown = (...source: string[]): unknown => ({ cell_type: "markdown", metadata: {}, source });
const code = (source: string, ...outputs: unknown[]): unknown => ({ cell_type: "code", source, outputs });
const stream = (text: unknown): unknown => ({ output_type: "stream", name: "stdout", text });
const result = (data: unknown): unknown => ({ output_type: "execute_result", data });
const notebook = (cells: readonly unknown[], metadata: unknown = { language_info: { name: "Python" } }): string =>
  JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 });

describe("the notebook reader [E15]", () => {
  it("shows cell by cell what a reader sees, each a part with lines of its own", async () => {
    const { text, root, blocks, sourceMap, title, metadata, notes, mediaType } = await readAny(
      "lab/tide.ipynb",
      notebook([
        markdown("# Tides\n", "\n", "When the *moon* pulls."),
        code(
          "  x = 1\nprint(x)\n",
          stream(["1\n", "2\n"]),
          result({ "text/plain": ["'done'"], "text/html": "<b>done</b>" }),
        ),
        { cell_type: "raw", source: "As it is.\n\nTwice." },
        code("plot()", result({ "image/png": "iVBOR", "text/plain": "<Figure size 640x480 with 1 Axes>" })),
        markdown("## Ebb"),
        code("", stream("")),
      ]),
    );
    expect(text).toBe(
      "# Tides\n\nWhen the *moon* pulls.\n\n  x = 1\nprint(x)\n\n1\n2\n'done'\n\nAs it is.\n\nTwice.\n\nplot()\n\n## Ebb",
    );
    expect([title, mediaType, metadata]).toEqual([
      "Tides",
      "application/x-ipynb+json",
      { programmingLanguage: "python" },
    ]);
    expect(notes).toEqual(["1 output of its cells is not in the text: images, HTML or widgets."]);
    expect(showOutline(root)).toEqual(["# Tides", "## Ebb"]);
    expect(showBlocks({ text, ...(blocks && { blocks }) })).toEqual([
      "heading: # Tides",
      "paragraph: When the *moon* pulls.",
      "code:   x = 1\nprint(x)",
      "code: 1\n2\n'done'",
      "paragraph: As it is.",
      "paragraph: Twice.",
      "code: plot()",
      "heading: ## Ebb",
    ]);
    expect(blocks?.[2]?.language).toBe("python");
    const place = (of: string): unknown => locate({ text, root, sourceMap }, text.indexOf(of));
    expect(place("print")).toMatchObject({ part: "cell 2", line: 2, headings: ["Tides"], sectionId: "0.0" });
    expect(place("'done'")).toMatchObject({ part: "cell 2 output", line: 3 });
    expect(place("moon")).toMatchObject({ part: "cell 1", line: 3 });
    expect(place("Twice")).toMatchObject({ part: "cell 3", line: 3, headings: ["Tides"] });
  });

  it("takes colours off errors, and what was written over", async () => {
    const { text } = await readAny(
      "a.ipynb",
      notebook([
        code(
          "f()",
          stream("10%\r50%\r100%\ndone\r\n"),
          {
            output_type: "error",
            ename: "E",
            evalue: "v",
            traceback: ["\u001b[0;31mE\u001b[0m: v", "\u001b]8;;x\u0007at\u001b]8;;\u0007 1"],
          },
          { output_type: "error", ename: "Other", evalue: "why", traceback: [] },
        ),
      ]),
    );
    expect(text).toBe("f()\n\n100%\ndone\nE: v\nat 1\nOther: why");
  });

  it("reads format 3: worksheets, inputs and heading cells", async () => {
    const old = {
      nbformat: 3,
      metadata: { name: "Old" },
      worksheets: [
        {
          cells: [
            { cell_type: "heading", level: 2, source: ["Part"] },
            {
              cell_type: "code",
              language: "julia",
              input: ["x"],
              outputs: [{ output_type: "pyout", text: ["7"], html: ["<b>7</b>"] }],
            },
          ],
        },
        { cells: [{ cell_type: "code", input: "y", outputs: [{ output_type: "display_data", png: "iVBOR" }] }] },
      ],
    };
    const { text, title, root, metadata, notes } = await readAny("a.ipynb", JSON.stringify(old));
    expect(text).toBe("Part\n\nx\n\n7\n\ny");
    expect([title, showOutline(root), metadata]).toEqual(["Old", ["## Part"], { programmingLanguage: "julia" }]);
    expect(notes).toHaveLength(1);
  });

  it("leaves out pictures that are written into Markdown", async () => {
    const { text } = await readAny(
      "a.ipynb",
      notebook([markdown(`A ![cat](data:image/png;base64,${"iVBOR".repeat(2000)}) sat.`)]),
    );
    expect(text).toBe("A ![cat](data:image/png) sat.");
  });

  it("reads Markdown as prose when it stands alone", async () => {
    const bytes = new TextEncoder().encode(notebook([markdown("# Tides\n\nWords.")]));
    const { text, root, blocks } = await createNotebookReader().read({
      uri: "a",
      bytes,
      mediaType: "application/x-ipynb+json",
    });
    expect([text, root.children, blocks?.length]).toEqual(["# Tides\n\nWords.", [], 2]);
  });

  it("keeps the beginning of long output, and says that it did", async () => {
    const outputs = Array.from({ length: 1_000_000 }, () => stream("0123456789"));
    const { text } = await readAny("a.ipynb", notebook([{ cell_type: "code", source: "f()", outputs }]));
    expect(text).toBe(`f()\n\n${"0123456789".repeat(1000)}\n… (the rest of the output is left out)`);
  });

  it.each([
    ["no JSON", '{"cells": ['],
    ["no cells", '{"metadata": {}}'],
    ["something else", "[1, 2]"],
    ["cells that are none", '{"cells": 7}'],
  ])("refuses %s by name", async (_, source) => {
    const refusal = await refusalOf(readAny("dir/a.ipynb", source));
    expect([refusal.code, refusal.uri]).toEqual(["unreadable", "dir/a.ipynb"]);
  });

  it("believes nothing of what is in it", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const odd = `{"cells": [7, null, {"cell_type": 1, "source": {"a": 1}, "outputs": [3, {"data": 5}]}, {"cell_type": "code", "source": ["ok", 4], "outputs": ${deep}}, {"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": ${deep}}]}], "metadata": []}`;
    const { text, metadata } = await readAny("a.ipynb", odd);
    expect([text, metadata]).toEqual(["ok\n\nx", {}]);
  });

  it("stays within its limits", async () => {
    const many = notebook(Array.from({ length: 30 }, (_, i) => code(`x${i}`)));
    expect((await refusalOf(readAny("a.ipynb", many, { limits: { maxParts: 20 } }))).code).toBe("too-large");
    expect((await refusalOf(readAny("a.ipynb", many, { limits: { maxTextLength: 50 } }))).code).toBe("too-large");
    expect((await refusalOf(readAny("a.ipynb", notebook([code("")])))).code).toBe("empty");
  });
});
