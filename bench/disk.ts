// Bytes of a chunk on disk, table by table, and the time of writing it. Passages are those of the peers' collection: words alone,
// with given vectors of 384 dimensions, and with the store's own model. Pages are read from a folder.
//
//   npx node bench/disk.ts --data <folder> [--count 100000] [--only words,given,own,pages]
//
// <folder> holds retrieval/vaswani, retrieval/cacm and docs, as for bench/peers. Processor time is that of the whole process.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { createGate, operator } from "../src/access/gate.ts";
import type { Chunk } from "../src/contracts/chunk.ts";
import type { DocumentWrite } from "../src/contracts/document-store.ts";
import { latentSemanticModel } from "../src/engine/latent/latent-semantic-model.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { createHashingModel } from "../src/models/index.node.ts";
import { openSqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { createRandom, prepareData, readSources } from "./peers/data.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    count: { type: "string", default: "100000" },
    only: { type: "string", default: "words,given,own,pages" },
    keep: { type: "string", default: join(tmpdir(), "ibid-disk-data") },
  },
});
if (values.data === undefined) throw new Error("usage: bench/disk.ts --data <folder> [--count 100000] [--only …]");
const data = values.data;
const count = Number(values.count);
const wanted = new Set(values.only.split(","));
const dimensions = 384;
const version = { provider: "bench", model: "given", dimensions, fingerprint: "" };
const gate = createGate();
const into = gate.write(operator, "deployment");

interface Passage {
  readonly id: string;
  readonly text: string;
  readonly slot: number;
}

function* readPassages(folder: string): Generator<readonly Passage[]> {
  let left = count;
  for (let file = 0; left > 0; file++) {
    const path = join(folder, `${file}.jsonl`);
    if (!existsSync(path)) return;
    const passages = readFileSync(path, "utf8")
      .split("\n")
      .slice(0, left)
      .map((line) => JSON.parse(line) as Passage);
    left -= passages.length;
    yield passages;
  }
}

const random = createRandom(9);
const randomVector = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);

/** Ten passages are one document, as in bench/peers. */
function toWrite(passages: readonly Passage[], isGiven: boolean): DocumentWrite {
  const uri = `d${Math.floor(Number(passages[0]!.id) / 10)}`;
  let end = -2;
  const chunks = passages.map(({ id, text, slot }, index): Chunk => {
    const start = end + 2;
    end = start + text.length;
    return {
      type: "text-chunk",
      id,
      documentId: uri,
      uri,
      title: uri,
      text,
      urtext: text,
      start,
      end,
      index,
      sectionId: "0",
      headings: [],
      metadata: { slot },
      origin: "user-content",
    };
  });
  const text = passages.map((passage) => passage.text).join("\n\n");
  return {
    document: {
      type: "text",
      id: uri,
      uri,
      title: uri,
      mediaType: "text/plain",
      text,
      metadata: {},
      origin: "user-content",
      root: { id: "0", title: uri, level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
      sourceMap: { lines: "text" },
    },
    chunks: chunks.map((chunk) => ({ chunk, embeddings: isGiven ? [{ version, embedding: randomVector() }] : [] })),
    contentHash: uri,
    metadataHash: "",
    fingerprint: "bench",
    bytes: text.length,
    folder: null,
  };
}

function report(label: string, path: string, chunks: number, ms: number, cpu: NodeJS.CpuUsage): void {
  const folder = join(path, "..");
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const processor = (cpu.user + cpu.system) / 1000;
  console.log(
    `\n${label}: ${chunks} chunks, ${(bytes / chunks).toFixed(0)} bytes a chunk; ${ms.toFixed(0)} ms, processor ${processor.toFixed(0)} ms`,
  );
  const file = new DatabaseSync(path, { readOnly: true });
  const parts = file
    .prepare(
      `SELECT name, sum(pgsize) AS bytes, sum(payload) AS payload, sum(unused) AS unused FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 14`,
    )
    .all();
  for (const { name, bytes: size, payload, unused } of parts) {
    const each = (value: unknown): string => (Number(value) / chunks).toFixed(1).padStart(8);
    console.log(`  ${String(name).padEnd(26)}${each(size)}   payload${each(payload)}   unused${each(unused)}`);
  }
  const files = file
    .prepare(
      "SELECT CASE WHEN instr(name, '/') > 0 THEN substr(name, 1, instr(name, '/')) ELSE name END AS kind, sum(length(data)) AS bytes FROM files GROUP BY 1 ORDER BY 2 DESC",
    )
    .all();
  console.log(
    `  files: ${files.map(({ kind, bytes: size }) => `${String(kind)} ${(Number(size) / chunks).toFixed(1)}`).join(", ")}`,
  );
  const pragma = (name: string): number => Number(Object.values(file.prepare(`PRAGMA ${name}`).get()!)[0]);
  console.log(`  free pages ${((pragma("freelist_count") * pragma("page_size")) / chunks).toFixed(1)}`);
  file.close();
}

async function measure(kind: "words" | "given" | "own", passages: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-disk-"));
  const path = join(folder, "ibid.sqlite");
  const store = await openSqliteStore(path, {
    analyzer: languageAnalyzer,
    ...(kind === "own" && { corpusModel: latentSemanticModel }),
  });
  let ms = 0;
  const cpu = { user: 0, system: 0 };
  const timed = async (work: () => Promise<unknown>): Promise<void> => {
    const [started, before] = [performance.now(), process.cpuUsage()];
    await work();
    const used = process.cpuUsage(before);
    ms += performance.now() - started;
    cpu.user += used.user;
    cpu.system += used.system;
  };
  let chunks = 0;
  for (const batch of readPassages(passages)) {
    const writes = Array.from({ length: Math.ceil(batch.length / 10) }, (_, i) =>
      toWrite(batch.slice(10 * i, 10 * i + 10), kind === "given"),
    );
    await timed(() => Promise.all(writes.map((write) => store.replace(into, write))));
    chunks += batch.length;
  }
  await timed(() => store.upkeep!.settle());
  await timed(() => store.close());
  report(kind, path, chunks, ms, cpu);
  rmSync(folder, { recursive: true });
}

async function measurePages(pages: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-disk-"));
  const kb = await openKnowledgeBase(folder, {
    models: { embedding: createHashingModel() },
    operations: { events: false },
  });
  const [started, before] = [performance.now(), process.cpuUsage()];
  const { chunks } = await kb.ingest(pages);
  await kb.close();
  report("pages", join(folder, "ibid.sqlite"), chunks, performance.now() - started, process.cpuUsage(before));
  rmSync(folder, { recursive: true });
}

const { passages } = await prepareData(values.keep, readSources(data), count, 8);
for (const kind of ["words", "given", "own"] as const) if (wanted.has(kind)) await measure(kind, passages);
if (wanted.has("pages")) await measurePages(join(data, "docs"));
