// How much memory one large file takes while it is ingested: in this process, and in the worker that reads it.
//
//   npx node bench/read-memory.ts [mebibytes...]
//
// Each file is written to a temporary folder and ingested by a process of its own; prints the peak of resident memory over what an empty knowledge base takes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { openKnowledgeBase } from "../src/node.ts";

const line = "The lighthouse keeper counts the ships that pass at night, and writes them down in the morning";

/** A line of each kind, and what a file of it is called. */
const kinds: Readonly<Record<string, (i: number) => string>> = {
  "text.txt": (i) => `${i}: ${line}.\n${i % 8 === 7 ? "\n" : ""}`,
  "table.csv": (i) => `${i},"${line}",${i % 97},shelf\n`,
  "lines.jsonl": (i) => `{"id":${i},"text":"${line}"}\n`,
};

if (process.argv[2] === "--ingest") await ingest(process.argv[3] ?? "");
else await compare((process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["20", "60", "200"]).map(Number));

async function compare(sizes: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ibid-memory-"));
  try {
    const empty = join(folder, "empty.txt");
    await write(empty, 0, () => "");
    const base = await measure(empty);
    console.log(`An empty file: ${base.here.toFixed(0)} MiB. Peaks above that, MiB:`);
    console.log("| file | MiB | this process | workers | what came of it |\n|---|---|---|---|---|");
    for (const [name, makeLine] of Object.entries(kinds)) {
      for (const size of sizes) {
        const path = join(folder, name);
        await write(path, size * 2 ** 20, makeLine);
        const { here, there, said } = await measure(path);
        console.log(`| ${name} | ${size} | ${(here - base.here).toFixed(0)} | ${there.toFixed(0)} | ${said} |`);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function write(path: string, bytes: number, makeLine: (i: number) => string): Promise<void> {
  const stream = createWriteStream(path);
  for (let i = 0, written = 0; written < bytes;) {
    let block = "";
    while (block.length < 65_536) block += makeLine(i++);
    written += block.length;
    if (!stream.write(block)) await once(stream, "drain");
  }
  stream.end("\n");
  await finished(stream);
}

async function measure(path: string): Promise<{ here: number; there: number; said: string }> {
  const child = spawn(
    process.execPath,
    ["--max-old-space-size=8192", fileURLToPath(import.meta.url), "--ingest", path],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let there = 0;
  const watch = setInterval(() => {
    if (child.pid !== undefined) void workersMemory(child.pid).then((bytes) => (there = Math.max(there, bytes)));
  }, 20);
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  await new Promise((resolve) => child.on("close", resolve));
  clearInterval(watch);
  const { said, rss } = JSON.parse(out) as { said: string; rss: number };
  return { here: rss / 2 ** 20, there: there / 2 ** 20, said };
}

/** Resident memory of the processes that a process started. Linux tells; elsewhere it is 0. */
async function workersMemory(parent: number): Promise<number> {
  const ids = (await readdir("/proc").catch((): string[] => [])).filter((name) => /^\d+$/u.test(name));
  const sizes = await Promise.all(
    ids.map(async (id) => {
      const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
      return status.includes(`\nPPid:\t${parent}\n`) ? Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024 : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function ingest(path: string): Promise<void> {
  const kb = await openKnowledgeBase(undefined, { maxFileBytes: 2 ** 31, embeddingModel: null });
  let said = "";
  for await (const { status, chunks, error } of kb.ingest(path)) said = error?.code ?? `${status}, ${chunks} chunks`;
  await kb.close();
  // In kilobytes, whatever the system.
  console.log(JSON.stringify({ said, rss: process.resourceUsage().maxRSS * 1024 }));
}
