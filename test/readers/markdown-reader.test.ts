import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import { walkSections } from "../../src/text/walk-sections.ts";
import { canonicalize } from "../../src/text/canonical-text.ts";

import { readAs, showBlocks, showOutline, textOutsideBlocks } from "./read-with.ts";
import { sample } from "../support/runs.ts";

const page = `---
title: "Keys & rotation"
tags: [security, ops]
date: 2024-05-01
draft: false
---

Intro before any heading.

# First *heading* with \`code\`

A paragraph
over two lines.

| Key | Value |
| --- | ----- |
| a   | 1     |
| b   | 2     |

### Level three [link](https://example.com)

\`\`\`ts title="x.ts"
const a = 1;

# not a heading
\`\`\`

> quoted
> # not a section

- one
  - two

  # not one either
- three

Setext heading
==============

***

<div>
raw
</div>

    indented code

Second setext &amp; last
-----

The end.
`;

describe("createMarkdownReader", () => {
  it("keeps the source as canonical text and finds its blocks [B5 B52 E15 L1]", async () => {
    const result = await readAs("docs/keys.md", `\uFEFF${page.replaceAll("\n", "\r\n")}`);
    expect(result.text).toBe(page);
    expect(showBlocks(result)).toEqual([
      'front-matter: ---\ntitle: "Keys & rotation"\ntags: [security, ops]\ndate: 2024-05-01\ndraft: false\n---',
      "paragraph: Intro before any heading.",
      "heading: # First *heading* with `code`",
      "paragraph: A paragraph\nover two lines.",
      "table: | Key | Value |\n| --- | ----- |\n| a   | 1     |\n| b   | 2     |",
      "heading: ### Level three [link](https://example.com)",
      'code: ```ts title="x.ts"\nconst a = 1;\n\n# not a heading\n```',
      "quote: > quoted\n> # not a section",
      "list: - one\n  - two\n\n  # not one either\n- three",
      "heading: Setext heading\n==============",
      "rule: ***",
      "html: <div>\nraw\n</div>",
      "code:     indented code",
      "heading: Second setext &amp; last\n-----",
      "paragraph: The end.",
    ]);
    expect(result).toMatchObject({ mediaType: "text/markdown", sourceMap: { lines: "text" } });
  });

  it("makes sections of outermost headings, titled without markup [E2 E8]", async () => {
    const { root, text, title } = await readAs("docs/keys.md", page);
    expect(title).toBe("Keys & rotation");
    expect(root.title).toBe("Keys & rotation");
    expect(showOutline(root)).toEqual([
      "# First heading with code",
      "### Level three link",
      "# Setext heading",
      "## Second setext & last",
    ]);
    const [first] = root.children;
    expect(text.slice(first?.start, first?.contentStart)).toBe("# First *heading* with `code`");
    const setext = root.children[1];
    expect(text.slice(setext?.start, setext?.contentStart)).toBe("Setext heading\n==============");
  });

  it("says where the rows of a table and the lines of fenced code begin [E15]", async () => {
    const { text, blocks } = await readAs("a.md", page);
    const table = blocks?.find(({ kind }) => kind === "table");
    expect(text.slice(table?.bodyStart, table?.end)).toBe("| a   | 1     |\n| b   | 2     |");
    const code = blocks?.find(({ kind }) => kind === "code");
    expect(code?.language).toBe("ts");
    expect(text.slice(code?.bodyStart, code?.end)).toMatch(/^const a = 1;/);
    const bare = await readAs("b.md", "|a|b|\n|-|-|\n\n```\n");
    expect(bare.blocks).toEqual([
      { kind: "table", start: 0, end: 11, bodyStart: 11 },
      { kind: "code", start: 13, end: 16, bodyStart: 16 },
    ]);
  });

  it.each([
    ["# Plain #", "Plain"],
    ["# **Bold** and _more_ ~~gone~~", "Bold and more gone"],
    ["# [Link `x`](y) ![alt](z)", "Link x alt"],
    ["# [Text][ref] and [shortcut]", "Text and [shortcut]"],
    ["# A &lt;b&gt; \\* <span>c</span>", "A <b> * c"],
    ["# Custom {#my-id}", "Custom"],
    ["# Custom {: #my-id .note }", "Custom"],
    ["# Custom {#my-id .note} {.more}", "Custom"],
    ["# Sets {a, b}", "Sets {a, b}"],
    ["# Custom {/* #my-id */}", "Custom"],
    ["# Noted[^1] well", "Noted well"],
    ["# [Defined] and [not]\n\n[defined]: /x", "Defined and [not]"],
    ["# &lt;key&gt; &amp; `&lt;`", "<key> & &lt;"],
    ['<h1 align="center">\n  <img src="k.svg">\n  Keys &amp; <b>locks</b>\n</h1>', "Keys & locks"],
    ['<h1><img src="k.svg" alt="Keys"></h1>', "Keys"],
    ["# Tabs\tand   spaces\u200B", "Tabs and spaces"],
    ["# 日本語の見出し 😀", "日本語の見出し 😀"],
    ["# Über_alles_hier", "Über_alles_hier"],
    ["Two\nlines\n=", "Two lines"],
  ])("reads the title of %j as %j [E2]", async (source, title) => {
    expect(showOutline((await readAs("a.md", source)).root)).toEqual([`# ${title}`]);
  });

  it("cuts HTML at the headings in it, but not at those in comments and code [E2]", async () => {
    const source =
      '<div align="center">\n<h1>Keys</h1>\n<p>Turn them.</p>\n<!-- <h2>No</h2> -->\n<h2 id=s>Spare</h2>\n</div>\n\nText.\n\n<pre><h2>code</h2></pre>\n\n- <h2>item</h2>\n';
    const result = await readAs("a.md", source);
    expect(result.text).toBe(source);
    expect(showOutline(result.root)).toEqual(["# Keys", "## Spare"]);
    expect(showBlocks(result)).toEqual([
      'html: <div align="center">',
      "heading: <h1>Keys</h1>",
      "html: <p>Turn them.</p>\n<!-- <h2>No</h2> -->",
      "heading: <h2 id=s>Spare</h2>",
      "html: </div>",
      "paragraph: Text.",
      "html: <pre><h2>code</h2></pre>",
      "list: - <h2>item</h2>",
    ]);
  });

  it("makes no section of a heading that says nothing [E2]", async () => {
    const { root, blocks } = await readAs("a.md", "#\n\ntext\n\n## <br>\n");
    expect(root.children).toEqual([]);
    expect(blocks?.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "heading"]);
  });

  it("titles by front matter, else the first h1, else the file name [E15]", async () => {
    expect((await readAs("x/a.md", "---\ntitle: ''\n---\n## b\n# c\n# d")).title).toBe("c");
    expect((await readAs("x/a.md", "## b")).title).toBe("a.md");
    expect((await readAs("x/a.md", "---\ntitle: 5\n---\n# c")).title).toBe("c");
  });

  it("leaves no text outside blocks: link definitions are paragraphs [L1]", async () => {
    const result = await readAs("a.md", "Text [a].\n\n[a]: https://example.com\n");
    expect(showBlocks(result)).toEqual(["paragraph: Text [a].", "paragraph: [a]: https://example.com"]);
  });
});

describe("front matter", () => {
  it("becomes metadata of JSON values; dates stay strings [B4 B6 E15]", async () => {
    const { metadata } = await readAs(
      "a.md",
      "---\ntitle: T\nn: 1.5\nyes: true\nnone:\nat: 2024-05-01\nlist: [a, 2]\nmap: {x: {y: z}}\ntext: |\n  two\n  lines\n---\nx",
    );
    expect(metadata).toEqual({
      title: "T",
      n: 1.5,
      yes: true,
      none: null,
      at: "2024-05-01",
      list: ["a", 2],
      map: { x: { y: "z" } },
      text: "two\nlines\n",
    });
    expect(JSON.parse(JSON.stringify(metadata))).toEqual(metadata);
  });

  it("is the same whether a parser of all of YAML reads it or its lines are plain enough to do without", async () => {
    const word = fc.stringMatching(/^[a-z][a-zA-Z -]{0,5}(?:[:#.,/()'_"&*!|>%@-]|true|null|yes|1e3)? ?[a-z0-9]{0,3}$/);
    const value = fc.oneof(
      word,
      fc.constantFrom("true", "False", "NULL", "no", "inf", "x: y", "x #y", "e1", "trueish", "", "it's", "a  b", "a,b"),
      fc.stringMatching(/^[^"\n\r]{0,8}$/).map((text) => `"${text}"`),
    );
    const line = fc.tuple(fc.constantFrom("title", "a-b", "True", "id", "x_1", "constructor", "__proto__"), value);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const body = lines.map(([key, text]) => `${key}: ${text}`).join("\n");
        // A comment is more than plain lines hold, and says nothing.
        const [plain, whole] = [body, `${body}\n# a comment`].map((yaml) => readAs("a.md", `---\n${yaml}\n---\ntext`));
        const { metadata, title } = await plain!;
        expect({ metadata, title }).toEqual((({ metadata, title }) => ({ metadata, title }))(await whole!));
      }),
      { numRuns: 300 },
    );
  });

  it("is read of TOML, too, as far as its top level goes [B4 E15]", async () => {
    const source = `+++
title = "Keys \\"and\\" \\u00e9"   # a comment
date = 2024-05-01T10:00:00Z
draft = false
weight = 1_000
ratio = 1.5
tags = ["a", 'b', 2]
"quoted key" = 'C:\\path'
long = [
  "x",
  "y",
]
broken = [1, {
empty = []
[params]
deep = 1
+++
text`;
    const { metadata, title, text } = await readAs("a.md", source);
    expect(text).toBe(source);
    expect(title).toBe('Keys "and" é');
    expect(metadata).toEqual({
      title: 'Keys "and" é',
      date: "2024-05-01T10:00:00Z",
      draft: false,
      weight: 1000,
      ratio: 1.5,
      tags: ["a", "b", 2],
      "quoted key": "C:\\path",
      long: ["x", "y"],
      empty: [],
    });
  });

  it("drops what JSON cannot hold, typed keys of another type, and prototype keys [B4]", async () => {
    const { metadata } = await readAs(
      "a.md",
      "---\nfileSize: big\nmimeType: 5\nlanguage: de\ninf: .inf\nnan: .nan\nref: &a x\nalias: *a\n__proto__: {polluted: yes}\nok: 1\n---\nx",
    );
    expect(metadata).toEqual({ language: "de", ref: "x", ok: 1 });
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });

  it.each([
    ["broken YAML", "---\ntitle: [unclosed\n---\n# H"],
    ["YAML of two documents' worth", "---\na: b: c\n---\n# H"],
    ["TOML of tables alone", "+++\n[params]\na = 1\n+++\n# H"],
    ["nothing", "---\n---\n# H"],
  ])("stays text and gives no metadata when it is %s [E15]", async (_, source) => {
    const { metadata, text, blocks, root } = await readAs("a.md", source);
    expect(metadata).toEqual({});
    expect(text).toBe(source);
    expect(blocks?.map(({ kind }) => kind)).toEqual(["front-matter", "heading"]);
    expect(showOutline(root)).toEqual(["# H"]);
  });

  it.each(["---\nprose between rules\n---\n", "---\n\n# H\n\nno fence", "--- x\na: b\n---\n", " ---\na: b\n---\n"])(
    "is not seen where there is none: %j [E15]",
    async (source) => {
      const { blocks, metadata } = await readAs("a.md", source);
      expect(blocks?.some(({ kind }) => kind === "front-matter")).toBe(false);
      expect(metadata).toEqual({});
    },
  );

  it.each(["{", "[", "? ", "- ", "a: &a [*a]\n", "[{", "&a ", "!!x ", "- - - a\n", "a:\n "])(
    "cannot be made to take long: 20 kB of %j [E15]",
    async (piece) => {
      const source = `---\na: ${piece.repeat(20_000 / piece.length)}\n---\n# H\n`;
      const { text, root } = await readAs("a.md", source);
      expect(text).toBe(source);
      expect(root.children.length).toBeLessThanOrEqual(2);
    },
  );
});

describe("MDX", () => {
  it("has imports and expressions as blocks, and no indented code [B52 E15]", async () => {
    const source =
      "import A from 'a'\nexport const b = 1\n\n{/* note */}\n\n<Tabs>\n\n    ## Inside\n\nText {b}.\n\n</Tabs>\n\n    still text\n";
    const result = await readAs("a.mdx", source);
    expect(result.text).toBe(source);
    expect(showBlocks(result)).toEqual([
      "code: import A from 'a'\nexport const b = 1",
      "html: {/* note */}",
      "html: <Tabs>",
      "paragraph: ## Inside",
      "paragraph: Text {b}.",
      "html: </Tabs>",
      "paragraph: still text",
    ]);
    expect(result.blocks?.[0]?.language).toBe("js");
    expect((await readAs("a.md", "import A from 'a'")).blocks?.[0]?.kind).toBe("paragraph");
  });
});

describe("MDX comments", () => {
  it("hold no headings, however many lines they have [E2]", async () => {
    const source = "# One\n\n{/*\n\n## No\n\n- no */}\n\n## Two\n";
    const { root, text } = await readAs("a.mdx", source);
    expect(text).toBe(source);
    expect(showOutline(root)).toEqual(["# One", "## Two"]);
  });
});

const line = fc.oneof(
  fc.constantFrom(
    "# h",
    "<h2>h</h2>",
    "<h1>*h*</h1> x <h3 a=b>i</h3>",
    "</h2>",
    "{/*",
    "*/}",
    "# [a] {#b}",
    "## *i* j",
    "#",
    "====",
    "---",
    "***",
    "```",
    "```js",
    "~~~",
    "> q",
    ">> # q",
    "- l",
    "  - m",
    "1. n",
    "    code",
    "| a | b |",
    "|---|---|",
    "| c | d |",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "[a]: b",
    "",
    "",
    "\t",
    "text",
    "import x",
    "{a}",
    "日本語。",
    "😀 e\u0301",
    "+++",
    "...",
    "a: b",
    "\u2028",
    "\u00A0",
    "\\",
    "$$",
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const markdown = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom("\n", "\r\n", "\r"), fc.boolean())
  .map(([lines, newline, fronted]) =>
    `${fronted ? `---${newline}a: b${newline}---${newline}` : ""}${lines.join(newline)}`.replaceAll("\0", ""),
  );

describe("any Markdown", () => {
  it("comes back as its canonical text, cut by blocks and sections without loss or overlap [L1 E2 E13]", async () => {
    await fc.assert(
      fc.asyncProperty(markdown, fc.constantFrom("a.md", "a.mdx"), async (source, uri) => {
        const canonical = canonicalize(source);
        const result = await readAs(uri, `x\n\n${source}`).catch((error: unknown) => error);
        // Enough control characters make a text binary.
        if (IbidError.isInstance(result, "binary")) return;
        if (result instanceof Error) throw result;
        const { text, blocks, root } = result as Awaited<ReturnType<typeof readAs>>;
        expect(text).toBe(`x\n\n${canonical}`);
        expect(textOutsideBlocks({ text, ...(blocks === undefined ? {} : { blocks }) })).toBe("");
        const headings = new Map(
          blocks?.filter(({ kind }) => kind === "heading").map(({ start, end }) => [start, end]),
        );
        let own = 0;
        for (const section of walkSections(root)) {
          if (section.level === 0) continue;
          // A section begins with its heading, and its content right after it.
          expect(headings.get(section.start)).toBe(section.contentStart);
          expect(text.slice(section.start, section.contentStart)).toMatch(/^#|^<h\d|\n {0,3}(?:=+|-+)[ \t]*$/);
          own++;
        }
        expect(own).toBeLessThanOrEqual(headings.size);
      }),
      { numRuns: 200 },
    );
  });

  it.each(
    sample(
      [
        "[",
        ">",
        "*",
        "* ",
        "`",
        "_",
        "<",
        "|",
        "![",
        "- - - - a\n",
        "> - > - a\n",
        "|a|b\n|-|-\n",
        "```\n",
        "<!--\n",
        "# [a](b\n",
        "<h1>",
        "<div><h1>a\n",
        "{/*",
        "# [a]\n",
        "[a]: b\n",
        "> a\nb\n",
      ],
      3,
    ),
  )("of 200 kB of %j is read whole [E15 L1]", async (piece) => {
    const source = piece.repeat(Math.ceil(200_000 / piece.length));
    for (const uri of ["a.md", "a.mdx"]) {
      const result = await readAs(uri, source);
      expect(result.text).toBe(source);
      expect(textOutsideBlocks(result)).toBe("");
    }
  });
});
