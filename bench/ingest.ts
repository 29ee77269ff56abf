// The time of an ingestion of a folder: each stage by itself, then the whole, in memory and durable. Then the same as
// the first work of a process, each time in a process of its own.
//
//   npx node bench/ingest.ts <folder> [rounds]
//
// Prints milliseconds, the median of the rounds (the first is a warm-up), so that stages can be compared within one run.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createAutoChunker } from "../src/chunkers/index.ts";
import { createEmbedder } from "../src/models/embedder/create-embedder.ts";
import { createHashingModel } from "../src/models/index.node.ts";
import { hashParts } from "../src/runtime/hash.ts";
import type { Chunk, TextDocument } from "../src/index.node.ts";
import type { SourceItem } from "../src/ingest/index.node.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { openFileSource } from "../src/ingest/index.node.ts";
import { createHtmlReader, createMarkdownReader } from "../src/readers/index.node.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { plainTextReader } from "../src/readers/text/plain-text-reader.ts";
import { readDocument } from "../src/readers/read-document.ts";

const [folder = "docs", roundsGiven = "5"] = process.argv.slice(2);
const rounds = Number(roundsGiven);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error("usage: bench/ingest.ts [folder] [rounds]: rounds is a whole number from 1");
const times = new Map<string, number[]>();

async function time<Value>(stage: string, work: () => Value | Promise<Value>): Promise<Value> {
  const started = performance.now();
  const value = await work();
  note(stage, performance.now() - started);
  return value;
}

function note(stage: string, ms: number): void {
  times.set(stage, [...(times.get(stage) ?? []), ms]);
}

/** A program that ingests the folder and prints the milliseconds, modules left out: those are the same. */
function firstThing(home: string): string {
  const source = (path: string): string => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href);
  return `(async () => {
    const { openKnowledgeBase } = await import(${source("index.node.ts")});
    const { createHashingModel } = await import(${source("models/index.node.ts")});
    const options = { models: { embedding: createHashingModel() } };
    const kb = await openKnowledgeBase(${JSON.stringify(join(home, "first"))}, options);
    const started = performance.now();
    await kb.ingest(${JSON.stringify(resolve(folder))});
    console.log(performance.now() - started);
    await kb.close();
  })()`;
}

async function runRound(): Promise<{ documents: number; chunks: number; bytes: number }> {
  const files = await time("read files", async () => {
    const found: { item: SourceItem; bytes: Uint8Array }[] = [];
    const source = openFileSource([resolve(folder)], { base: process.cwd() });
    for await (const item of source.items()) if (!("error" in item)) found.push({ item, bytes: await item.bytes() });
    return found;
  });

  const readers = [createMarkdownReader(), createHtmlReader(), plainTextReader];
  const documents = await time("parse", async () => {
    const parsed: TextDocument[] = [];
    for (const { item, bytes } of files) {
      const read = await readDocument(readers, { uri: item.uri, bytes }).catch(() => undefined);
      if (read === undefined) continue;
      parsed.push({
        type: "text",
        id: hashParts("deployment", item.uri),
        uri: item.uri,
        origin: "user-content",
        ...read,
      });
    }
    return parsed;
  });

  const chunker = createAutoChunker();
  const chunks: Chunk[] = await time("cut", () => documents.flatMap((document) => [...chunker.chunk(document)]));
  await time("analyse", () => {
    // In an ingestion a document's language is found once, and its chunks have it.
    for (const chunk of chunks) languageAnalyzer.analyze(chunk.text, "en");
  });
  const embedder = createEmbedder(createHashingModel(), { secret: new Uint8Array(32) });
  await time("embed", () => embedder.embed(chunks, { purpose: "document" }));

  await time("whole, in memory", async () => {
    // With this model nothing is fitted in the background, which would fall into the next stage.
    const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
    await kb.ingest(folder);
    await kb.close();
  });
  const home = await mkdtemp(join(tmpdir(), "ibid-bench-"));
  try {
    const kb = await openKnowledgeBase(join(home, "kb"), { models: { embedding: createHashingModel() } });
    const busy = performance.eventLoopUtilization();
    await time("whole, durable", () => kb.ingest(folder));
    note("of it busy", performance.eventLoopUtilization(busy).active);
    await time("again, unchanged", () => kb.ingest(folder));
    await kb.close();
    note("first, durable", Number(execFileSync(process.execPath, ["--eval", firstThing(home)])));
  } finally {
    await rm(home, { recursive: true });
  }
  return {
    documents: documents.length,
    chunks: chunks.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}

let size = await runRound();
times.clear();
for (let round = 0; round < rounds; round++) size = await runRound();
console.log(
  `${folder}: ${size.documents} documents, ${size.bytes} bytes, ${size.chunks} chunks; median of ${rounds}, ms`,
);
for (const [stage, all] of times) {
  const sorted = all.toSorted((a, b) => a - b);
  console.log(`${stage.padEnd(28)} ${(sorted[sorted.length >> 1] ?? 0).toFixed(0).padStart(6)}`);
}
