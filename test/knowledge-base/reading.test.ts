import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { IngestResult, KnowledgeBase } from "../../src/index.node.ts";
import type { SourceItem } from "../../src/ingest/index.node.ts";
import type { ReadLimits } from "../../src/readers/index.node.ts";
import { openKnowledgeBase as openInMemory } from "../../src/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { fingerprintPipeline } from "../../src/ingest/fingerprint.ts";
import { makePdf } from "../readers/make-pdf.ts";

const run = promisify(execFile);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const item = (uri: string, bytes: Uint8Array, size = bytes.length): SourceItem => ({
  uri,
  size,
  bytes: () => Promise.resolve(bytes),
});
const sourceOf = (...items: SourceItem[]) => ({
  folders: [],
  async *items() {
    yield* items;
  },
});
async function ingestAll(kb: KnowledgeBase, ...items: SourceItem[]): Promise<IngestResult[]> {
  const results: IngestResult[] = [];
  for await (const result of kb.ingest(sourceOf(...items))) results.push(result);
  return results;
}
const pdf = makePdf([[{ text: "The lighthouse keeper counts ships.", y: 700 }]]);

describe("limits of reading", () => {
  it.each([openKnowledgeBase, openInMemory])("are checked when they are given: %o", async (open) => {
    const opening = (limits: object) => open(undefined, { reading: { limits } });
    await expect(opening({ maxByte: 1 })).rejects.toThrow(/no option "maxByte"/u);
    await expect(opening({ maxBytes: 0 })).rejects.toThrow(/limits\.maxBytes is 0; it must be above 0/u);
    await expect(opening({ timeoutMs: -1 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(opening({ maxPages: NaN })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(opening({ maxPages: "5" })).rejects.toMatchObject({ code: "invalid-argument" });
    await (await opening({ maxPages: Infinity, maxCells: undefined })).close();
  });

  it("refuse a file by its size before anything of it is read [E15]", async () => {
    const kb = await openKnowledgeBase({ reading: { limits: { maxBytes: 100 } } });
    const huge: SourceItem = { uri: "huge.txt", size: 2 ** 31, bytes: () => Promise.reject(new Error("it was read")) };
    const results = await ingestAll(
      kb,
      huge,
      item("small.txt", encode("small"), 0),
      item("grown.txt", encode("a".repeat(101)), 5),
    );
    expect(results.map(({ uri, status, error }) => [uri, status, error?.code])).toEqual([
      ["huge.txt", "failed", "too-large"],
      ["small.txt", "added", undefined],
      ["grown.txt", "failed", "too-large"],
    ]);
    expect(results[0]?.error?.message).toBe("huge.txt has 2,147,483,648 bytes; 100 are allowed.");
    expect(results[0]?.error?.hint).toMatch(/maxBytes/u);
    await kb.close();
  });

  it("belong to the fingerprint where they decide a text, not where they decide about time [L7]", () => {
    const stages = { readers: [], chunker: { fingerprint: "c", chunk: () => [] }, transformers: [] };
    const print = (limits?: Partial<ReadLimits>) => fingerprintPipeline({ ...stages, limits }, "text/plain");
    expect(print({ timeoutMs: 5, maxMemoryBytes: 7 })).toBe(print());
    expect(print({ maxPages: 5 })).not.toBe(print());
    expect(print({ maxPages: 5, maxCells: 6 })).toBe(print({ maxCells: 6, maxPages: 5 }));
  });
});

describe("reading in a worker", () => {
  it.each([true, false, "auto"] as const)("reading.worker: %o gives the same document", async (readInWorker) => {
    const kb = await openKnowledgeBase({ reading: { worker: readInWorker } });
    await kb.ingest(sourceOf(item("a.pdf", pdf), item("b.md", encode("# Keys\n\nTurn the key."))));
    expect((await kb.document("a.pdf"))?.text).toBe("The lighthouse keeper counts ships.");
    expect((await kb.document("b.md"))?.root.children.map(({ title }) => title)).toEqual(["Keys"]);
    await kb.close();
    await kb.close();
  });

  it("what changes nothing about a document does not read it again [L7]", async () => {
    const kb = await openKnowledgeBase({ reading: { worker: false } });
    const other = await openKnowledgeBase({ reading: { worker: true } });
    await kb.ingest(sourceOf(item("a.pdf", pdf)));
    await other.ingest(sourceOf(item("a.pdf", pdf)));
    expect((await other.document("a.pdf"))?.fingerprint).toBe((await kb.document("a.pdf"))?.fingerprint);
    await Promise.all([kb.close(), other.close()]);
  });

  it("a file that takes too long fails by itself, and says what to do", async () => {
    const pages = makePdf(Array.from({ length: 300 }, (_, i) => [{ text: `Page ${i}`, y: 700 }]));
    const kb = await openKnowledgeBase({ reading: { limits: { timeoutMs: 1 } } });
    const results = await ingestAll(kb, item("slow.pdf", pages), item("b.txt", encode("fine")));
    expect(results.map(({ uri, status, error }) => [uri, status, error?.code])).toEqual([
      ["slow.pdf", "failed", "timeout"],
      ["b.txt", "added", undefined],
    ]);
    expect(results[0]?.error?.message).toContain("slow.pdf took longer to read than");
    expect(results[0]?.error?.hint).toContain("timeoutMs");
    await kb.close();
  });

  it("a wrong choice is said at once", async () => {
    await expect(openKnowledgeBase({ reading: { worker: "yes" } } as never)).rejects.toThrow(
      /reading\.worker is "yes"/u,
    );
  });

  it("keeps no process alive that forgot to close", async () => {
    const door = new URL("../../src/index.node.ts", import.meta.url).href;
    const program = `
      const { openKnowledgeBase } = await import(${JSON.stringify(door)});
      const kb = await openKnowledgeBase({ reading: { worker: true } });
      console.log((await kb.ingest({ uri: "a.md", text: "# Keys", mediaType: "text/markdown" })).added);`;
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      timeout: 15_000,
    });
    expect([stdout, stderr]).toEqual(["1\n", ""]);
  });
});
