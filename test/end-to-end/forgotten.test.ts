import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { blankBytes, expandAll } from "../support/on-disk.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { createLineChunker } from "../../src/chunkers/index.ts";
import { openKnowledgeBase, type OpenOptions } from "../../src/index.node.ts";
import { openIngestionQueue } from "../../src/ingest/index.node.ts";
import { createEmbeddingCache } from "../../src/models/index.node.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import { hashParts } from "../../src/runtime/hash.ts";
import { runsAll } from "../support/runs.ts";

let folder = "";
let location = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-forgotten-"));
  location = join(folder, "kb");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Letters that nothing else has: a word of one text, twenty characters long. */
const ownWord = (name: string): string =>
  hashParts("forgotten", name)
    .slice(0, 20)
    .replace(/\d/gu, (digit) => "ghijklmnop"[Number(digit)]!);

const secret = { title: ownWord("title"), note: ownWord("note"), heading: ownWord("heading") };
const uri = `${ownWord("uri")}.md`;

/** Longer than one row may be, with a word of its own at its end. */
const bigUri = `${ownWord("big-uri")}.txt`;
const bigText = `${"The heron waits by the water.\n".repeat(40_000)}It is called ${ownWord("big")}.`;

/** What is asked for and never becomes a document: nobody can read it. */
const deadUri = `${ownWord("dead-uri")}.pdf`;
const deadBytes = new TextEncoder().encode(`%PDF-1.7 ${ownWord("dead")}`);

/** Long enough for pages of its own, and each edition with words of its own. */
function secretText(edition: number): string {
  const paragraphs = Array.from(
    { length: 60 },
    (_, i) =>
      `The heron ${ownWord(`${edition}.${i}`)} stands by the water, and ${ownWord(`${edition}.${i}.b`)} with it.`,
  );
  return `# ${secret.heading}\n\n${paragraphs.join("\n\n")}\n`;
}

const wordsOf = (text: string): readonly string[] => text.match(/\b[a-z]{20}\b/gu) ?? [];
const forgotten = [
  ...Object.values(secret),
  ...[uri, bigUri, bigText.slice(-40), deadUri, ownWord("dead")].flatMap(wordsOf),
  ...[0, 1, 2].flatMap((edition) => wordsOf(secretText(edition))),
];

const runsOf = (word: string): readonly string[] =>
  Array.from({ length: Math.max(0, word.length - 7) }, (_, at) => word.slice(at, at + 8));
const runs = new Map(forgotten.flatMap((word) => runsOf(word).map((run) => [run, word] as const)));

/** Every file of the knowledge base, its logs included, by which of the words it has a run of eight characters of. */
function tracesIn(place: string): Readonly<Record<string, readonly string[]>> {
  const traces: Record<string, readonly string[]> = {};
  for (const name of readdirSync(place, { recursive: true, encoding: "utf8" })) {
    const bytes = readFileSync(join(place, name));
    const letters = [bytes, ...expandAll(bytes)].flatMap((each) => each.toString("latin1").match(/[a-z]{8,}/gu) ?? []);
    const found = new Set(letters.flatMap(runsOf).flatMap((run) => runs.get(run) ?? []));
    if (found.size > 0) traces[name] = [...found];
  }
  return traces;
}

/** So many lines, each a chunk, that segments are sealed, the store's own model fitted and trigrams kept. */
const others = Array.from({ length: 4 }, (_, i) => ({
  uri: `${i}.md`,
  text: Array.from(
    { length: 600 },
    (_line, p) => `The heron number${p} waits, a stork follows to meadow ${p % 9}.`,
  ).join("\n"),
}));

const chunker = createLineChunker({ maxTokens: 40 });

const model = (name: string): EmbeddingModel =>
  createFixedEmbeddingModel({}, { model: name, dimensions: 3, otherwise: (text) => [text.length % 7, 1, name.length] });

const input = (edition: number) => ({
  uri,
  text: secretText(edition),
  title: secret.title,
  metadata: { note: secret.note },
});

/** Ingested, ingested anew, asked for again in the queue, searched in every way. */
async function live(kb: KnowledgeBase): Promise<void> {
  await kb.ingest(others);
  await kb.ingest({ uri: bigUri, text: bigText });
  await kb.ingest(input(0));
  await kb.ingest(input(1));
  // A dead letter.
  const worker = await openIngestionQueue(kb, location, { retry: { attempts: 1 } });
  const dead = await worker.enqueueWhenRoom({ uri: deadUri, bytes: deadBytes });
  expect(await worker.done(dead)).toMatchObject({ state: "failed" });
  await worker.close();
  // A wish that waits.
  const queue = await openIngestionQueue(kb, location, { concurrency: 0 });
  expect(await queue.enqueue(input(2))).toBeTypeOf("string");
  await queue.close();
  for (const mode of ["hybrid", "lexical", "regex"] as const) await kb.search(secret.heading, { mode });
  expect((await kb.search(ownWord("1.3"), { mode: "lexical" })).length).toBeGreaterThan(0);
  expect((await kb.status()).chunks).toBeGreaterThan(1024);
}

/** What the doctor finds, but for what is being embedded anew at the moment. */
async function findings(kb: KnowledgeBase): Promise<readonly string[]> {
  const { findings: found } = await kb.doctor({ absent: forgotten });
  return [...new Set(found.map(({ kind }) => kind))].filter((kind) => kind !== "stale-version");
}

/** The dead letter: there is no document to delete. */
async function forgetDeadLetter(kb: KnowledgeBase): Promise<void> {
  const queue = await openIngestionQueue(kb, location, { concurrency: 0 });
  expect(await queue.status(queue.idOf(deadUri))).toMatchObject({ state: "failed" });
  expect(await kb.delete(deadUri, { purge: true })).toEqual([]);
  expect(await queue.as({ userId: "ada" }).forget(deadUri, { scope: "deployment" })).toEqual({ jobs: 0 });
  expect(await queue.forget(deadUri)).toEqual({ jobs: 1 });
  expect(await queue.forget(deadUri)).toEqual({ jobs: 0 });
  await queue.close();
}

async function isForgotten(kb: KnowledgeBase): Promise<void> {
  expect(tracesIn(location)).toEqual({});
  expect(await findings(kb)).toEqual([]);
  expect(await kb.document(uri)).toBeUndefined();
  // Nor does it come back from the queue.
  const queue = await openIngestionQueue(kb, location);
  expect(await queue.status(queue.idOf(uri))).toBeUndefined();
  await queue.drained();
  await queue.close();
  expect(await kb.search(secret.heading, { mode: "lexical" })).toEqual([]);
}

const kinds: readonly { readonly name: string; readonly options: () => OpenOptions; readonly reembeds: boolean }[] = [
  { name: "a model of its own", options: () => ({ chunker }), reembeds: false },
  {
    name: "a model that is being changed",
    options: () => ({ chunker, models: { embedding: model("old"), cache: createEmbeddingCache() } }),
    reembeds: true,
  },
];

const tables = (reembeds: boolean): readonly string[] => [
  "jobs WHERE state = 'queued' AND bytes IS NOT NULL",
  "segments",
  "files WHERE name = 'trigrams'",
  "text_parts",
  "jobs WHERE state = 'failed' AND bytes IS NOT NULL",
  ...(reembeds ? [] : ["fits"]),
];

function countRows(table: string): number {
  const database = new DatabaseSync(join(location, "ibid.sqlite"), { readOnly: true });
  const { count } = database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
  database.close();
  return count;
}

describe.each(kinds)("a document that is purged from a knowledge base with $name", ({ options, reembeds }) => {
  /** Lived in once; each test has a copy. */
  let lived = "";
  beforeAll(async () => {
    lived = mkdtempSync(join(tmpdir(), "ibid-lived-"));
    location = join(lived, "kb");
    let kb = await openKnowledgeBase(location, options());
    await live(kb);
    // Sealed and fitted when it is closed, and indexed for patterns when one is looked for.
    await kb.close();
    kb = await openKnowledgeBase(location, options());
    await kb.search(secret.heading, { mode: "regex" });
    await kb.close();
  });
  afterAll(() => rmSync(lived, { recursive: true }));

  async function open(): Promise<KnowledgeBase> {
    cpSync(join(lived, "kb"), location, { recursive: true });
    expect(tables(reembeds).filter((table) => countRows(table) === 0)).toEqual([]);
    if (!reembeds) return openKnowledgeBase(location, options());
    const next = await openKnowledgeBase(location, {
      chunker,
      models: { embedding: model("newer"), formerEmbeddings: [model("old")] },
    });
    // Broken off half way: both models have vectors of it.
    for await (const event of next.reembed({ batchSize: 16 })) if (event.type === "reembedded") break;
    return next;
  }

  it("is in no byte of any file: rows, postings, trigrams, fits, jobs, events, logs [L8 T9 T15]", async () => {
    const kb = await open();
    expect(Object.values(tracesIn(location)).flat()).toEqual(expect.arrayContaining(Object.values(secret)));
    await forgetDeadLetter(kb);
    expect(await kb.delete(uri, { purge: true })).toMatchObject([{ uri }]);
    expect(await kb.delete(bigUri, { purge: true })).toMatchObject([{ uri: bigUri }]);
    await isForgotten(kb);
    expect(countRows("text_parts WHERE document NOT IN (SELECT key FROM documents)")).toBe(0);
    // Compressed bytes that no row leads to would not be recognised: there are none, once the file is not copied amid a checkpoint of the store's thread.
    await expect.poll(() => blankBytes(join(location, "ibid.sqlite"))).toEqual({ gaps: 0, free: 0 });
    await kb.close();
    expect(tracesIn(location)).toEqual({});
  });

  if (reembeds && !runsAll) return;
  it("nor after a delete and a vacuum, nor after a reset [L8 T14 T15]", async () => {
    const kb = await open();
    await kb.delete(uri);
    await kb.delete(bigUri);
    await forgetDeadLetter(kb);
    await kb.vacuum({ olderThanMs: 0 });
    await isForgotten(kb);
    await kb.ingest([input(0), { uri: bigUri, text: bigText }], { scope: "team:herons" });
    await kb.reset("team:herons");
    await isForgotten(kb);
    await kb.close();
  });

  it("is told to be pending while a reader holds the log, and is gone when that has ended [L8]", async () => {
    const kb = await open();
    const reader = new DatabaseSync(join(location, "ibid.sqlite"));
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM chunks").get();
    expect(await kb.delete(uri, { purge: true })).toMatchObject([{ uri, pending: true }]);
    expect(await kb.delete(bigUri, { purge: true })).toMatchObject([{ uri: bigUri, pending: true }]);
    const queue = await openIngestionQueue(kb, location, { concurrency: 0 });
    expect(await queue.forget(deadUri)).toEqual({ jobs: 1, pending: true });
    await queue.close();
    expect(await kb.search(secret.heading, { mode: "lexical" })).toEqual([]);
    expect(Object.keys(tracesIn(location)).length).toBeGreaterThan(0);
    expect(await findings(kb)).toEqual(["trace", "unfinished-purge"]);
    reader.close();
    await kb.close();
    const next = await openKnowledgeBase(location, options());
    expect(tracesIn(location)).toEqual({});
    await next.close();
  });
});

it("no file keeps a hash by which a purged uri could be guessed [L8 L10]", async () => {
  const hashes = (scope: string, name: string): readonly Buffer[] => {
    const hex = hashParts(scope, name);
    return [Buffer.from(hex), Buffer.from(hex.toUpperCase()), Buffer.from(hex, "hex"), Buffer.from(btoa(hex))];
  };
  const filesWith = (needles: readonly Buffer[]): readonly string[] =>
    readdirSync(location, { encoding: "utf8" }).filter((name) => {
      const bytes = readFileSync(join(location, name));
      return needles.some((needle) => bytes.includes(needle));
    });
  const kb = await openKnowledgeBase(location, { operations: { events: true } });
  const queue = await openIngestionQueue(kb, location);
  await kb.ingest({ uri, text: secretText(0) });
  // One that fails before it is a document, and one that goes through the queue.
  await kb.ingest({ uri: deadUri, bytes: deadBytes });
  await queue.enqueue({ uri: "queued.md", text: "Another text." });
  await queue.drained();
  await kb.search("heron");
  await queue.close();
  await kb.close();
  const names = [uri, deadUri, "queued.md"].flatMap((name) => hashes("deployment", name));
  expect(filesWith(names)).not.toEqual([]);
  const again = await openKnowledgeBase(location, { operations: { events: true } });
  const jobs = await openIngestionQueue(again, location);
  for (const name of [uri, deadUri, "queued.md"]) {
    await again.delete(name, { purge: true });
    await jobs.forget(name);
  }
  await jobs.close();
  await again.close();
  expect(filesWith(names)).toEqual([]);
});
