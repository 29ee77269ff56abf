import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import { createLocator } from "../../src/text/locate.ts";

import { readAs, refusalOf, showBlocks, showOutline, textOutsideBlocks } from "./read-with.ts";

const page = (body: string, head = ""): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const textOf = async (body: string, head = ""): Promise<string> => (await readAs("a.html", page(body, head))).text;

const article = `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<title>Rotating   keys &amp; more | Docs</title>
<meta name="description" content="How to rotate keys.">
<meta property="article:published_time" content="2024-05-01T10:00:00Z">
<meta property="article:modified_time" content="last week">
<meta name=author content="Ada">
<style>p { color: red }</style>
<script>var hidden = "<p>never</p>";</script>
</head>
<body>
<header><a href="/">Site</a></header>
<nav><ul><li>Home</ul></nav>
<main>
  <header><h1>Rotating keys<a href="#r">#</a></h1></header>
  <p>Keys should be
     rotated <b>often</b>,<br>twice a year.
  <h2>Steps</h2>
  <ol start=3>
    <li>Make a <code>key</code>.
    <li><p>Use it.</p><p>Check it.</p>
      <ul><li>in tests</li><li></li><li>in production</li></ul>
    <li>Drop the old one.
  </ol>
  <pre><code class="hljs language-sh">
ibid keys rotate \\
  --all   &lt;x&gt;

done
</code></pre>
  <h3>Table</h3>
  <table>
    <caption>Ages</caption>
    <thead><tr><th>Key</th><th>Age</th></tr></thead>
    <tbody><tr><td>a</td><td>1
      day</td></tr><tr><td colspan=2>b</td></tr></tbody>
  </table>
  <blockquote><p>Old keys die.</p><p>New ones live.</p></blockquote>
  <dl><dt>Key<dd>A secret.<dt>Lock<dd>Its mate.</dl>
  <img src="x.png" alt="picture"><svg><text>drawn</text></svg><button>Copy</button>
</main>
<aside>Related pages</aside>
<footer>© Somebody</footer>
</body></html>
`;

describe("createHtmlReader", () => {
  it("gives the main content as a reader sees it [B5 B52 E15]", async () => {
    const result = await readAs("keys.html", article);
    expect(showBlocks(result)).toEqual([
      "heading: Rotating keys",
      "paragraph: Keys should be rotated often,\ntwice a year.",
      "heading: Steps",
      "list: 3. Make a key.\n4. Use it.\n  Check it.\n  - in tests\n  - in production\n5. Drop the old one.",
      "code: ibid keys rotate \\\n  --all   <x>\n\ndone",
      "heading: Table",
      "paragraph: Ages",
      "table: | Key | Age |\n| a | 1 day |\n| b |  |",
      "quote: Old keys die.",
      "quote: New ones live.",
      "list: - Key\n  A secret.\n- Lock\n  Its mate.",
      "paragraph: picture",
    ]);
    expect(result.text).toBe((result.blocks ?? []).map(({ start, end }) => result.text.slice(start, end)).join("\n\n"));
    expect(result.mediaType).toBe("text/html");
  });

  it("makes sections of headings and takes title and facts from the head [B4 E2 E15]", async () => {
    const { root, title, metadata, text, blocks } = await readAs("keys.html", article);
    expect(title).toBe("Rotating keys & more | Docs");
    expect(showOutline(root)).toEqual(["# Rotating keys", "## Steps", "### Table"]);
    expect(metadata).toEqual({
      language: "en-GB",
      description: "How to rotate keys.",
      author: "Ada",
      createdAt: "2024-05-01T10:00:00Z",
    });
    const table = blocks?.find(({ kind }) => kind === "table");
    expect(text.slice(table?.bodyStart, table?.end)).toBe("| a | 1 day |\n| b |  |");
    expect(blocks?.find(({ kind }) => kind === "code")?.language).toBe("sh");
  });

  it("leads every word back to its line of the source [E15]", async () => {
    const document = await readAs("keys.html", article);
    const locate = createLocator(document);
    for (const word of [
      "Rotating keys",
      "twice",
      "Steps",
      "Make a",
      "in production",
      "ibid keys",
      "--all",
      "done",
      "| a |",
      "| b |",
      "New ones",
      "Its mate",
    ]) {
      const start = document.text.indexOf(word);
      const needle = word.replaceAll("| ", "<td>").replace(" |", "").replace("<td>b", "<td colspan=2>b");
      const line = article.slice(0, article.indexOf(needle, article.indexOf("<main>"))).split("\n").length;
      expect([word, locate(start).line]).toEqual([word, line]);
    }
  });

  it.each([
    ["a<b>b</b>c", "abc"],
    ["a <i> b</i> c", "a b c"],
    ["a&nbsp;&nbsp;b&shy;c\u200Bd", "a bcd"],
    ["H<sub>2</sub>O", "H2O"],
    ["&lt;p&gt; &amp;amp; &#x1F600; &eacute;", "<p> &amp; 😀 é"],
    ["a<br>b<br><br>c", "a\nb\n\nc"],
    ["<div>a</div><div>b</div><p>c</p>d", "a\nb\n\nc\n\nd"],
    ["<p>a<p>b</p>c", "a\n\nb\n\nc"],
    ["<p>a</b></i>b</x>c", "abc"],
    ["a &#0; &#xD83D; b", "a \uFFFD \uFFFD b"],
    ["<h2></h2><p>a</p><ul></ul><table></table><pre> </pre>", "a"],
    ["<ul><li><ul><li>x</ul></ul>", "  - x"],
    ["<li>loose", "loose"],
    ["<pre>\n\n  a\n\tb\n</pre>", "  a\n\tb"],
    ["<pre><div>a</div><div>b</div></pre>", "a\nb"],
    ["<details><summary>More</summary>text</details>", "More\n\ntext"],
  ])("reads %j as %j [E15]", async (body, text) => {
    expect(await textOf(body)).toBe(text);
  });

  it.each([
    ["<p hidden>x</p>"],
    ['<p style="color:red; display : none">x</p>'],
    ['<p aria-hidden="true">x</p>'],
    ["<script>x</script><style>x</style><template>x</template><noscript>x</noscript>"],
    ["<nav>x</nav><header>x</header><footer>x</footer><aside>x</aside>"],
    ['<div role="navigation">x</div><div role="search">x</div><ul role="menu"><li>x</ul>'],
    ["<select><option>x</select><textarea>x</textarea><button>x</button><iframe>x</iframe>"],
    ['<span class="a sr-only b">x</span><a class="headerlink" href="#a">x</a>'],
    ['<div><button aria-haspopup="true">x</button><ul><li><a href="/de">x</a></li></ul></div>'],
    ["<dialog>x</dialog><!-- x --><svg><title>x</title></svg>"],
  ])("does not read what a reader does not see: %s [E15]", async (body) => {
    expect(await textOf(`<p>seen</p>${body}`)).toBe("seen");
  });

  it.each([
    ['<div role="tabpanel" hidden>tab</div>', "tab"],
    ["<main><header>title</header><aside>note</aside><footer>source</footer></main>", "title\n\nnote\n\nsource"],
    ['<div><button aria-haspopup="dialog">x</button><p>prose</p></div>', "prose"],
    ['<pre class="highlight">x</pre>', "x"],
    ["<dialog open>asked</dialog>", "asked"],
  ])("reads what only looks like furniture: %s [E15]", async (body, text) => {
    expect(await textOf(body)).toBe(text);
  });

  it("finds the main content: main, else the articles that hold half of the page, else the page [E15]", async () => {
    expect(await textOf("<p>a</p><main>b</main><p>c</p>")).toBe("b");
    expect(await textOf("<p>a</p><div role=main>b</div>")).toBe("b");
    expect(await textOf("<p>a</p><article>bb</article><article>cc</article>")).toBe("bb\n\ncc");
    expect(await textOf("<p>a long text outside</p><article>b</article>")).toBe("a long text outside\n\nb");
    expect(await textOf("<p>a</p><main> </main><main hidden>c</main>")).toBe("a");
    // Nothing but furniture: then that is the page.
    expect(await textOf("<header><h1>Only</h1></header><nav>links</nav>")).toBe("Only\n\nlinks");
  });

  it("keeps a table of data whole, and writes the tables in its cells after it [E15]", async () => {
    const inner = "<table><tr><td>1<td>2<tr><td><table><tr><td>x<td>y</table><td>3</table>";
    const { text, blocks } = await readAs(
      "a.html",
      page(`<table><tr><td>a<td>b<tr><td>in ${inner}<td>c<tr><td>d<td>e</table>after`),
    );
    expect(text).toBe("| a | b |\n| in | c |\n| d | e |\n\n| 1 | 2 |\n|  | 3 |\n\n| x | y |\n\nafter");
    expect(blocks?.map(({ kind }) => kind)).toEqual(["table", "table", "table", "paragraph"]);
  });

  it("reads a table that only frames the page cell by cell [E15]", async () => {
    const inner = "<table><tr><td>1<td>2</table>";
    expect(await textOf(`<table><tr><td>menu<tr><td>${inner}<p>text</table>after`)).toBe(
      "| menu |\n\n| 1 | 2 |\n\ntext\n\nafter",
    );
    expect(await textOf("<table><tr><td>a<td><h2>b</h2>c<tr><td>d<td>e</table>")).toBe("a\n\nb\n\nc\n\n| d | e |");
    expect(await textOf('<table role="presentation"><tr><td>a<td>b</table>')).toBe("a\n\nb");
    expect(await textOf("<table><tr><td><ul><li>a<li>b</ul><td><p>c<p>d</table>")).toBe("- a\n- b\n\nc\n\nd");
    const address = "<table><tr><td>Logo<td>Quay 12<br>Hull</table>";
    expect(await textOf(address)).toBe("| Logo | Quay 12 Hull |");
    const named = "<table><tr><th>a<th>b<tr><td>c<td><p>d<p>e</table>";
    expect(await textOf(named)).toBe("| a | b |\n| c | d e |");
  });

  it("leaves the places of wide and tall cells blank, within reason [E15]", async () => {
    expect(await textOf("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d<tr><td>e</table>")).toBe(
      "| a | b |  |\n|  | c | d |\n| e |",
    );
    expect((await textOf("<table><tr><td colspan=99999 rowspan=99999>a</table>")).length).toBeLessThan(250);
    expect(await textOf("<table><tr><td>x<td>y<tr><td><ul><li>a<li>b</ul><td>c<br>d</table>")).toBe(
      "| x | y |\n| a; b | c d |",
    );
  });

  it("keeps where links lead, beside the text [E15]", async () => {
    const source = page(
      '<h2>About <a href="/keys">keys</a></h2><p>See <b>the <a href="a.html?x=1&amp;y=2">first  <i>page</i></a></b>, <a href="https://example.org/">another</a>, ' +
        '<a href="#top">up</a>, <a href="javascript:go()">go</a>, <a name=x>here</a>.<ul><li><a href="b"> item </a></ul>' +
        '<table><tr><td>x<td colspan=2>to <a href="c">c</a> and <a href="d">c</a><td><a href="e"><img alt="the map" src=m.png></a></table>' +
        '<a href="f"><p>one</p><p>two</p></a>',
      "<base href='/docs/'>",
    );
    const linksOf = async (uri: string): Promise<string[]> => {
      const { text, sourceMap } = await readAs(uri, source);
      return (sourceMap.links ?? []).map(({ start, end, url }) => `${text.slice(start, end)} → ${url}`);
    };
    expect(await linksOf("https://example.com/x/y.html")).toEqual([
      "keys → https://example.com/keys",
      "first page → https://example.com/docs/a.html?x=1&y=2",
      "another → https://example.org/",
      "item → https://example.com/docs/b",
      "c → https://example.com/docs/c",
      "c → https://example.com/docs/d",
      "the map → https://example.com/docs/e",
      "one\n\ntwo → https://example.com/docs/f",
    ]);
    expect((await linksOf("a.html")).slice(0, 3)).toEqual([
      "keys → /keys",
      "first page → a.html?x=1&y=2",
      "another → https://example.org/",
    ]);
    expect((await readAs("a.html", page("no links"))).sourceMap).not.toHaveProperty("links");
  });

  it("sets the number of a note apart from the word before it, and leaves raised numbers [E15]", async () => {
    const note = (link: string): string => `<p>The harbour${link} is old: 20 m<sup>2</sup>.</p>`;
    const set = "The harbour[1] is old: 20 m2.";
    expect(await textOf(note('<a href="#fn1" role="doc-noteref"><sup>1</sup></a>'))).toBe(set);
    expect(await textOf(note('<sup><a href="notes.html#n1">1</a></sup>'))).toBe(set);
    expect(await textOf(note('<a href="#n1" epub:type="noteref">1</a>'))).toBe(set);
    expect(await textOf(note('<sup><a href="#n1">[1]</a></sup>'))).toBe(set);
    expect(await textOf(note(' <a href="#c1">1</a>'))).toBe("The harbour 1 is old: 20 m2.");
    expect(await textOf(note('<a href="https://example.com/1">1</a>'))).toBe("The harbour1 is old: 20 m2.");
    expect(await textOf('<h2>Tides<sup><a href="#n1">2</a></sup></h2><p>Twice a day.</p>')).toBe(
      "Tides[2]\n\nTwice a day.",
    );
  });

  it("keeps so many links and says when there are more [E15]", async () => {
    const { sourceMap, notes } = await readAs("a.html", page("<p><a href=x>y</a> ".repeat(5001)));
    expect(sourceMap.links?.length).toBe(5000);
    expect(notes).toEqual(["Of its 5001 links the first 5000 are kept; the text of all of them is."]);
  });

  it.each([
    ['a <img alt="red key"> b', "a red key b"],
    ['a<img alt="🔑">b<img alt="x.png">c<img alt="">d<img>e', "a🔑bcde"],
    ['<img aria-hidden=true alt="x">a', "a"],
    ["<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>です", "漢(かん)字(じ)です"],
    ['<table><tr><td><ruby>漢<rt>かん</ruby><td><img alt="key">', "| 漢(かん) | key |"],
  ])("reads %j as %j [E15]", async (body, text) => {
    expect(await textOf(body)).toBe(text);
  });

  it.each([
    [
      "Pygments",
      '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><pre>a\n  b\n</pre></td></tr></table>',
    ],
    ["Prism", '<pre><code>a\n  b</code><span aria-hidden="true" class="line-numbers-rows"><span></span></span></pre>'],
    [
      "Rouge",
      '<table><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td><pre>a\n  b</pre></td></table>',
    ],
    ["spans", '<pre><span class="lineno">1 </span>a\n<span class="lineno">2 </span>  b</pre>'],
    [
      "highlight.js",
      '<pre><code><table class="hljs-ln"><tr><td class="hljs-ln-numbers" data-line-number=1></td><td>a</td></tr><tr><td class="hljs-ln-numbers"></td><td>  b</td></tr></table></code></pre>',
    ],
  ])("leaves the numbers of lines out of code, as %s writes them [E15]", async (_, body) => {
    const { text, blocks } = await readAs("a.html", page(body));
    expect(text).toBe("a\n  b");
    expect(blocks?.map(({ kind }) => kind)).toEqual(["code"]);
  });

  it("keeps what is only called like numbers of lines [E15]", async () => {
    expect(await textOf('<div class="gutter">words</div>')).toBe("words");
  });

  it("tells the header of a table from its rows [E15]", async () => {
    for (const [rows, body] of [
      ["<tr><th>a<th>b<tr><td>c<td>d", "| c | d |"],
      ["<thead><tr><td>a<tr><td>b<tbody><tr><td>c", "| c |"],
      ["<tr><td>a<tr><th>b", "| a |\n| b |"],
    ] as const) {
      const { text, blocks } = await readAs("a.html", page(`<table>${rows}</table>`));
      expect(text.slice(blocks?.[0]?.bodyStart, blocks?.[0]?.end)).toBe(body);
    }
  });

  it("reads formulas as their author wrote them, once [E15]", async () => {
    const math =
      '<math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><annotation encoding="application/x-tex">a+b</annotation></semantics></math>';
    expect(await textOf(`so ${math}<span aria-hidden=true>a+b</span> is`)).toBe("so a+b is");
    expect(await textOf('<p>x <math alttext="y^2"><mi>y</mi></math>.')).toBe("x y^2 .");
    expect(await textOf("<math><mi>z</mi></math>")).toBe("z");
  });

  it("takes a heading that never ends for the paragraph it is [E2]", async () => {
    const { root, text } = await readAs("a.html", page(`<h1>T</h1><h2>${"word ".repeat(100)}`));
    expect(showOutline(root)).toEqual(["# T"]);
    expect(text.split("word").length).toBe(101);
  });

  it("titles by title, else og:title, else the first h1, else the file name [E15]", async () => {
    expect((await readAs("x/a.html", page("<h1>b</h1>", "<meta property=og:title content=o>"))).title).toBe("o");
    expect((await readAs("x/a.html", page("<h2>c</h2><h1>b</h1>"))).title).toBe("b");
    expect((await readAs("x/a.html", page("c"))).title).toBe("a.html");
  });

  it("reads declared encodings where the bytes are not UTF-8, and refuses others by name [B52 W17]", async () => {
    const latin = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    expect((await readAs("a.html", latin("<html><meta charset=windows-1252><p>caf\xe9 \x80"))).text).toBe("café €");
    // What nobody declares, or nobody knows, is told by the words.
    for (const head of ["", "<meta charset=nonsense>", "<meta charset=utf-8>"]) {
      const { text, metadata } = await readAs("a.html", latin(`<html>${head}<p>Un caf\xe9 cr\xe8me`));
      expect([text, metadata["encoding"]]).toEqual(["Un café crème", "windows-1252"]);
    }
    expect(await refusalOf(readAs("a.html", latin("<html><p>\xc3\xa9t\xc3\xa9 \xff")))).toMatchObject({
      code: "unreadable",
      uri: "a.html",
    });
  });

  it("refuses a page that shows nothing as empty, by name [E15]", async () => {
    const error = await refusalOf(readAs("app.html", page('<div id="root"></div><script>start()</script>')));
    expect(error).toMatchObject({ code: "empty", uri: "app.html" });
    expect(error.hint).toContain("script");
  });

  it("ends XHTML's empty elements where they end [E15]", async () => {
    const source =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><p>a<span/>b</p></body></html>';
    expect((await readAs("a.xhtml", source)).text).toBe("ab");
  });
});

const piece = fc.oneof(
  fc.constantFrom(
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<ul>",
    "</ul>",
    "<ol>",
    "<li>",
    "</li>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<th colspan=3>",
    "<td rowspan=2>",
    "</td>",
    "<thead>",
    "<h1>",
    "</h1>",
    "<h2>",
    "</h2>",
    "<pre>",
    "</pre>",
    "<blockquote>",
    "</blockquote>",
    "<br>",
    "<hr>",
    "<main>",
    "</main>",
    "<article>",
    "<svg>",
    "</svg>",
    "<math>",
    "<dl>",
    "<dt>",
    "<dd>",
    "<a href=#x>",
    "<a href=y>",
    '<a href="https://example.org/">',
    "<img alt='an image'>",
    "<ruby>",
    "<rt>",
    "</ruby>",
    "<div class=sidebar>",
    '<td class="linenos">1',
    "<span class=lineno>2</span>",
    "</a>",
    "<script>",
    "</script>",
    "<p hidden>",
    "<nav>",
    "</nav>",
    "<header>",
    "</header>",
    "<!--",
    "-->",
    "<",
    ">",
    "&",
    "&amp;",
    "&#xD800;",
    "\n",
    "  ",
    "word",
    "😀",
    "日本語",
    "\u00AD",
    "</body>",
    "<body>",
    "<title>",
    "</title>",
  ),
  fc.string({ unit: "grapheme", maxLength: 10 }),
);

describe("any HTML", () => {
  it("gives a well-formed text in blocks parted by blank lines, sections that begin with their headings, and ascending anchors [L1 E2 E13]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const source = `<html><p>x</p>${pieces.join("").replaceAll("\0", "")}`;
        const result = await readAs("a.html", source).catch((error: unknown) => error);
        // All may be hidden, and enough control characters make a text binary.
        if (IbidError.isInstance(result, "empty") || IbidError.isInstance(result, "binary")) return;
        if (result instanceof Error) throw result;
        const { text, blocks, root, sourceMap } = result as Awaited<ReturnType<typeof readAs>>;
        expect(text.isWellFormed()).toBe(true);
        expect(textOutsideBlocks({ text, blocks: blocks ?? [] })).toBe("");
        expect(text).toBe((blocks ?? []).map(({ start, end }) => text.slice(start, end)).join("\n\n"));
        for (const section of root.children)
          expect(text.slice(section.start, section.contentStart)).toBe(section.title);
        const lines = source.split(/\r\n?|\n/).length;
        let reached = 0;
        for (const { start, end, url } of sourceMap.links ?? []) {
          expect(start >= reached && end > start && end <= text.length && url !== "").toBe(true);
          reached = end;
        }
        for (const { line } of sourceMap.anchors ?? []) expect(line >= 1 && line <= lines).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    "<div>",
    "<div>a",
    "</x>",
    "<p>",
    "<li>",
    "<ul><li>a",
    "<table><tr><td>a",
    "<h1><div>a",
    "<b>a</b>",
    "<a href='#'>a",
    "<a href=x>a",
    "<li><a href=x>",
    "<table><tr><td>a<td>b<tr><td>",
    "<ruby>a<rt>b",
    "<div class=menu><a href=x>y</a>",
    "<td class=linenos>1",
    "<img alt=x>",
    "<svg>",
    "<math>x",
    "<",
    "&",
    "<!--",
    "<a b=c ",
    "<article>a",
    "<td>",
    "<blockquote>a",
  ])("of 200 kB of %j is read without a deep stack [E15]", async (hostile) => {
    const { text } = await readAs("a.html", `<html>start<p>${hostile.repeat(200_000 / hostile.length)}`);
    expect(text).toMatch(/^(?:start|a\n|y)/);
  });
});
