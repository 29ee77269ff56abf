// Cost of the stores by themselves: writing documents one by one, sealing, opening again, and searching.
//
//   npx node bench/store.ts [folder of text files]
//
// Without a folder, 450 generated documents are written. Texts are cut every 1,200 characters; vectors are random.
import { searchPattern, searchVectors, searchWords } from "../test/support/search-legs.ts";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import { openSqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import type { Chunk } from "../src/contracts/chunk.ts";
import type { ChunkEntry, DocumentWrite } from "../src/contracts/document-store.ts";
import type { Store } from "../src/contracts/store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { defaultAnalyzer } from "../src/text/analyzer.ts";

const version = { provider: "bench", model: "random", dimensions: 256, fingerprint: "" };
const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);

/** Lehmer's generator: the same corpus every time. */
let seed = 7;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}

function readTexts(folder: string | undefined): { uri: string; text: string }[] {
  if (folder !== undefined) {
    return globSync("**/*.{md,mdx,txt}", { cwd: folder }).map((uri) => ({
      uri,
      text: readFileSync(join(folder, uri), "utf8"),
    }));
  }
  const word = (): string => `w${Math.floor(20_000 * random() * random() * random())}`;
  return Array.from({ length: 450 }, (_, i) => ({
    uri: `${i}.txt`,
    text: Array.from({ length: 1_900 }, word).join(" "),
  }));
}

function toEntry({
  uri,
  text,
}: {
  uri: string;
  text: string;
}): DocumentWrite & { readonly chunks: readonly ChunkEntry[] } {
  const root = { id: "0", title: uri, level: 0, start: 0, end: text.length, contentStart: 0, children: [] };
  const metadata = { fileName: uri };
  const entries = [];
  for (let start = 0, index = 0; start < text.length; start += 1_200, index++) {
    const urtext = text.slice(start, start + 1_200);
    const chunk: Chunk = {
      type: "text-chunk",
      id: `${uri}#${index}`,
      documentId: uri,
      uri,
      title: uri,
      text: urtext,
      urtext,
      start,
      end: start + urtext.length,
      index,
      sectionId: "0",
      headings: [],
      metadata,
      origin: "user-content",
    };
    entries.push({
      chunk,
      embeddings: [{ version, embedding: Float32Array.from({ length: 256 }, () => random() - 0.5) }],
    });
  }
  return {
    document: {
      type: "text",
      id: uri,
      uri,
      title: uri,
      mediaType: "text/plain",
      text,
      metadata,
      origin: "user-content",
      root,
      sourceMap: { lines: "text" },
    },
    chunks: entries,
    contentHash: uri,
    metadataHash: "",
    fingerprint: "bench",
    bytes: text.length,
    folder: null,
  };
}

async function time<Result>(label: string, work: () => Promise<Result> | Result, runs = 1): Promise<Result> {
  const times: number[] = [];
  let result: Result | undefined;
  for (let i = 0; i < runs; i++) {
    const started = performance.now();
    result = await work();
    times.push(performance.now() - started);
  }
  const median = times.toSorted((a, b) => a - b)[runs >> 1] ?? 0;
  console.log(
    `${label.padEnd(52)} ${median.toFixed(median < 10 ? 2 : 0).padStart(8)} ms${runs > 1 ? ` (median of ${runs})` : ""}`,
  );
  return result as Result;
}

async function write(store: Store, entries: readonly DocumentWrite[]): Promise<void> {
  for (const entry of entries) await store.replace(into, entry);
  await store.upkeep!.settle();
}

async function search(name: string, store: Store): Promise<void> {
  const embedding = Float32Array.from({ length: 256 }, () => random() - 0.5);
  const text = "how do I create an agent with tools and w1 w20 w300 memory";
  await time(`${name}: first lexical search`, () => searchWords(store, from, { text, topK: 5 }));
  await time(`${name}: lexical search`, () => searchWords(store, from, { text, topK: 5 }), 50);
  await time(`${name}: first dense search`, () => searchVectors(store, from, { embedding, version, topK: 5 }));
  await time(`${name}: dense search`, () => searchVectors(store, from, { embedding, version, topK: 5 }), 50);
  const filter = { op: "endsWith", key: "fileName", value: "x" } as const;
  await time(`${name}: first filtered lexical search`, () => searchWords(store, from, { text, topK: 5, filter }));
  await time(`${name}: filtered lexical search`, () => searchWords(store, from, { text, topK: 5, filter }), 50);
  await time(`${name}: regex search`, () => searchPattern(store, from, { pattern: "w1[0-9]+ |agents?\\b", topK: 5 }));
}

const entries = readTexts(process.argv[2]).map(toEntry);
const chunks = entries.flatMap((entry) => entry.chunks.map(({ chunk }) => chunk));
console.log(
  `Node ${process.versions.node}, SQLite ${process.versions["sqlite"]}: ${entries.length} documents, ${chunks.length} chunks`,
);
await time("analysing alone (part of every write below)", () =>
  chunks.forEach(({ text }) => defaultAnalyzer.analyze(text)),
);
await time("memory: write", () => write(createMemoryStore(), entries));
const memory = createMemoryStore();
await time("memory: write again, warm", () => write(memory, entries));
await search("memory", memory);

const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));
try {
  const path = join(folder, "ibid.sqlite");
  const store = await time("sqlite: open new", () => openSqliteStore(path));
  await time("sqlite: write", () => write(store, entries));
  await search("sqlite", store);
  await time("sqlite: the same again", () => write(store, entries));
  await time("sqlite: close", () => store.close());
  console.log(`sqlite: file ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  const again = await time("sqlite: open", () => openSqliteStore(path));
  await search("sqlite, opened again", again);
  await time("sqlite: status", () => again.status(from));
  await again.close();
} finally {
  rmSync(folder, { recursive: true });
}
