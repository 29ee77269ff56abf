import { describe, expect, it } from "vitest";

import { createFeedReader } from "../../src/readers/feed/feed-reader.ts";
import { locate } from "../../src/text/locate.ts";

import { readAny } from "./read-any.ts";
import { refusalOf, showOutline } from "./read-with.ts";

const rss = `<?xml version="1.0"?>
<!-- made by hand -->
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
  <title>Sea &amp;amp; shore</title>
  <link>https://example.com/</link>
  <atom:link rel="self" href="https://example.com/rss"/>
  <description>News of the tides.</description>
  <language>en-GB</language>
  <lastBuildDate>Wed, 01 May 2024 10:00:00 +0200</lastBuildDate>
  <image><title>Logo</title><url>https://example.com/x.png</url></image>
  <item>
    <title>Ebb &lt;b&gt;tonight&lt;/b&gt;</title>
    <link>https://example.com/ebb</link>
    <dc:creator>Ada</dc:creator>
    <pubDate>Tue, 30 Apr 2024 08:00:00 GMT</pubDate>
    <description>Short.</description>
    <content:encoded><![CDATA[<h2>When</h2><p>At <i>nine</i> &amp; ten.</p>]]></content:encoded>
  </item>
  <item><description>Plain words,
  and more.

  A second paragraph.</description><guid>urn:2</guid></item>
</channel>
</rss>`;

const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de">
  <title type="html">Gezeiten &amp;amp; Wind</title>
  <subtitle>Täglich</subtitle>
  <updated>2024-05-01T10:00:00Z</updated>
  <author><name>Ada</name><email>ada@example.com</email></author>
  <link rel="self" href="https://example.com/atom"/>
  <link href="https://example.com/"/>
  <entry>
    <title>Ebbe</title>
    <link rel="alternate" href="https://example.com/ebbe"/>
    <id>urn:1</id>
    <published>2024-04-30</published>
    <summary>Kurz.</summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Um <b>neun</b> &lt; zehn.</p><ul><li>eins</li></ul></div></content>
  </entry>
  <entry><title>Flut</title><content type="text">a &lt;b&gt; c</content></entry>
</feed>`;

const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title><link>https://example.com/</link><items><rdf:Seq><rdf:li resource="a"/></rdf:Seq></items></channel>
<item><title>One</title><link>https://example.com/1</link><description>First.</description></item>
</rdf:RDF>`;

describe("the feed reader [E15]", () => {
  it("shows RSS entry by entry, the whole content before a summary", async () => {
    const { text, title, root, sourceMap, metadata, mediaType } = await readAny("news.xml", rss);
    expect(text).toBe(
      `Sea & shore

News of the tides.

Ebb tonight

Date: Tue, 30 Apr 2024 08:00:00 GMT
Author: Ada
Link: https://example.com/ebb

When

At nine & ten.

Entry 2

Link: urn:2

Plain words,
  and more.

A second paragraph.`,
    );
    expect([title, mediaType]).toEqual(["Sea & shore", "application/rss+xml"]);
    expect(showOutline(root)).toEqual(["# Sea & shore", "## Ebb tonight", "#### When", "## Entry 2"]);
    expect(metadata).toEqual({
      language: "en-GB",
      link: "https://example.com/",
      modifiedAt: "2024-05-01T08:00:00.000Z",
    });
    expect(locate({ text, root, sourceMap }, text.indexOf("nine")).headings).toEqual([
      "Sea & shore",
      "Ebb tonight",
      "When",
    ]);
  });

  it("shows Atom with its three kinds of text", async () => {
    const { text, metadata, mediaType } = await readAny("news.xml", atom);
    expect(text).toBe(
      `Gezeiten & Wind

Täglich

Ebbe

Date: 2024-04-30
Link: https://example.com/ebbe

Um neun < zehn.

- eins

Flut

a <b> c`,
    );
    expect(mediaType).toBe("application/atom+xml");
    expect(metadata).toEqual({
      language: "de",
      author: "Ada",
      link: "https://example.com/",
      modifiedAt: "2024-05-01T10:00:00.000Z",
    });
  });

  it("shows RSS 1.0, whose items stand beside the channel", async () => {
    const { text, root } = await readAny("old.rdf", rdf);
    expect(text).toBe("Old\n\nOne\n\nLink: https://example.com/1\n\nFirst.");
    expect(showOutline(root)).toEqual(["# Old", "## One"]);
  });

  it("leaves other XML as it stands", async () => {
    const other = "<?xml version='1.0'?><feed><cow/></feed>";
    expect(await readAny("a.xml", other)).toMatchObject({ text: other, mediaType: "application/xml" });
  });

  it("reads the encoding that the first line declares", async () => {
    const latin = `<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>Mar\xe9e</title></channel></rss>`;
    const bytes = Uint8Array.from(latin, (character) => character.charCodeAt(0));
    expect((await readAny("a.rss", bytes)).text).toBe("Marée");
  });

  it("expands no entity of a document type, and stops at hostile nesting", async () => {
    const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel><title>x &b; y</title></channel></rss>`;
    expect((await readAny("a.rss", bomb)).text.length).toBeLessThan(20);
    for (const deep of [
      `<rss>${"<a>".repeat(100_000)}${"</b>".repeat(100_000)}`,
      `<rss><channel><title>${"<b>".repeat(100_000)}`,
    ]) {
      expect((await refusalOf(readAny("a.rss", deep))).code).toBe("unreadable");
    }
    const title = `<rss><channel><title><![CDATA[${"<b>".repeat(50_000)}deep${"</i>".repeat(50_000)}]]></title></channel></rss>`;
    expect((await readAny("a.rss", title)).title).toBe("deep");
  });

  it("stays within its limits, and refuses what is no feed by name", async () => {
    const many = `<rss><channel>${"<item><title>t</title></item>".repeat(30)}</channel></rss>`;
    expect((await refusalOf(readAny("a.rss", many, { limits: { maxParts: 20 } }))).code).toBe("too-large");
    expect((await refusalOf(readAny("a.rss", many, { limits: { maxTextLength: 50 } }))).code).toBe("too-large");
    const refusal = await refusalOf(readAny("dir/a.rss", "<html><p>Not found</p></html>"));
    expect([refusal.code, refusal.uri]).toEqual(["unreadable", "dir/a.rss"]);
    expect((await refusalOf(readAny("a.rss", "<rss><channel></channel></rss>"))).code).toBe("empty");
  });

  it("reads what is HTML as words when it stands alone", async () => {
    const bytes = new TextEncoder().encode(rss);
    const { text } = await createFeedReader().read({ uri: "a.rss", bytes, mediaType: "application/rss+xml" });
    expect(text).toContain("When At nine & ten.");
  });
});
