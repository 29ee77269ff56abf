import { describe, expect, it } from "vitest";

import { createEpubReader } from "../../src/readers/office/epub-reader.ts";
import { createLocator } from "../../src/text/locate.ts";

import { makeEpub, pack } from "./make-office.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

describe("createEpubReader", () => {
  it("reads chapters in the order of the spine, each with its place [E2 E15]", async () => {
    const result = await readAs(
      "a.epub",
      makeEpub([
        { path: "z.xhtml", body: "<h1>One</h1>\n<p>First words.</p><h2>One, deeper</h2><p>More.</p>" },
        { path: "notes.xhtml", body: "<h1>Notes</h1><p>Aside.</p>", spine: 'linear="no"' },
        { path: "cover.xhtml", body: '<img src="cover.png"/>' },
        { path: "dir/a chapter.xhtml", body: "<h1>Two</h1><p>Last words.</p>" },
      ]),
    );
    expect(result.mediaType).toBe("application/epub+zip");
    expect(result.title).toBe("The book");
    expect(showOutline(result.root)).toEqual(["# One", "## One, deeper", "# Two", "# Notes"]);
    expect(showBlocks(result)).toEqual([
      "heading: One",
      "paragraph: First words.",
      "heading: One, deeper",
      "paragraph: More.",
      "heading: Two",
      "paragraph: Last words.",
      "heading: Notes",
      "paragraph: Aside.",
    ]);
    expect(result.notes).toBeUndefined();
    const locate = createLocator(result);
    expect(locate(result.text.indexOf("First"))).toMatchObject({
      part: "OPS/z.xhtml",
      line: 4,
      headings: ["One"],
    });
    expect(locate(result.text.indexOf("Last"))).toMatchObject({ part: "OPS/dir/a chapter.xhtml", headings: ["Two"] });
  });

  it("takes facts from the package [B4 E15]", async () => {
    const facts =
      '<dc:title>Keys</dc:title><dc:title>A subtitle</dc:title><dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator><dc:language>en</dc:language><dc:date>2024-05-01</dc:date><dc:description>&lt;p&gt;On &lt;b&gt;keys&lt;/b&gt;.&lt;/p&gt;</dc:description><meta property="dcterms:modified">2024-12-18T10:53:14Z</meta>';
    const { title, metadata } = await readAs("a.epub", makeEpub([{ path: "a.xhtml", body: "<p>x</p>" }], { facts }));
    expect({ title, metadata }).toEqual({
      title: "Keys",
      metadata: {
        author: "Ada, Bob",
        language: "en",
        createdAt: "2024-05-01",
        modifiedAt: "2024-12-18T10:53:14Z",
        description: "On keys.",
      },
    });
  });

  const chapters = [
    { path: "p.xhtml", body: "<h2>Part I</h2>" },
    { path: "1.xhtml", body: "<p>It was a dark night.</p>" },
    { path: "2.xhtml", body: "<p>It went on.</p>" },
    { path: "3.xhtml", body: "<h1>Its own</h1><p>End.</p>" },
  ];
  const outlined = ["# Part I", "## Chapter One", "## Its own"];

  it("takes from the table of contents how deep a chapter stands, and its heading when it has none [E2 E15]", async () => {
    const navigation =
      '<h2>Contents</h2><ol><li><a href="p.xhtml">Part I</a><ol><li><a href="1.xhtml#top">Chapter <i>One</i></a></li><li><a href="3.xhtml">Three</a></li></ol></li></ol>';
    const { root, text } = await readAs("a.epub", makeEpub(chapters, { navigation }));
    expect(showOutline(root)).toEqual(outlined);
    expect(text).toBe("Part I\n\nChapter One\n\nIt was a dark night.\n\nIt went on.\n\nIts own\n\nEnd.");
  });

  it("reads the contents of older books, and does without broken ones", async () => {
    const point = (title: string, src: string, inside = ""): string =>
      `<navPoint><navLabel><text>${title}</text></navLabel><content src="${src}"/>${inside}</navPoint>`;
    const ncx = point("Part I", "p.xhtml", point("Chapter One", "1.xhtml") + point("Three", "3.xhtml"));
    expect(showOutline((await readAs("a.epub", makeEpub(chapters, { ncx }))).root)).toEqual(outlined);
    expect(showOutline((await readAs("a.epub", makeEpub(chapters, { ncx: "<navPoint>" }))).root)).toEqual([
      "## Part I",
      "# Its own",
    ]);
  });

  it("says which chapters it could not read, and goes to their fallbacks [E15]", async () => {
    const { text, notes } = await readAs(
      "a.epub",
      makeEpub([
        { path: "a.xhtml", body: "<p>Here.</p>" },
        { path: "gone.xhtml", body: undefined },
        { path: "map.svg", body: undefined, mediaType: "image/svg+xml", manifest: 'fallback="c3"' },
        { path: "map.xhtml", body: "<p>The map in words.</p>" },
        { path: "round.svg", body: undefined, mediaType: "image/svg+xml", manifest: 'fallback="c4"' },
      ]),
    );
    expect(text).toBe("Here.\n\nThe map in words.");
    expect(notes).toEqual(["Not read, since it is missing or no reader takes it: OPS/gone.xhtml, OPS/round.svg."]);
  });

  const locked = (algorithm: string, path: string): Record<string, string> => ({
    "META-INF/encryption.xml": `<encryption><enc:EncryptedData xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${path}"/></enc:CipherData></enc:EncryptedData></encryption>`,
  });

  it("refuses a book under digital rights management, and reads one whose fonts are scrambled [E15]", async () => {
    const one = [{ path: "a.xhtml", body: "<p>x</p>" }];
    const aes = locked("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/a.xhtml");
    expect(await refusalOf(readAs("a.epub", makeEpub(one, { more: aes })))).toMatchObject({
      code: "encrypted",
      uri: "a.epub",
    });
    const font = locked("http://www.idpf.org/2008/embedding", "OPS/font.otf");
    expect((await readAs("a.epub", makeEpub(one, { more: font }))).text).toBe("x");
  });

  it("refuses what is no book, and one without words, by name [E15 W17]", async () => {
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [makeEpub([]), "empty"],
      [makeEpub([{ path: "a.xhtml", body: " " }]), "empty"],
      [pack({ mimetype: "application/epub+zip" }), "unreadable"],
      [makeEpub([], { more: { "OPS/book.opf": "<package>" } }), "unreadable"],
    ];
    for (const [bytes, code] of cases) {
      const error = await refusalOf(readAs("dir/my.epub", bytes));
      expect(error).toMatchObject({ code, uri: "dir/my.epub" });
    }
    const alone = createEpubReader().read({ uri: "my.epub", bytes: makeEpub([]), mediaType: "application/epub+zip" });
    expect(await refusalOf(alone)).toMatchObject({ code: "unsupported-media", uri: "my.epub" });
  });

  it("keeps to the limits on pages and text [L8]", async () => {
    const three = makeEpub(["a", "b", "c"].map((name) => ({ path: `${name}.xhtml`, body: `<p>${name}</p>` })));
    const { createHtmlReader } = await import("../../src/readers/html/html-reader.ts");
    const { readDocument } = await import("../../src/readers/read-document.ts");
    const readWithin = (limits: { maxPages?: number; maxTextLength?: number }): Promise<unknown> =>
      readDocument([createEpubReader(), createHtmlReader()], { uri: "a.epub", bytes: three, limits });
    expect(await refusalOf(readWithin({ maxPages: 2 }))).toMatchObject({ code: "too-large", details: { found: 3 } });
    expect(await refusalOf(readWithin({ maxTextLength: 5 }))).toMatchObject({
      code: "too-large",
      details: { limit: "maxTextLength" },
    });
  });
});
