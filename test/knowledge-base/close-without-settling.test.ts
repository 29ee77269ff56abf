import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";

const nouns = ["harbour", "lantern", "copper", "violin", "orchard", "granite", "saddle", "compass"];
const verbs = ["polishes", "carries", "measures", "repairs", "forgets", "collects", "sells"];

/** More chunks than the thread of a store begins with. */
const documents = Array.from({ length: 1300 }, (_, i) => {
  const noun = (k: number): string => nouns[(i * 7 + k * (i % 11)) % nouns.length]!;
  const text = `Keeper ${i} ${verbs[i % verbs.length]} the ${noun(1)} beside the ${noun(2)}, and the ${noun(3)} of number${i}.`;
  return { uri: `${i}.txt`, text };
});

const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-close-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "kb");
};
const open = (folder: string): Promise<KnowledgeBase> => openKnowledgeBase(folder, { reading: { worker: false } });

/** Whether the fit is due, and how many chunks it is made of. */
const fitOf = async (kb: KnowledgeBase): Promise<unknown> => {
  const { fit } = await kb.status();
  return [fit?.isDue, fit?.madeOf];
};

it("a base that is closed without settling keeps what was acknowledged, and leaves a fit in the middle to the next one that settles", async () => {
  const folder = folderOf();
  const first = await open(folder);
  await first.ingest(documents);
  const begun = Promise.withResolvers<void>();
  const settling = first.ingest([], {
    settle: true,
    onProgress: ({ fit }) => void (fit !== undefined && begun.resolve()),
  });
  settling.catch(() => {});
  await begun.promise;
  await first.close({ settle: false });
  await expect(settling).rejects.toMatchObject({ code: "aborted" });

  const second = await open(folder);
  expect(await fitOf(second)).toEqual([true, 0]);
  for (const i of [0, 700, 1299]) {
    const [hit] = await second.search(`number${i}`, { topK: 1 });
    expect(hit?.source.uri).toBe(`${i}.txt`);
  }
  await second.ingest([], { settle: true });
  expect(await fitOf(second)).toEqual([false, 1300]);
  const [hit] = await second.search(documents[700]!.text, { topK: 1, mode: "dense" });
  expect(hit?.source.uri).toBe("700.txt");
  expect(await second.doctor()).toMatchObject({ healthy: true });
  await second.close();
});

it("a service makes the fit that the one before left, when it starts", async () => {
  const folder = folderOf();
  const first = await open(folder);
  await first.ingest(documents);
  await first.close({ settle: false });
  const second = await open(folder);
  onTestFinished(() => second.close());
  expect(await fitOf(second)).toEqual([true, 0]);
  const service = await startService(second, { port: 0, warmUp: true });
  onTestFinished(() => service.stop());
  await expect.poll(() => fitOf(second), { timeout: 60_000 }).toEqual([false, 1300]);
});

it("closing knows no other option", async () => {
  const kb = await openKnowledgeBase();
  await expect(kb.close({ settled: false } as never)).rejects.toThrow("settled");
  await kb.close();
});
