// Processor time of the first search by words after a commit, and of the second, by the documents of the scope.
//
//   npx node bench/after-write.ts [documents...] [--against <other checkout>]
//
// Documents are notes of 14 words. Medians of 15 commits of one note each. With another checkout, the two take turns in processes of their own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { openKnowledgeBase } from "../src/index.node.ts";

interface Checkout {
  readonly openKnowledgeBase: typeof openKnowledgeBase;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { against: { type: "string" }, of: { type: "string" } },
});
const here = fileURLToPath(new URL("..", import.meta.url));
const sizes = positionals.length === 0 ? [1_000, 4_000, 20_000] : positionals.map(Number);

async function measure(checkout: string, documents: number): Promise<string> {
  const path = pathToFileURL(join(resolve(checkout), "src/index.node.ts")).href;
  const { openKnowledgeBase } = (await import(path)) as Checkout;
  const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));
  const kb = await openKnowledgeBase(folder);
  let state = 3;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const word = (): string => `w${Math.floor(8_000 ** random()).toString(36)}`;
  const notes = Array.from({ length: documents }, (_, i) => ({
    uri: `note/${i}`,
    text: `${Array.from({ length: 14 }, word).join(" ")}.`,
  }));
  const scope = "user:ada";
  for (let at = 0; at < documents; at += 500) await kb.ingest(notes.slice(at, at + 500), { scope });
  await kb.ingest([], { settle: true });
  const reader = kb.as({ userId: "ada" });
  const search = async (): Promise<number> => {
    const before = process.cpuUsage();
    await reader.search("w1 w2 wa", { mode: "lexical", topK: 10 });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  for (let i = 0; i < 5; i++) await search();
  const [first, second]: [number[], number[]] = [[], []];
  for (let i = 0; i < 15; i++) {
    await kb.ingest([{ uri: `note/new ${i}`, text: `fresh ${i} w1 w3.` }], { scope });
    first.push(await search());
    second.push(await search());
  }
  await kb.close();
  rmSync(folder, { recursive: true });
  const median = (times: number[]): string => times.toSorted((a, b) => a - b)[7]!.toFixed(1);
  return `first ${median(first)} ms, second ${median(second)} ms`;
}

if (values.of !== undefined) console.log(await measure(values.of, sizes[0]!));
else {
  for (const documents of sizes) {
    for (const checkout of values.against === undefined ? [here] : [values.against, here, values.against, here]) {
      const of = ["--of", checkout, String(documents)];
      const { stdout, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...of], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      if (status !== 0) process.exit(1);
      console.log(`${documents} documents, ${checkout === here ? "here" : checkout}: ${stdout.toString().trim()}`);
    }
  }
}
