import { describe, expect, it } from "vitest";

import { readAs, showOutline } from "./read-with.ts";

/** Sentences of an article, long enough to be one. */
const article = [
  "The keeper of the lighthouse turns the key twice a year, in spring and in autumn.",
  "Whoever holds a spare key signs for it in the book that lies beside the door.",
  "In winter the door stays locked, and the key hangs in the harbour office.",
];
const paragraphs = article.map((sentence) => `<p>${sentence}</p>`).join("\n");
const links = (...labels: readonly string[]): string =>
  labels.map((label) => `<li><a href="/${label.toLowerCase()}">${label}</a></li>`).join("");

interface Page {
  readonly source: string;
  /** What must be read, besides the article. */
  readonly keeps?: readonly string[];
  readonly drops: readonly string[];
  readonly outline: readonly string[];
}

/** Shapes that pages have, reduced to what makes them: each with a menu, and things around the text. */
const pages: Readonly<Record<string, Page>> = {
  "a Docusaurus page": {
    source: `<!doctype html><html lang="en"><head><title>Keys | Docs</title></head><body>
<div role="region" aria-label="Skip to main content"><a class="skipToContent" href="#main">Skip to main content</a></div>
<nav class="navbar"><a href="/">Docs</a><a href="/blog">Blog</a></nav>
<div id="__docusaurus"><div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul>${links("Intro", "Setup")}</ul></aside>
<main><div class="row"><div class="col"><article><nav class="theme-doc-breadcrumbs"><ul>${links("Home")}</ul></nav>
<div class="tocCollapsible_x theme-doc-toc-mobile"><button>On this page</button></div>
<div class="theme-doc-markdown markdown"><header><h1>Keys</h1></header>${paragraphs}
<h2 class="anchor" id="spare">Spare keys<a href="#spare" class="hash-link" aria-label="Direct link">\u200B</a></h2><p>Two of them.</p></div>
<footer><a href="https://github.com/x">Edit this page</a></footer></article>
<nav class="pagination-nav"><a href="/next">Next: Locks</a></nav></div>
<div class="col col--3"><div class="tableOfContents thin-scrollbar"><ul class="table-of-contents">${links("Spare")}</ul></div></div></div></main></div>
<footer class="footer">Copyright Docs</footer></div></body></html>`,
    keeps: ["Two of them."],
    drops: ["Skip to", "Blog", "Intro", "Home", "On this page", "Next:", "Copyright", "\u200B"],
    outline: ["# Keys", "## Spare keys"],
  },
  "a WordPress page of divisions": {
    source: `<html><head><title>Keys – Harbour blog</title></head><body class="post-template">
<div id="header"><div class="menu-main-container"><ul class="menu">${links("Home", "About", "Contact", "Archive")}</ul></div></div>
<div id="content"><div class="post"><h1 class="entry-title">Keys</h1><div class="entry-content">${paragraphs}
<div class="sharedaddy sd-sharing-enabled"><h3>Share this:</h3><ul>${links("Twitter", "Facebook")}</ul></div></div>
<h3>Sources</h3><ul>${links("Ledger", "Logbook", "Almanac", "Chart", "Diary")}</ul>
<p class="postmetadata">Posted in <a href="/harbour">Harbour</a></p></div></div>
<div id="sidebar" class="widget-area"><h2>Recent Posts</h2><ul>${links("Ropes", "Sails", "Anchors")}</ul></div>
<div class="cookie-notice">We use cookies to improve the site. <a href="/privacy">Privacy</a> <a href="#ok">OK</a></div>
<div id="footer">Proudly powered by</div></body></html>`,
    // A list of links inside the text is the author's.
    keeps: ["Ledger", "Almanac", "Posted in Harbour"],
    drops: ["About", "Twitter", "Share this", "Recent Posts", "Anchors", "We use cookies"],
    outline: ["# Keys", "### Sources"],
  },
  "a Sphinx page": {
    source: `<html><head><title>keys — docs 1.0 documentation</title></head><body>
<div class="related" role="navigation" aria-label="related navigation"><h3>Navigation</h3><ul>${links("index", "modules", "next")}</ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
<section id="keys"><h1>keys<a class="headerlink" href="#keys" title="Permalink">¶</a></h1>${paragraphs}
<dl class="py function"><dt class="sig"><span>keys.</span><span>turn</span>(<em>times=2</em>)<a class="headerlink" href="#turn">¶</a></dt><dd><p>Turns the key.</p></dd></dl>
</section></div></div></div>
<div class="sphinxsidebar" role="navigation"><h3>Table of Contents</h3><ul>${links("Basics", "Usage")}</ul></div></div>
<div class="footer" role="contentinfo">© Harbour</div></body></html>`,
    keeps: ["keys.turn(times=2)\n  Turns the key."],
    drops: ["modules", "Navigation", "Usage", "¶", "©"],
    outline: ["# keys"],
  },
  "a javadoc page of divisions": {
    source: `<html lang="en"><head><title>Key (Harbour API)</title></head><body><noscript><div>JavaScript is disabled</div></noscript>
<div class="topNav"><a id="navbar.top"></a><div class="skipNav"><a href="#skip">Skip navigation links</a></div><ul class="navList">${links("Overview", "Package", "Class", "Tree", "Deprecated", "Index", "Help")}</ul></div>
<div class="header"><div class="subTitle">harbour.lock</div><h2 title="Class Key" class="title">Class Key</h2></div>
<div class="contentContainer"><div class="description">${paragraphs}</div>
<table class="memberSummary"><caption><span>All Methods</span></caption><tr><th>Modifier and Type</th><th>Method</th></tr>
<tr><td><code>void</code></td><td><code><a href="#turn">turn</a>(int times)</code></td></tr></table></div>
<div class="bottomNav"><ul class="navList">${links("Overview", "Package", "Class", "Tree", "Deprecated", "Index", "Help")}</ul></div></body></html>`,
    keeps: ["harbour.lock", "All Methods", "| Modifier and Type | Method |", "| void | turn(int times) |"],
    drops: ["JavaScript is", "Skip navigation", "Overview", "Deprecated"],
    outline: ["## Class Key"],
  },
  "a page of a repository with its README": {
    source: `<html><head><title>GitHub - harbour/keys: Keys</title></head><body><a href="#start" class="sr-only">Skip to content</a>
<header role="banner"><ul>${links("Product", "Pricing")}</ul></header><div class="application-main"><main>
<div id="repository-container-header"><h2 class="sr-only">harbour/keys</h2><nav><ul>${links("Code", "Issues")}</ul></nav></div>
<table><tr><td><a href="/src">src</a></td><td>Mend the lock</td></tr><tr><td><a href="/readme">README.md</a></td><td>Say more</td></tr></table>
<article class="markdown-body entry-content" itemprop="text"><div class="markdown-heading"><h1 class="heading-element">Keys</h1><a id="user-content-keys" class="anchor" href="#keys"><svg><path d=""></path></svg></a></div>
${paragraphs}<div class="highlight highlight-source-shell"><pre>npm install keys</pre></div></article></main></div>
<footer role="contentinfo">© GitHub</footer></body></html>`,
    keeps: ["npm install keys"],
    drops: ["Pricing", "Issues", "Mend the lock", "© GitHub"],
    outline: ["# Keys"],
  },
  "a page of news": {
    source: `<html><head><title>Keys found in the harbour - The Daily</title><meta property="og:title" content="Keys found"></head><body>
<div id="onetrust-banner-sdk"><h2>Your privacy</h2><p>We and our partners store cookies on your device, as you allow us.</p><a href="/choices">Choices</a></div>
<header><a href="/">The Daily</a><h1>Keys found in the harbour</h1><p>By Ada</p></header>
<main><div class="social-share"><ul>${links("Mail", "Print")}</ul></div><div class="story-body">${paragraphs}</div>
<div class="related-articles"><h2>More on this story</h2><ul>${links("Locks", "Doors", "Gates")}</ul></div>
<aside>Subscribe today</aside></main><footer>Terms</footer></body></html>`,
    keeps: ["Subscribe today"],
    drops: ["privacy", "partners", "Print", "More on this story", "Gates", "Terms"],
    outline: ["# Keys found in the harbour"],
  },
  "an old page of MediaWiki": {
    source: `<html lang="en"><head><title>Key - Encyclopedia</title></head><body><div id="globalWrapper"><div id="content"><h1 id="firstHeading">Key</h1>
<div id="bodyContent"><div id="jump-to-nav">Jump to: <a href="#nav">navigation</a>, <a href="#s">search</a></div>
<div class="hatnote" role="note">Not to be confused with <a href="/quay">quay</a>.</div>${paragraphs}
<div id="toc" class="toc"><h2>Contents</h2><ul>${links("History", "Uses", "Law", "Notes")}</ul></div>
<h2><span class="mw-headline">History</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p>Old keys were long.</p>
<div class="navbox"><table><tr><th>Locks</th></tr><tr><td><ul>${links("Bolt", "Latch", "Hasp", "Padlock")}</ul></td></tr></table></div>
<div class="printfooter">Retrieved from "<a href="/w">wiki</a>"</div></div></div>
<div id="column-one"><div class="portlet" id="p-navigation"><ul>${links("Portal", "Events", "Random", "Help")}</ul></div></div>
<div id="footer">Privacy policy</div></div></body></html>`,
    keeps: ["Not to be confused with quay.", "Old keys were long."],
    drops: ["Jump to", "Contents", "edit", "Padlock", "Retrieved", "Random"],
    outline: ["# Key", "## History"],
  },
  "a page of a manual by Texinfo or DocBook": {
    source: `<html><head><title>Keys (The harbour)</title></head><body><div class="header"><p>
Next: <a href="locks.html">Locks and bolts</a>, Previous: <a href="ropes.html">Ropes and knots</a>, Up: <a href="index.html">Top</a> &nbsp; [<a href="all.html">Index</a>]</p></div>
<div><table class="nav" summary="Navigation header"><tr><td><a href="p"><img src="p.png" alt="Prev"></a></td><th>The harbour</th><td><a href="n"><img src="n.png" alt="Next"></a></td></tr></table></div>
<div class="chapter"><h2>2 Keys</h2>${paragraphs}<p>See <a href="a">Ada</a>, <a href="b">Bea</a>, <a href="c">Cleo</a> and <a href="d">Dora</a>.</p></div></body></html>`,
    keeps: ["See Ada, Bea, Cleo and Dora."],
    drops: ["Previous", "Index", "Prev", "The harbour"],
    outline: ["## 2 Keys"],
  },
  "a page laid out by tables": {
    source: `<html><head><title>Keys</title></head><body><table width="100%"><tr><td colspan=2><h1>Keys</h1></td></tr>
<tr><td><div>${["One", "Two", "Three", "Four"].map((name) => `<a href="${name}.html">${name}</a><br>`).join("")}</div></td>
<td>${paragraphs}<table border=1><tr><th>who</th><th>where</th></tr><tr><td>Ada</td><td>shelf</td></tr></table></td></tr></table></body></html>`,
    keeps: ["| who | where |\n| Ada | shelf |"],
    drops: ["Three"],
    outline: ["# Keys"],
  },
};

describe("main content [E15]", () => {
  it.each(Object.entries(pages))("is found on %s", async (_, { source, keeps = [], drops, outline }) => {
    const { text, root } = await readAs("page.html", source);
    let from = 0;
    for (const sentence of article) {
      expect(text.indexOf(sentence, from)).toBeGreaterThanOrEqual(from);
      from = text.indexOf(sentence, from) + sentence.length;
    }
    for (const words of keeps) expect(text).toContain(words);
    for (const words of drops) expect(text).not.toContain(words);
    expect(showOutline(root)).toEqual(outline);
  });

  it("is the links where a page is made of them", async () => {
    const names = ["Ropes", "Sails", "Anchors", "Charts", "Masts"];
    for (const around of ["div", 'div class="sidebar"', 'div id="menu"']) {
      const { text } = await readAs(
        "index.html",
        `<html><body><${around}><ul>${links(...names)}</ul></div></body></html>`,
      );
      expect(text).toBe(names.map((name) => `- ${name}`).join("\n"));
    }
    const listed = await readAs("index.html", `<html><main><h1>Index</h1><ul>${links(...names)}</ul></main></html>`);
    expect(listed.text).toBe(`Index\n\n${names.map((name) => `- ${name}`).join("\n")}`);
  });

  it("is not thrown away with a name that sounds like furniture", async () => {
    for (const name of ["sidebar", "comments", "menu", "footer", "toc", "related"]) {
      const { text } = await readAs("a.html", `<html><body><div class="${name}">${paragraphs}</div></body></html>`);
      expect(text).toBe(article.join("\n\n"));
    }
  });

  it("takes the heading above it along, but not the name of the site", async () => {
    const outlineOf = async (title: string, h1: string, more = ""): Promise<string[]> => {
      const source = `<html><head><title>${title}</title></head><body><header><h1>${h1}</h1></header>${more}<main><h2>Part</h2>${paragraphs}</main></body></html>`;
      return showOutline((await readAs("a.html", source)).root);
    };
    expect(await outlineOf("Keys - Site", "Keys")).toEqual(["# Keys", "## Part"]);
    expect(await outlineOf("Keys - Site", "Site")).toEqual(["## Part"]);
    expect(await outlineOf("Keys - Site", "Keys", "<h1>Keys</h1>")).toEqual(["## Part"]);
    expect(await outlineOf("Keys - Site", "<span hidden>Keys</span>")).toEqual(["## Part"]);
  });

  it("keeps the whole of main content whose articles lack its heading", async () => {
    const { text } = await readAs(
      "a.html",
      `<html><main><h1>Keys</h1><article>${paragraphs}</article><p>End.</p></main>`,
    );
    expect(text).toBe(["Keys", ...article, "End."].join("\n\n"));
  });
});
