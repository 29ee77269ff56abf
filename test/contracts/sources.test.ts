import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openFileSource } from "../../src/ingest/sources/files/file-source.ts";
import { openSitemapSource } from "../../src/ingest/sources/web/sitemap-source.ts";
import { openUrlSource } from "../../src/ingest/sources/web/url-source.ts";
import { createListSource } from "../../src/testing/list-source.ts";
import { createSourcePack } from "../../src/testing/source-pack.ts";
import type { SourceSubject } from "../../src/testing/source-pack.ts";
import { runPack } from "./run-pack.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the list source", () => {
  const contents = { "a.txt": encode("a"), "b/ü.md": encode("bé"), "c.bin": new Uint8Array([0, 255]) };
  const list = [
    ...Object.entries(contents).map(([uri, content]) => ({ uri, content })),
    { uri: "gone", content: new Error("gone") },
  ];
  runPack(createSourcePack({ create: () => createListSource(list, { folder: "" }), contents, refusals: ["gone"] }));
});

describe("the file source", () => {
  const base = mkdtempSync(join(tmpdir(), "ibid-source-"));
  const contents = { "docs/a.md": encode("# A"), "docs/deep/ü b.txt": encode("bé"), "docs/z.html": encode("<p>z</p>") };
  for (const [uri, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(base, uri)), { recursive: true });
    writeFileSync(join(base, uri), bytes);
  }
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  runPack(createSourcePack({ create: () => openFileSource(["docs"], { base, cwd: base }), contents }));
});

describe("the file source that follows links", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ibid-source-")));
  const contents = { "docs/a.md": encode("# A"), "docs/deep/b.txt": encode("b"), "docs/twin/b.txt": encode("b") };
  mkdirSync(join(base, "docs/deep"), { recursive: true });
  writeFileSync(join(base, "docs/a.md"), "# A");
  writeFileSync(join(base, "docs/deep/b.txt"), "b");
  symlinkSync("deep", join(base, "docs/twin"));
  symlinkSync(base, join(base, "docs/out"));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const create = () => openFileSource(["docs"], { base, cwd: base, symlinks: "inside" });
  runPack(createSourcePack({ create, contents, refusals: ["docs/out"] }));
});

describe("sources of addresses", () => {
  let server: Server;
  let origin = "";
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === "/sitemap.xml") {
        const urls = ["/a", "/b", "/c"].map((path) => `<url><loc>${origin}${path}</loc></url>`);
        response.end(`<urlset>${urls.join("")}<url><loc>https://example.com/else</loc></url></urlset>`);
        return;
      }
      response.setHeader("content-type", "text/plain; charset=utf-8");
      response.end(`the page ${request.url}`);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  // The port is known only once the server listens, so the pack is made inside each test.
  const contents = (): Readonly<Record<string, Uint8Array>> =>
    Object.fromEntries(["/a", "/b", "/c"].map((path) => [`${origin}${path}`, encode(`the page ${path}`)]));
  const sources: Readonly<Record<string, () => SourceSubject>> = {
    "a list of addresses": () => ({
      create: () => openUrlSource(Object.keys(contents()), { allowAddress: () => true }),
      contents: contents(),
    }),
    "a sitemap": () => ({
      create: () => openSitemapSource(`${origin}/sitemap.xml`, { allowAddress: () => true }),
      contents: contents(),
      refusals: ["https://example.com/else"],
    }),
  };
  for (const [name, subject] of Object.entries(sources)) {
    for (const { id, items } of createSourcePack({ create: () => openUrlSource([]), contents: {} })) {
      it(`${name}: ${id}${items.length === 0 ? "" : ` [${items.join(" ")}]`}`, async () => {
        const found = createSourcePack(subject()).find((each) => each.id === id);
        expect(found).toBeDefined();
        await found?.run();
      });
    }
  }
});
