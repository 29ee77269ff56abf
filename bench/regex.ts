// Worth and cost of the trigram index for a regex search: each pattern by looking at every chunk, and by the index.
//
//   npx node bench/regex.ts [folder of text files] [chunks]
//
// Documents of eight chunks are put together from lines of the folder's files, or from made-up words without one. 100,000 chunks by default, of some 900
// characters, in SQLite and without vectors. "First" is the search that makes the index. Times are of the processor, so that others on the machine do
// not count: the work is done by one thread.
import { searchPattern } from "../test/support/search-legs.ts";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createGate, operator } from "../src/access/gate.ts";
import { openSqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import type { Analyzer } from "../src/contracts/analyzer.ts";
import type { Chunk } from "../src/contracts/chunk.ts";
import type { DocumentWrite } from "../src/contracts/document-store.ts";
import type { Store } from "../src/contracts/store.ts";

const gate = createGate();
const into = gate.write(operator, "deployment");
const from = gate.read(operator, ["deployment"]);
const [folder, wanted = "100000"] = process.argv.slice(2);
/** Words are not what is measured. */
const silent: Analyzer = { fingerprint: "bench/none", analyze: () => [] };

/** Lehmer's generator: the same corpus every time. */
let seed = 7;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

function readLines(): string[] {
  if (folder !== undefined) {
    const files = globSync("**/*.{md,mdx,txt}", { cwd: folder }).toSorted();
    return files.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  }
  const syllables = ["ka", "ro", "ti", "mo", "sel", "an", "be", "du", "per", "no", "li", "ex", "ur", "tan"];
  const words = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + random(4) }, () => syllables[random(syllables.length)]).join(""),
  );
  return Array.from({ length: 20_000 }, (_, i) => {
    const line = Array.from({ length: 14 }, () => words[random(1 + random(words.length))]).join(" ");
    return i % 9 === 0 ? `${line} ${1900 + random(130)}-0${1 + random(9)}` : line;
  });
}

function toEntry(number: number, lines: readonly string[]): DocumentWrite {
  const id = `d${number}`;
  let text = "";
  const chunks: Chunk[] = [];
  for (let index = 0; index < 8; index++) {
    const start = text.length;
    while (text.length - start < 880) text += `${lines[random(lines.length)]!.slice(0, 400)}\n`;
    const urtext = text.slice(start);
    chunks.push({
      type: "text-chunk",
      id: `${((number * 8 + index) * 2654435761) % 4294967296}-${number}-${index}`,
      documentId: id,
      uri: `${id}.txt`,
      title: id,
      text: urtext,
      urtext,
      start,
      end: text.length,
      index,
      sectionId: "0",
      headings: [],
      metadata: {},
      origin: "user-content",
    });
  }
  return {
    document: {
      type: "text",
      id,
      uri: `${id}.txt`,
      title: id,
      mediaType: "text/plain",
      text,
      metadata: {},
      origin: "user-content",
      root: { id: "0", title: id, level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
      sourceMap: { lines: "text" },
    },
    chunks: chunks.map((chunk) => ({ chunk, embeddings: [] })),
    contentHash: id,
    metadataHash: "",
    fingerprint: "bench",
    bytes: text.length,
    folder: null,
  };
}

async function time(work: () => Promise<unknown>, runs: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const started = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
  }
  return times.toSorted((a, b) => a - b)[runs >> 1] ?? 0;
}

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 0).padStart(8);

const made = mkdtempSync(join(tmpdir(), "ibid-regex-"));
try {
  const path = join(made, "ibid.sqlite");
  const open = (sealAt?: number): Promise<Store> =>
    openSqliteStore(path, { analyzer: silent, ...(sealAt === undefined ? {} : { segments: { sealAt } }) });
  const lines = readLines();
  const writing = await open();
  const documents = Math.ceil(Number(wanted) / 8);
  let characters = 0;
  const written = await time(async () => {
    for (let i = 0; i < documents; i++) {
      const entry = toEntry(i, lines);
      characters += entry.bytes;
      await writing.replace(into, entry);
    }
    await writing.upkeep!.settle();
  }, 1);
  await writing.close();
  console.log(
    `${documents * 8} chunks, ${(characters / documents / 8).toFixed(0)} characters each; written in ${ms(written)} ms`,
  );
  const before = statSync(path).size;

  const patterns =
    folder === undefined
      ? ["karotimo", "ex\\w+ 20\\d\\d-0[1-3]", "(?:sel|per)anbe", "du?rope", "anan", "ka", "\\w+"]
      : [
          "OpenSearchDocumentStore\\(",
          "gpt-4o(?:-mini)?",
          "\\b20\\d\\d-\\d\\d",
          "def \\w+\\(self",
          "Err(?:or|atum)s?\\b",
          "[Zz]ebra",
          "pipeline",
          "the",
          "\\w+",
        ];

  // A store that never has enough for an index looks at every chunk.
  const scanning = await open(1e9);
  const scans = new Map<string, { time: number; found: unknown }>();
  for (const pattern of patterns) {
    let found: unknown;
    const took = await time(async () => (found = await searchPattern(scanning, from, { pattern })), 3);
    scans.set(pattern, { time: took, found });
  }
  await scanning.close();

  const indexed = await open();
  const first = await time(() => searchPattern(indexed, from, { pattern: patterns[0]! }), 1);
  await indexed.upkeep!.settle();
  const again = await time(() => searchPattern(indexed, from, { pattern: patterns[0]! }), 1);
  console.log(
    `first search ${ms(first)} ms, of which the index ${ms(first - again)} ms: ${(((first - again) * 1000) / documents / 8).toFixed(1)} µs a chunk`,
  );
  console.log(
    `\n${"pattern".padEnd(28)} ${"chunks".padStart(8)} ${"scan ms".padStart(8)} ${"index ms".padStart(8)} ${"ratio".padStart(8)}`,
  );
  for (const pattern of patterns) {
    const scan = scans.get(pattern)!;
    let found: unknown;
    const took = await time(async () => (found = await searchPattern(indexed, from, { pattern })), 5);
    if (JSON.stringify(found) !== JSON.stringify(scan.found))
      throw new Error(`The index changes what ${pattern} finds.`);
    const count = (await searchPattern(indexed, from, { pattern, topK: "all" })).length;
    console.log(
      `${pattern.padEnd(28)} ${String(count).padStart(8)} ${ms(scan.time)} ${ms(took)} ${(scan.time / took).toFixed(1).padStart(8)}`,
    );
  }
  await indexed.close();

  const database = new DatabaseSync(path, { readOnly: true });
  const row = database
    .prepare("SELECT count(*) AS parts, sum(length(data)) AS bytes FROM files WHERE name = 'trigrams'")
    .get()!;
  const text = Number(
    database.prepare("SELECT sum(length(CAST(text AS BLOB))) AS bytes FROM documents").get()!["bytes"],
  );
  database.close();
  const bytes = Number(row["bytes"]);
  console.log(
    `\nindex ${(bytes / documents / 8).toFixed(0)} bytes a chunk, ${((100 * bytes) / text).toFixed(1)} % of the text, in ${String(row["parts"])} parts; file ${(before / 1e6).toFixed(0)} MB before, ${(statSync(path).size / 1e6).toFixed(0)} MB after`,
  );
} finally {
  rmSync(made, { recursive: true });
}
