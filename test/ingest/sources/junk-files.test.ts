import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFileSource } from "../../../src/ingest/sources/files/file-source.ts";

const minified = `!function(){${"var a=1;".repeat(2000)}}();`;
const written = "// A line that somebody wrote.\nexport const heron = 1;\n".repeat(200);
const junk = {
  "a/package-lock.json": "{}",
  "a/Cargo.lock": "[[package]]",
  "a/pnpm-lock.yaml": "lockfileVersion: 9",
  "a/go.sum": "x",
  "site/search_index.json": "{}",
  "site/searchindex.js": "Search.setIndex({})",
  "site/app.js.map": "{}",
  "site/jquery.min.js": "x",
  "site/theme.min.css": "x",
  "site/bundle.js": minified,
};
const kept = {
  "a/package.json": "{}",
  "a/lock.md": "A lock.",
  "a/search.json": "{}",
  "a/map.md": "A map.",
  "a/one-line.js": "x".repeat(1500),
  "a/admin.js": written,
  "a/data.json": `[${"1,".repeat(4000)}1]`,
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ibid-junk-"));
  for (const [name, text] of Object.entries({ ...junk, ...kept })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

async function read(inputs: readonly string[], options: object = {}) {
  const skipped: string[] = [];
  const onSkip = (uri: string, kind: string): void => void (kind === "junk" && skipped.push(uri));
  const source = openFileSource(inputs, { base: root, cwd: root, onSkip, ...options });
  const uris: string[] = [];
  for await (const { uri } of source.items()) uris.push(uri);
  return { uris: uris.toSorted(), skipped: skipped.toSorted() };
}

describe("files that programs write for programs", () => {
  it("are left out of a walk, by name and by shape, and reported", async () => {
    const { uris, skipped } = await read(["a", "site"]);
    expect(uris).toEqual(Object.keys(kept).toSorted());
    expect(skipped).toEqual(Object.keys(junk).toSorted());
  });

  it("are read with junk, by name and by a glob", async () => {
    const all = Object.keys({ ...junk, ...kept }).toSorted();
    expect(await read(["a", "site"], { junk: true })).toEqual({ uris: all, skipped: [] });
    expect((await read(["site/bundle.js", "a/Cargo.lock"])).uris).toEqual(["a/Cargo.lock", "site/bundle.js"]);
    expect((await read(["site/*.min.js"])).uris).toEqual(["site/jquery.min.js"]);
  });
});
