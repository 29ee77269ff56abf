import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseSitemap } from "../../../src/ingest/sources/web/parse-sitemap.ts";
import { openSitemapSource, type SitemapSourceOptions } from "../../../src/ingest/sources/web/sitemap-source.ts";
import { parseUrlList } from "../../../src/ingest/sources/web/url-list.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { refreshModified } from "../../../src/ingest/index.node.ts";

let server: Server;
let origin = "";
let files: Record<string, string | Buffer> = {};
const requested: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requested.push(request.url ?? "");
    const body = files[request.url ?? ""];
    if (body === undefined) response.writeHead(404).end();
    else response.setHeader("content-type", "text/plain").end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  requested.length = 0;
  files = { "/a": "page a", "/b": "page b", "/c": "page c" };
});

const urlset = (...paths: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${path.startsWith("/") ? origin + path : path}</loc></url>`)
    .join("")}</urlset>`;
const index = (...paths: readonly string[]): string =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`).join("")}</sitemapindex>`;

async function walk(path: string, options: SitemapSourceOptions = {}) {
  const source = openSitemapSource(origin + path, { allowAddress: () => true, ...options });
  const found: string[] = [];
  for await (const item of source.items()) {
    const uri = item.uri.replace(origin, "");
    if ("error" in item) found.push(`${uri} ${IbidError.isInstance(item.error) ? item.error.code : "?"}`);
    else
      found.push(
        `${uri} ${item.folder === origin + path ? "" : "elsewhere"}${new TextDecoder().decode(await item.bytes())}`,
      );
  }
  return { found, folders: source.folders };
}

describe("a sitemap [E14 E15]", () => {
  it("gives the pages that it lists, once, in their order", async () => {
    files["/sitemap.xml"] = urlset("/b", "/a", "/b", "/missing");
    expect(await walk("/sitemap.xml")).toEqual({
      found: ["/b page b", "/a page a", "/missing fetch-failed"],
      folders: [`${origin}/sitemap.xml`],
    });
  });

  it("may be an index, within an index, and packed", async () => {
    files["/index.xml"] = index("/first.xml.gz", "/inner.xml", "/index.xml");
    files["/inner.xml"] = index("/second.txt");
    files["/first.xml.gz"] = gzipSync(urlset("/a"));
    files["/second.txt"] = `\uFEFF${origin}/b\r\n\r\n# a note\n${origin}/c`;
    const { found, folders } = await walk("/index.xml");
    expect(found).toEqual(["/a page a", "/b page b", "/c page c"]);
    expect(folders).toEqual([`${origin}/index.xml`]);
  });

  it("speaks for its own host alone, unless another is permitted", async () => {
    files["/sitemap.xml"] = urlset("/a", "https://example.com/x", "ftp://example.com/y");
    expect((await walk("/sitemap.xml")).found).toEqual([
      "/a page a",
      "https://example.com/x blocked-address",
      "ftp://example.com/y invalid-argument",
    ]);
    const byName = origin.replace("127.0.0.1", "localhost");
    files["/sitemap.xml"] = urlset("/a", `${byName}/b`);
    const { found } = await walk("/sitemap.xml", { hosts: [new URL(byName).host] });
    expect(found).toEqual(["/a page a", `${byName}/b page b`]);
  });

  it("never leads to an address that is not public", async () => {
    files["/sitemap.xml"] = urlset("/a");
    const first = await walk("/sitemap.xml", { allowAddress: () => false });
    expect([first.found, first.folders, requested]).toEqual([["/sitemap.xml blocked-address"], [], []]);
  });

  it("has limits, which are said, and after which nothing counts as gone [L9]", async () => {
    files["/sitemap.xml"] = urlset("/a", "/b", "/c");
    expect(await walk("/sitemap.xml", { maxPages: 2 })).toEqual({
      found: ["/a page a", "/b page b", "/sitemap.xml too-large"],
      folders: [],
    });
    files["/index.xml"] = index("/sitemap.xml", "/inner.xml");
    files["/inner.xml"] = index("/sitemap.xml", "/deep.xml");
    expect((await walk("/index.xml", { maxSitemaps: 2 })).found.at(0)).toBe("/inner.xml too-large");
    const shallow = await walk("/index.xml", { maxDepth: 1 });
    expect([shallow.found.at(-1), shallow.folders]).toEqual(["/deep.xml too-large", []]);
    files["/bomb.xml.gz"] = gzipSync(Buffer.alloc(60 * 1024 * 1024, 32));
    expect((await walk("/bomb.xml.gz")).found).toEqual(["/bomb.xml.gz too-large"]);
  });

  it("is refused by name when it is none", async () => {
    files["/page"] = "<html><body><a href='/a'>a</a></body></html>";
    files["/packed"] = Buffer.from([0x1f, 0x8b, 1, 2, 3]);
    files["/words"] = "no addresses here";
    for (const path of ["/page", "/packed", "/words"])
      expect(await walk(path)).toEqual({ found: [`${path} unreadable`], folders: [] });
    expect((await walk("/missing.xml")).found).toEqual(["/missing.xml fetch-failed"]);
    expect(() => openSitemapSource("nonsense")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => openSitemapSource(origin, { depth: 1 } as object)).toThrow("depth");
  });

  it("sweeps what it no longer lists, and nothing when it could not be read whole", async () => {
    files["/sitemap.xml"] = urlset("/a", "/b");
    const kb = await openKnowledgeBase();
    const ingest = async (): Promise<string> => {
      const source = openSitemapSource(`${origin}/sitemap.xml`, { allowAddress: () => true });
      const statuses: string[] = [];
      for await (const { uri, status } of kb.ingest([source])) statuses.push(`${uri.replace(origin, "")} ${status}`);
      return statuses.join(", ");
    };
    expect(await ingest()).toBe("/a added, /b added");
    files["/sitemap.xml"] = urlset("/a");
    const whole = files["/sitemap.xml"];
    delete files["/sitemap.xml"];
    expect(await ingest()).toBe("/sitemap.xml failed");
    files["/sitemap.xml"] = whole;
    expect(await ingest()).toBe("/a unchanged, /b removed");
    await kb.close();
  });
});

describe("lastmod [E16]", () => {
  it("keeps a page from being fetched that has not changed since, where one goes by it", async () => {
    const kb = await openKnowledgeBase();
    const list = (lastmod: string): string =>
      `<urlset><url><loc>${origin}/a</loc><lastmod>${lastmod}</lastmod></url><url><loc>${origin}/b</loc></url></urlset>`;
    const ingest = async (lastmod: string): Promise<string[]> => {
      files["/sitemap.xml"] = list(lastmod);
      requested.length = 0;
      await kb.ingest(openSitemapSource(`${origin}/sitemap.xml`, { allowAddress: () => true }), {
        refresh: refreshModified,
      });
      return requested.filter((path) => path !== "/sitemap.xml");
    };
    expect(await ingest("2001-01-01")).toEqual(["/a", "/b"]);
    expect(await ingest("2001-01-01")).toEqual(["/b"]);
    expect(await ingest("2999-01-01")).toEqual(["/a", "/b"]);
    await kb.close();
  });
});

describe("parsing a sitemap", () => {
  it("takes names with prefixes, entities and CDATA, and leaves images and videos alone", async () => {
    const text = `<sm:urlset xmlns:sm="x" xmlns:image="y"><sm:url><sm:loc> https://a.example/?x=1&amp;y=2 </sm:loc>
      <image:image><image:loc>https://a.example/picture.png</image:loc></image:image></sm:url>
      <sm:url><sm:loc><![CDATA[https://a.example/c]]></sm:loc></sm:url></sm:urlset>`;
    expect(await parseSitemap(text, 10)).toEqual({
      pages: ["https://a.example/?x=1&y=2", "https://a.example/c"],
      modified: new Map(),
      sitemaps: [],
      truncated: false,
    });
  });

  it("takes when a page was modified, wherever it stands in its entry", async () => {
    const text = `<urlset><url><lastmod> 2026-01-02 </lastmod><loc>https://a.example/1</loc></url>
      <url><loc>https://a.example/2</loc><lastmod>2026-01-02T03:04:05Z</lastmod></url><url><loc>https://a.example/3</loc></url></urlset>`;
    expect((await parseSitemap(text, 10))?.modified).toEqual(
      new Map([
        ["https://a.example/1", "2026-01-02"],
        ["https://a.example/2", "2026-01-02T03:04:05Z"],
      ]),
    );
  });

  it("expands no entity of its own, and does not grow with what is nested", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>https://a.example/&b;</loc></url></urlset>`;
    expect((await parseSitemap(bomb, 10))?.pages).toEqual(["https://a.example/&b;"]);
    const deep = await parseSitemap(`<urlset>${"<a>".repeat(200_000)}`, 10);
    expect(deep).toEqual({ pages: [], modified: new Map(), sitemaps: [], truncated: true });
    const many = `<urlset>${"<url><loc>https://a.example/</loc></url>".repeat(20)}</urlset>`;
    expect(await parseSitemap(many, 5)).toMatchObject({ pages: { length: 5 }, truncated: true });
  });

  it("reads lists of addresses", () => {
    expect(parseUrlList("\uFEFF# mine\r\n https://a.example/1 \n\nhttps://a.example/2\rfile.txt")).toEqual([
      "https://a.example/1",
      "https://a.example/2",
      "file.txt",
    ]);
  });
});
