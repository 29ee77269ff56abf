import { execFile } from "node:child_process";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { IngestResult, KnowledgeBase } from "../../src/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ibid-large-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const opened: KnowledgeBase[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((kb) => kb.close()))));

async function openHere(options: Parameters<typeof openKnowledgeBase>[1] = {}): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase(options);
  opened.push(kb);
  return kb;
}

const mebibyte = 2 ** 20;

/** Paragraphs of which no two are the same. */
function makeText(bytes: number): string {
  const paragraphs: string[] = [];
  for (let length = 0, n = 0; length < bytes; n++) {
    const paragraph = `Share ${n} was signed by operator w${(n * 7919) % 50021} after ${n % 90} days. The ledger of room ${n % 613} records each step, and witness v${(n * 104729) % 99991} looked on.`;
    paragraphs.push(paragraph);
    length += paragraph.length + 2;
  }
  return paragraphs.join("\n\n");
}

describe("a file that is large [E15 L7 L8]", () => {
  it("is cut, indexed and written without its words ever being in memory all at once", async () => {
    const path = join(folder, "large.txt");
    const text = makeText(8 * mebibyte);
    await writeFile(path, text);
    // A process of its own, with a heap that what the index knows of this file would not fit into.
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--max-old-space-size=52",
      join(import.meta.dirname, "large-file-child.ts"),
      path,
    ]);
    const said = JSON.parse(stdout) as { status: string; chunks: number; found: string; total: number };
    const last = text.slice(text.lastIndexOf("\n") + 1);
    expect(said).toEqual({ status: "added", chunks: expect.any(Number) as number, found: last, total: said.chunks });
    expect(said.chunks).toBeGreaterThan(8000);
  });

  it("is refused by its size, of which nothing is read", async () => {
    const path = join(folder, "sparse.txt");
    const file = await open(path, "w");
    await file.truncate(2 * 1024 * mebibyte);
    await file.close();
    const kb = await openHere();
    const before = process.resourceUsage().fsRead;
    const results: IngestResult[] = [];
    for await (const result of kb.ingest(path)) results.push(result);
    expect(results).toMatchObject([{ status: "failed", error: { code: "too-large" } }]);
    expect(results[0]?.error?.hint).toContain("maxFileBytes");
    // In blocks of 512 bytes: some files of ours, at most.
    expect(process.resourceUsage().fsRead - before).toBeLessThan((64 * mebibyte) / 512);
  });

  it("may hold more text than one document by default, where the limit is raised", async () => {
    const text = "word ".repeat(40);
    const small = { reading: { limits: { maxTextLength: 100 } } };
    const kb = await openHere(small);
    const [refused] = await collect(kb.ingest({ uri: "a.txt", text }));
    expect(refused).toMatchObject({ status: "failed", error: { code: "too-large", details: { max: 100 } } });
    const larger = await openHere({ reading: { limits: { maxTextLength: 200 } } });
    expect(await collect(larger.ingest({ uri: "a.txt", text }))).toMatchObject([{ status: "added" }]);
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
