// How much memory one large file takes while it is ingested: in this process, and in the worker that reads it.
//
//   npx node bench/read-memory.ts [--only csv,html] [--limits] [mebibytes...]
//
// Each file is written to a temporary folder and ingested by a process of its own into a folder, with the runtime's own
// heap. Prints the peak of resident memory over that of an empty file, the peak of the reading process, and the result.
// The limits of a file and its text are raised; with `--limits` they are the defaults. Beside it stands the least that
// another library does with such a file. LangChain reads it whole and cuts it with the recursive splitter at the same
// size. It makes no index of it and keeps nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type IbidError, openKnowledgeBase } from "../src/index.node.ts";
import { generateText } from "../src/testing/corpus.ts";
import { loadPeer } from "./peer.ts";

const line = "The lighthouse keeper counts the ships that pass at night, and writes them down in the morning";
const paragraphs = generateText(1, 2000)
  .split(/\n\s*\n/u)
  .map((paragraph) => paragraph.replaceAll(/[<&\r\n]/gu, " "));
const paragraph = (i: number): string => paragraphs[i % paragraphs.length] ?? "";

/** A piece of each kind, and what a file of it is called. */
const kinds: Readonly<Record<string, (i: number) => string>> = {
  "text.txt": (i) => `${i}: ${line}.\n${i % 8 === 7 ? "\n" : ""}`,
  "server.log": (i) => `2026-11-22T03:${String(i % 60).padStart(2, "0")}:07Z INFO [pier-${i % 13}] ${line} id=${i}\n`,
  "table.csv": (i) => `${i},"${line}",${i % 97},shelf\n`,
  "lines.jsonl": (i) => `{"id":${i},"text":"${line}"}\n`,
  "notes.md": (i) =>
    `${i % 6 === 0 ? `## Section ${i}\n\n| a | b |\n|---|---|\n| ${i} | x |\n\n` : ""}${paragraph(i)}\n\n`,
  "page.html": (i) =>
    `${i % 6 === 0 ? `<h2>Section ${i}</h2><table><tr><td>${i}<td>x</table>` : ""}<p>${paragraph(i)}</p>\n`,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    limits: { type: "boolean", default: false },
    ingest: { type: "string" },
    peer: { type: "string" },
  },
});
if (values.ingest !== undefined) await ingest(values.ingest, values.limits);
else if (values.peer !== undefined) await cutByPeer(values.peer);
else await compare((positionals.length > 0 ? positionals : ["20", "60", "100"]).map(Number));

async function compare(sizes: readonly number[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ibid-memory-"));
  const only = values.only?.split(",");
  try {
    const empty = join(folder, "empty.txt");
    await write(empty, 0, () => "");
    const base = await measure("--ingest", empty);
    const peerBase = await measure("--peer", empty);
    console.log(
      `An empty file: ${base.here.toFixed(0)} MiB (beside: ${peerBase.here.toFixed(0)}). Peaks above that, MiB:`,
    );
    console.log("| file | MiB | this process | reading process | what came of it | LangChain, cut only |");
    console.log("|---|--:|--:|--:|---|--:|");
    for (const [name, makePiece] of Object.entries(kinds)) {
      if (only !== undefined && !only.some((ending) => name.endsWith(`.${ending}`))) continue;
      for (const size of sizes) {
        const path = join(folder, name);
        await write(path, size * 2 ** 20, makePiece);
        const { here, there, said } = await measure("--ingest", path);
        const beside = await measure("--peer", path);
        const peak = beside.said === "cut" ? (beside.here - peerBase.here).toFixed(0) : beside.said;
        console.log(
          `| ${name} | ${size} | ${(here - base.here).toFixed(0)} | ${there.toFixed(0)} | ${said} | ${peak} |`,
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function write(path: string, bytes: number, makePiece: (i: number) => string): Promise<void> {
  const stream = createWriteStream(path);
  for (let i = 0, written = 0; written < bytes;) {
    let block = "";
    while (block.length < 65_536) block += makePiece(i++);
    written += Buffer.byteLength(block);
    if (!stream.write(block)) await once(stream, "drain");
  }
  stream.end("\n");
  await finished(stream);
}

interface Peaks {
  readonly here: number;
  readonly there: number;
  readonly said: string;
}

async function measure(task: "--ingest" | "--peer", path: string): Promise<Peaks> {
  const args = [fileURLToPath(import.meta.url), task, path, ...(values.limits ? ["--limits"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let [here, there] = [0, 0];
  const watch = setInterval(() => {
    if (child.pid === undefined) return;
    void readMemory(child.pid).then((peaks) => {
      here = Math.max(here, peaks.here);
      there = Math.max(there, peaks.there);
    });
  }, 50);
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearInterval(watch);
  const said = code === 0 ? out.trim() : `died: ${signal ?? `exit code ${code}`}`;
  return { here: here / 2 ** 20, there: there / 2 ** 20, said };
}

/** The peaks of a process and of those that it started, so far. Linux tells; elsewhere they are 0. */
async function readMemory(pid: number): Promise<{ readonly here: number; readonly there: number }> {
  const peak = async (id: number | string): Promise<number> =>
    Number(/VmHWM:\s+(\d+)/u.exec(await readProc(`${id}/status`))?.[1] ?? 0) * 1024;
  const workers = (await readProc(`${pid}/task/${pid}/children`)).split(" ").filter(Boolean);
  const peaks = await Promise.all(workers.map(peak));
  return { here: await peak(pid), there: peaks.reduce((sum, size) => sum + size, 0) };
}

function readProc(name: string): Promise<string> {
  return readFile(join("/proc", name), "utf8").catch(() => "");
}

async function ingest(path: string, atLimits: boolean): Promise<void> {
  const raised = {
    sources: { maxFileBytes: 2 ** 31 },
    reading: { limits: { maxBytes: 2 ** 30, maxTextLength: 2 ** 29 } },
  };
  const kb = await openKnowledgeBase(`${path}.kb`, atLimits ? {} : raised);
  let said = "";
  for await (const { status, chunks, error } of kb.ingest(path)) said = says(error) ?? `${status}, ${chunks} chunks`;
  await kb.close();
  await rm(`${path}.kb`, { recursive: true });
  console.log(said);
}

function says(error: IbidError | undefined): string | undefined {
  return error && `${error.code}: ${error.message.replaceAll(/\S*\/(?=[^/\s]+$|[^/\s]+ )/gu, "")}`;
}

async function cutByPeer(path: string): Promise<void> {
  const peer = await loadPeer<{
    RecursiveCharacterTextSplitter: new (options: { chunkSize: number; chunkOverlap: number }) => {
      createDocuments(texts: readonly string[]): Promise<readonly unknown[]>;
    };
  }>("@langchain/textsplitters");
  if (peer === undefined) {
    console.log("not installed: npm --prefix bench/peers ci");
    return;
  }
  const splitter = new peer.RecursiveCharacterTextSplitter({ chunkSize: 1500, chunkOverlap: 0 });
  const documents = await splitter.createDocuments([await readFile(path, "utf8")]);
  console.log(documents.length >= 0 ? "cut" : "");
}
