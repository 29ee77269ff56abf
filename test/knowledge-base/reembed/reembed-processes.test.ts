import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import { plainTextReader } from "../../../src/readers/text/plain-text-reader.ts";
import { assembleKnowledgeBase } from "../../../src/knowledge-base/open/assemble.ts";
import { plainAnalyzer } from "../../stores/build.ts";
import { lettersModel } from "./letters-model.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-reembed-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const texts = Array.from({ length: 120 }, (_, i) => ({
  uri: `${i}.txt`,
  text: `The heron ${"a".repeat(i % 7)} ${"e".repeat(i % 5)} ${i}.`,
}));
const [former, later] = [lettersModel("old", "e"), lettersModel("new", "a")];

async function open(model = later, others = [former]): Promise<KnowledgeBase> {
  const store = await openSqliteStore(path, { analyzer: plainAnalyzer, segments: { sealAt: 8, settleAt: 4 } });
  const options = { models: { embedding: model, formerEmbeddings: others } };
  return assembleKnowledgeBase(store, options, { readers: [plainTextReader] });
}

async function dense(kb: KnowledgeBase): Promise<unknown> {
  const hits = await kb.search("aa eee", { mode: "dense", topK: "all" });
  return hits.map(({ text, score }) => [text, score]);
}

/** Runs a re-embedding in a process, which is killed once so many chunks have their vectors. */
async function reembedUntil(killAfter: number): Promise<number> {
  const child = fork(join(import.meta.dirname, "reembed-child.ts"), [path], { execArgv: [] });
  let safe = 0;
  child.on("message", (done: number) => {
    safe = done;
    if (safe >= killAfter) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.on("exit", resolve));
  return safe;
}

describe("a process that is killed while it embeds anew", () => {
  it("leaves searches as they were, and another goes on where it was [T44 L6 L8]", async () => {
    let kb = await open(former, []);
    await kb.ingest(texts);
    const before = await dense(kb);
    await kb.close();
    const safe = await reembedUntil(40);
    expect(safe).toBeGreaterThanOrEqual(40);
    kb = await open();
    expect(await dense(kb)).toEqual(before);
    expect((await kb.status()).versions).toMatchObject([{ current: { model: "old" }, next: { model: "new" } }]);
    const left = (await kb.reembed({ estimate: true })).chunks;
    expect(left).toBeLessThanOrEqual(texts.length - safe);
    expect(left).toBeGreaterThan(0);
    await kb.close();
    expect(await reembedUntil(Infinity)).toBe(left);
    kb = await open(later, []);
    const after = await dense(kb);
    expect(after).not.toEqual(before);
    expect(after).toHaveLength(texts.length);
    expect((await kb.status()).versions).toMatchObject([{ current: { model: "new" }, previous: { model: "old" } }]);
    await kb.close();
  });

  it("another process that searches meanwhile sees the one version or the other, never both [T44 L6]", async () => {
    let kb = await open(former, []);
    await kb.ingest(texts);
    await kb.close();
    kb = await open();
    const before = JSON.stringify(await dense(kb));
    const seen: string[] = [];
    const turnOf = { isOver: false };
    const other = reembedUntil(Infinity).finally(() => (turnOf.isOver = true));
    while (!turnOf.isOver) {
      seen.push(JSON.stringify(await dense(kb)));
      // What the other process says must get its turn.
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
    await other;
    const after = JSON.stringify(await dense(kb));
    expect(after).not.toBe(before);
    const first = seen.indexOf(after);
    const turn = first === -1 ? seen.length : first;
    expect(new Set(seen.slice(0, turn))).toEqual(new Set([before]));
    expect(seen.slice(turn).every((one) => one === after)).toBe(true);
    await kb.close();
  });
});
