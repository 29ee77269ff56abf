/**
 * Memory of searches, answers and expansions over large documents.
 *
 * `node bench/large-documents.ts [files] [megabytes] [folder]` ingests Markdown files with characters beyond Latin-1
 * (default 12 of 9.5 MB). Then it searches them in processes of their own with a heap of 400 MB. The command line
 * searches with the default number of hits, and for 100. More processes ask questions, expand each hit of a search, read
 * parts of a document, and replace one whose first paragraph changed. One more process tells how much heap a hit holds
 * beside its text.
 *
 * `node bench/large-documents.ts again <folder>` runs these processes over a folder that was filled before.
 *
 * `node bench/large-documents.ts chunks [folder]` ingests 70 documents of .7 MB (81,553 chunks), and searches for 1,000
 * hits.
 *
 * Each process tells how far its resident memory grew from after opening to after its work.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KnowledgeBase } from "../src/contracts/knowledge-base.ts";
import { type Hit, openKnowledgeBase } from "../src/index.node.ts";

const words = "noise amplifier signal wave guide tube field current – circuit measure filter antenna".split(" ");

/** A Markdown text of at least so many UTF-8 bytes; the same number gives the same text. */
function writeText(bytes: number, seed: number): string {
  const paragraphs: string[] = [];
  let state = seed + 1;
  for (let size = 0, n = 0; size < bytes; n++) {
    const line = Array.from({ length: 90 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return words[state % words.length]!;
    }).join(" ");
    const paragraph = n % 20 === 0 ? `## Part ${n}\n\n${line} ${n % 10}` : `${line} ${n % 10}`;
    paragraphs.push(paragraph);
    size += paragraph.length + 4;
  }
  return paragraphs.join("\n\n");
}

/** The work of each process, which returns a report. */
const works: Readonly<Record<string, (kb: KnowledgeBase, topK: number, folder: string) => Promise<string>>> = {
  search: async (kb, topK) => `${(await kb.search("noise amplifier 0", { topK })).length} hits`,
  async ask(kb, topK) {
    let citations = 0;
    const questions = ["noise amplifier 0", "Which antenna filter has a tube current 7?", "circuit measure 3"];
    for (const question of questions) {
      citations += (await kb.ask(question, { topK, grounding: "permissive" })).citations.length;
    }
    return `${questions.length} answers with ${citations} citations`;
  },
  async expand(kb, topK) {
    let length = 0;
    for (const { chunkId, scope } of await kb.search("noise amplifier 0", { topK })) {
      for (const how of [{ neighbours: 2 }, { zoomOut: 1 }, { zoomOut: 9 }]) {
        length += (await kb.expand({ chunkId, scope }, how))?.text.length ?? 0;
      }
    }
    return `excerpts of ${length} characters`;
  },
  async document(kb) {
    let length = 0;
    for await (const { uri, scope } of kb.list()) {
      for (const start of [0, 1_000_000, 5_000_000]) {
        length += (await kb.document(uri, { scope, start, end: start + 2000 }))?.text.length ?? 0;
      }
    }
    return `parts of ${length} characters`;
  },
  async replace(kb, _, folder) {
    const path = join(folder, "..", "0.md");
    writeFileSync(path, `Changed at ${performance.now()}.\n\n${readFileSync(path, "utf8")}`);
    const { failures } = await kb.ingest(path);
    return `replaced with ${failures.length} failures`;
  },
};

/** Heap that hits hold beside their text, when the knowledge base and its caches are gone. **Units** bytes a hit. */
async function weighHits(folder: string, topK: number): Promise<void> {
  let hits: readonly Hit[];
  {
    await using kb = await openKnowledgeBase(folder);
    hits = await kb.search("noise amplifier 0", { topK });
    // Numbers and texts that are made when they are first asked for count.
    JSON.stringify(hits);
  }
  const heap = async (): Promise<number> => {
    // Objects that wait to be finalised are collected in a later turn.
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => void setTimeout(resolve, 20));
      (globalThis as { gc?: () => void }).gc!();
    }
    return process.memoryUsage().heapUsed;
  };
  const count = hits.length;
  const text = hits.reduce((sum, hit) => sum + 2 * hit.text.length, 0);
  const held = await heap();
  hits = [];
  const bytes = (held - (await heap())) / count;
  console.log(
    `${count} hits hold ${bytes.toFixed(0)} bytes each; their texts have ${(text / count).toFixed(0)} in two bytes a character`,
  );
}

async function workHere(name: string, folder: string, topK: number): Promise<void> {
  await using kb = await openKnowledgeBase(folder);
  await kb.status();
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const done = await works[name]!(kb, topK, folder);
  const seconds = (performance.now() - started) / 1000;
  const grown = (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20;
  console.log(`${done} in ${seconds.toFixed(1)} s, resident memory grew by ${grown.toFixed(0)} MB after open`);
}

function runLimited(args: readonly string[]): void {
  const run = spawnSync(process.execPath, ["--max-old-space-size=400", "--expose-gc", ...args], { encoding: "utf8" });
  const said = run.stdout.trim().split("\n").at(-1) ?? "";
  console.log(`exit ${run.status ?? run.signal}: ${said.slice(0, 120)}`);
}

const self = fileURLToPath(import.meta.url);
const cli = fileURLToPath(new URL("../src/cli/bin.ts", import.meta.url));
const [first = "12", second, third] = process.argv.slice(2);

function runAll(kb: string, isChunks: boolean): void {
  for (const topK of isChunks ? [1000] : [5, 100]) {
    runLimited([self, "search", kb, String(topK)]);
    if (!isChunks) runLimited([cli, "--kb", kb, "search", "noise amplifier 0", "--top-k", String(topK)]);
  }
  if (isChunks) return;
  for (const name of ["ask", "expand", "document", "weigh", "replace"]) runLimited([self, name, kb, "20"]);
}

if (first in works) {
  await workHere(first, second!, Number(third));
} else if (first === "weigh") {
  await weighHits(second!, Number(third));
} else if (first === "again") {
  runAll(join(second!, "kb"), false);
} else {
  const given = first === "chunks" ? second : third;
  const folder = given ?? mkdtempSync(join(tmpdir(), "ibid-large-"));
  mkdirSync(folder, { recursive: true });
  const isChunks = first === "chunks";
  const files = isChunks ? 70 : Number(first);
  const bytes = (isChunks ? 0.7 : Number(second ?? 9.5)) * 1e6;
  const kb = await openKnowledgeBase(join(folder, "kb"));
  for (let i = 0; i < files; i++) {
    const path = join(folder, `${i}.md`);
    writeFileSync(path, writeText(bytes, i));
    await kb.ingest(path);
  }
  console.log(`${files} files of ${(bytes / 1e6).toFixed(1)} MB, ${(await kb.status()).chunks} chunks`);
  await kb.close();
  runAll(join(folder, "kb"), isChunks);
  if (given === undefined) rmSync(folder, { recursive: true });
}
