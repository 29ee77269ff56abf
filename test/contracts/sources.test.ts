import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openFileSource } from "../../src/adapters/files/file-source.ts";
import { openUrlSource } from "../../src/adapters/web/url-source.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { createListSource } from "../../src/testing/list-source.ts";
import { createSourcePack } from "../../src/testing/source-pack.ts";
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

describe("the address source", () => {
  let server: Server;
  let origin = "";
  beforeAll(async () => {
    server = createServer((request, response) => {
      response.setHeader("content-type", "text/plain; charset=utf-8");
      response.end(`the page ${request.url}`);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  // The port is known only once the server listens, so the pack is made inside each test.
  const pack = (): readonly ContractCase[] => {
    const contents = Object.fromEntries(
      ["/a", "/b", "/c"].map((path) => [`${origin}${path}`, encode(`the page ${path}`)]),
    );
    return createSourcePack({
      create: () => openUrlSource(Object.keys(contents), { allowAddress: () => true }),
      contents,
    });
  };
  for (const { id, items } of pack()) {
    it(items.length === 0 ? id : `${id} [${items.join(" ")}]`, async () => {
      const found = pack().find((each) => each.id === id);
      expect(found).toBeDefined();
      await found?.run();
    });
  }
});
