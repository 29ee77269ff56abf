import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TextDocument } from "ibid";
import { createTextDataLoader, readFolder } from "ibid/compat";
import { readSource } from "ibid/ingest";
import { createReaders } from "ibid/readers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createListSource } from "../../src/testing/list-source.ts";

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ibid-read-")));
  const files: Record<string, string | Buffer> = {
    "docs/a.md": "# A\n\none\n\n## B\n\ntwo",
    "docs/deep/plain.txt": "three",
    "docs/random.bin": Buffer.from([0, 1, 2, 0, 255]),
    "docs/.hidden": "h",
    "docs/notes.log": "log",
    "docs/node_modules/x.js": "x",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), content);
  }
  symlinkSync("a.md", join(base, "docs/link.md"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("reading a folder without a knowledge base [E15]", () => {
  it("gives documents, then counts", async () => {
    const run = readFolder(join(base, "docs"), { exclude: ["*.log"] });
    const documents: TextDocument[] = [];
    for await (const document of run) documents.push(document);
    expect(documents.map(({ uri, text }) => [uri.slice(base.length), text.slice(0, 5)])).toEqual([
      ["/docs/a.md", "# A\n\n"],
      ["/docs/deep/plain.txt", "three"],
    ]);
    const { processingTime, errors, ...counts } = await run;
    expect(processingTime).toBeGreaterThanOrEqual(0);
    expect(counts).toEqual({
      totalFilesFound: 6,
      filesProcessed: 2,
      // .hidden, notes.log and the link; what is in node_modules is not looked at.
      filesSkipped: 3,
      filesErrored: 1,
      // The root, A and B of the first; the root of the second.
      totalSectionsExtracted: 4,
      success: false,
    });
    expect(errors.map(({ uri, error }) => [uri.slice(base.length), error.code])).toEqual([
      ["/docs/random.bin", "binary"],
    ]);
  });

  it("obeys the rules of folders, and reads with readers of one's own", async () => {
    const shout = {
      name: "shout/1",
      accepts: (mediaType: string) => mediaType === "text/plain",
      read: async ({ bytes }: { bytes: Uint8Array }) => {
        const text = new TextDecoder().decode(bytes).toUpperCase();
        const root = { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] };
        return { text, title: "", root, sourceMap: { lines: "text" as const }, metadata: {} };
      },
    };
    const run = readFolder(join(base, "docs"), { include: ["*.txt"], readers: [shout] });
    const texts: string[] = [];
    for await (const { text } of run) texts.push(text);
    expect(texts).toEqual(["THREE"]);
    expect(await run).toMatchObject({ filesProcessed: 1, filesErrored: 0, success: true });
    expect(await readFolder(join(base, "docs"), { maxDepth: 0, include: ["*.md"] })).toMatchObject({
      filesProcessed: 1,
    });
  });

  it("counts files that are too large as skipped, where that is asked for [E15]", async () => {
    const rules = { include: ["*.md", "*.txt"], maxFileBytes: 6 } as const;
    expect(await readFolder(join(base, "docs"), rules)).toMatchObject({ filesErrored: 1, filesProcessed: 1 });
    expect(await readFolder(join(base, "docs"), { ...rules, oversized: "skip" })).toMatchObject({
      filesErrored: 0,
      filesProcessed: 1,
      success: true,
    });
  });

  it("loads named files under Ballerina's name: one document, or several [B52]", async () => {
    const [one, two] = [join(base, "docs/a.md"), join(base, "docs/deep/plain.txt")];
    const document = (await createTextDataLoader(one).load()) as TextDocument;
    expect(document).toMatchObject({
      type: "text",
      text: "# A\n\none\n\n## B\n\ntwo",
      metadata: {
        fileName: "a.md",
        mimeType: "text/markdown",
        fileSize: 19,
        modifiedAt: expect.stringMatching(/^\d{4}-/u),
      },
    });
    const several = (await createTextDataLoader(two, one).load()) as readonly TextDocument[];
    expect(several.map(({ text }) => text.slice(0, 5))).toEqual(["three", "# A\n\n"]);
    expect(() => createTextDataLoader(one, "/nowhere.md")).toThrow("File does not exist: /nowhere.md");
    const loaded = await createTextDataLoader(one).load({ extensions: ["pdf", ".MD"] });
    expect(loaded).toEqual(document);
    await expect(createTextDataLoader(one, two).load({ extensions: ["pdf", "md"] })).rejects.toMatchObject({
      code: "unsupported-media",
      message: "Unsupported file type: txt",
      uri: two,
    });
    await expect(createTextDataLoader(one).load({ extensions: "md" as never })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    const broken = createTextDataLoader(join(base, "docs/random.bin"));
    await expect(broken.load()).rejects.toMatchObject({ code: "binary" });
  });

  it("reads any source, goes on after what fails, and stops when told to", async () => {
    const source = createListSource([
      { uri: "a.txt", content: "one" },
      { uri: "gone", content: new Error("gone") },
      { uri: "b.txt", content: "two" },
    ]);
    const run = readSource(source, createReaders());
    expect(await run).toMatchObject({ totalFilesFound: 3, filesProcessed: 2, filesErrored: 1 });
    expect((await run).errors).toMatchObject([{ uri: "gone", error: { code: "unreadable" } }]);
    const stopped = readSource(source, createReaders(), { signal: AbortSignal.abort() });
    await expect((async () => await stopped)()).rejects.toMatchObject({ code: "aborted" });
    expect(() => readSource(source, createReaders(), { limit: 1 } as object)).toThrow("limit");
  });
});
