import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IngestSummary, KnowledgeBase } from "../../src/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { runsAll, sample } from "../support/runs.ts";
import { signalItself } from "../support/signal-itself.ts";

const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));
const count = runsAll ? 300 : 90;
/** A place in the ingestion: so many documents of a hundred. */
const at = (percent: number): number => Math.round((count * percent) / 100);

/** Enough text for several chunks, each document about something of its own. */
function page(number: number, edition: string): string {
  const paragraph = (part: number): string =>
    `Part ${part} of page ${number} in the ${edition} edition speaks of topic${number} and of subject${part}. `.repeat(
      12,
    );
  return `# Page ${number}\n\n${[1, 2, 3].map((part) => `## Part ${part}\n\n${paragraph(part)}`).join("\n\n")}\n`;
}

async function writePages(folder: string, edition: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let number = 0; number < count; number++) await writeFile(join(folder, `${number}.md`), page(number, edition));
}

/** Everything that a caller could see, but for the times of ingestion. */
async function stateOf(kb: KnowledgeBase): Promise<unknown> {
  const documents: unknown[] = [];
  for await (const { ingestedAt: _, checkedAt: __, ...summary } of kb.list()) {
    documents.push({ ...summary, text: (await kb.document(summary.uri))?.text });
  }
  const hits = [];
  for (const query of ["topic7 subject2", "second edition", "page 123"]) {
    hits.push(await kb.search(query, { topK: 20, explain: true }));
    hits.push(await kb.search(query, { topK: 20, mode: "dense", minScore: 0 }));
  }
  const { cacheHitRate: _, ...status } = await kb.status();
  return { documents, hits: hits.map((list) => list.map(({ metadata: __, ...hit }) => hit)), status };
}

/** Runs an ingestion and kills it without warning once it has reported so many documents. Resolves to how many it had reported. */
function ingestAndKill(cwd: string, after: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const args = ["ingest", "pages", "--kb", ".ibid", "--json"];
    const child = spawn(process.execPath, [executable, ...args], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let reported = 0;
    child.stdout.on("data", (data: Buffer) => {
      reported += data.toString().split("\n").length - 1;
      if (reported >= after) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", () => resolve(reported));
  });
}

describe("a process that is killed while it ingests", () => {
  let folder: string;
  let undisturbed: unknown;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ibid-crash-"));
    await writePages(join(folder, "calm/pages"), "first");
    const calm = await openKnowledgeBase(join(folder, "calm/.ibid"));
    await calm.ingest(join(folder, "calm/pages"));
    await writePages(join(folder, "calm/pages"), "second");
    // What is settled is a function of the documents: otherwise the state would tell how far the background had come.
    await calm.ingest(join(folder, "calm/pages"), { settle: true });
    undisturbed = await stateOf(calm);
    await calm.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("leaves each document whole, old or new, and a second run ends where an undisturbed one does [L6 L7 L8]", async () => {
    const stormy = join(folder, "stormy");
    await writePages(join(stormy, "pages"), "first");
    // First while everything is new, then while everything is replaced; early, in the middle, late.
    for (const after of sample([1, at(32), at(77)], 2, 1))
      expect(await ingestAndKill(stormy, after)).toBeGreaterThanOrEqual(after);
    let kb = await openKnowledgeBase(join(stormy, ".ibid"), { create: false });
    await kb.ingest(join(stormy, "pages"));
    await kb.close();

    await writePages(join(stormy, "pages"), "second");
    for (const after of sample([at(13), at(60)], 2)) {
      const reported = await ingestAndKill(stormy, after);
      kb = await openKnowledgeBase(join(stormy, ".ibid"), { create: false });
      let renewed = 0;
      for await (const { uri, chunks } of kb.list()) {
        const text = (await kb.document(uri))?.text ?? "";
        const number = Number.parseInt(uri.slice("pages/".length), 10);
        expect([page(number, "first"), page(number, "second")]).toContain(text);
        if (text === page(number, "second")) renewed++;
        expect(chunks).toBe(3);
      }
      expect(renewed).toBeGreaterThanOrEqual(reported);
      await kb.close();
    }

    kb = await openKnowledgeBase(join(stormy, ".ibid"), { create: false });
    const summary: IngestSummary = await kb.ingest(join(stormy, "pages"), { settle: true });
    expect(summary).toMatchObject({ failed: 0, removed: 0, added: 0 });
    expect(summary.updated + summary.unchanged).toBe(count);
    expect(await stateOf(kb)).toEqual(undisturbed);
    await kb.close();
  });

  it("can be read by another process all the while, which sees only whole documents [L7 L8]", async () => {
    const shared = join(folder, "shared");
    await writePages(join(shared, "pages"), "first");
    // It stops after its first document, and goes on when the reader has looked twice.
    const writer = spawn(process.execPath, [executable, "ingest", "pages", "--kb", ".ibid", "--json"], {
      cwd: shared,
      env: { ...process.env, ...signalItself("SIGSTOP") },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise<number | null>((resolve) => writer.on("close", resolve));
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    writer.stdout.resume();
    const reader = await openKnowledgeBase(join(shared, ".ibid"), { create: false });
    let most = 0;
    let looks = 0;
    while (writer.exitCode === null) {
      const { documents, chunks } = await reader.status();
      expect(chunks).toBe(3 * documents);
      expect(documents).toBeGreaterThanOrEqual(most);
      most = documents;
      if (++looks > 1) writer.kill("SIGCONT");
      for (const hit of await reader.search("subject2", { topK: 3, mode: "lexical" }))
        expect(hit.text).toContain("subject2");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await ended).toBe(0);
    expect((await reader.status()).documents).toBe(count);
    await reader.close();
  });
});
