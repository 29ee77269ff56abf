// Passages, vectors and queries, the same every time, written once to a folder for every contestant to read.
import { createWriteStream, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { type Collection, readCollection, readItems } from "../beir.ts";

export const batchSize = 10_000;

/** SplitMix32: small, and good enough for data. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  };
}

function createGaussian(random: () => number): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

const clusters = 400;
/** Deviation of each coordinate from its cluster's centre, which has length 1. */
const spread = 0.03;

/** Unit vectors around 400 centres. Queries come from the same clusters, with another seed. */
async function writeVectors(path: string, count: number, dimensions: number, seed: number): Promise<void> {
  const shared = createGaussian(createRandom(1));
  const centres = Array.from({ length: clusters }, () => unit(Float64Array.from({ length: dimensions }, shared)));
  const random = createRandom(seed);
  const gaussian = createGaussian(random);
  const file = createWriteStream(`${path}.part`);
  for (let from = 0; from < count; from += batchSize) {
    const rows = Math.min(batchSize, count - from);
    const block = new Float32Array(rows * dimensions);
    for (let row = 0; row < rows; row++) {
      const centre = centres[Math.floor(random() * clusters)]!;
      block.set(unit(centre.map((value) => value + spread * gaussian())), row * dimensions);
    }
    if (!file.write(new Uint8Array(block.buffer))) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
  renameSync(`${path}.part`, path);
}

function unit(vector: Float64Array): Float64Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** Where texts come from: a collection with judged queries, and more texts of its kind. */
export interface Sources {
  readonly judged: Collection;
  readonly more: readonly string[];
}

/** `folder` holds `retrieval/vaswani`, `retrieval/cacm` and `docs`, as described in the README. */
export function readSources(folder: string): Sources {
  const judged = readCollection(join(folder, "retrieval", "vaswani"));
  const more = readItems(join(folder, "retrieval", "cacm", "corpus.jsonl")).map(
    ({ title = "", text }) => `${title} ${text}`,
  );
  for (const page of globSync("**/*.{md,mdx}", { cwd: join(folder, "docs") }).toSorted())
    more.push(...readFileSync(join(folder, "docs", page), "utf8").split(/\n\s*\n/u));
  return { judged, more: more.map((text) => text.replaceAll(/\s+/gu, " ").trim()).filter((text) => text.length > 80) };
}

/**
 * The judged collection's passages as they are, then as many more as are wanted. Each of those is three runs of 12 to
 * 28 words, each run from a text chosen at random. So words keep their frequencies and their neighbours, and no text
 * occurs twice.
 */
function* makePassages(sources: Sources, count: number): Generator<{ id: string; text: string; slot: number }> {
  const random = createRandom(5);
  const originals = sources.judged.corpus;
  const pool = [...originals.map(({ text }) => text), ...sources.more].map((text) => text.split(" "));
  const run = (): string => {
    const words = pool[Math.floor(random() * pool.length)]!;
    const length = 12 + Math.floor(random() * 17);
    const start = Math.floor(random() * Math.max(1, words.length - length));
    return words.slice(start, start + length).join(" ");
  };
  for (let i = 0; i < count; i++) {
    const original = originals[i];
    const text =
      original === undefined ? `${run()} ${run()} ${run()}` : `${original.title ?? ""} ${original.text}`.trim();
    yield { id: String(i), text, slot: Math.floor(random() * 1000) };
  }
}

export interface Data {
  readonly folder: string;
  readonly dimensions: number;
  readonly passages: string;
  readonly vectors: string;
  readonly queryTexts: string;
  readonly queryVectors: string;
  readonly queries: readonly { readonly text: string }[];
  /** By number of the query, the grade of each judged passage's id. */
  readonly judged: readonly ReadonlyMap<string, number>[];
}

/** Writes what is not there yet. */
export async function prepareData(folder: string, sources: Sources, count: number, dimensions: number): Promise<Data> {
  const passages = join(folder, "passages");
  mkdirSync(passages, { recursive: true });
  const last = join(passages, `${Math.ceil(count / batchSize) - 1}.jsonl`);
  if (!existsSync(last)) {
    let lines: string[] = [];
    let file = 0;
    for (const passage of makePassages(sources, Math.ceil(count / batchSize) * batchSize)) {
      lines.push(JSON.stringify(passage));
      if (lines.length < batchSize) continue;
      writeFileSync(join(passages, `${file++}.jsonl`), lines.join("\n"));
      lines = [];
    }
  }
  const vectors = join(folder, `vectors-${dimensions}-${Math.ceil(count / batchSize) * batchSize}.f32`);
  if (!existsSync(vectors)) await writeVectors(vectors, Math.ceil(count / batchSize) * batchSize, dimensions, 2);
  const { queries, judged, corpus } = sources.judged;
  const queryVectors = join(folder, `queries-${dimensions}-${queries.length}.f32`);
  if (!existsSync(queryVectors)) await writeVectors(queryVectors, queries.length, dimensions, 3);
  const queryTexts = join(folder, "queries.jsonl");
  writeFileSync(queryTexts, queries.map(({ text }) => JSON.stringify({ text })).join("\n"));
  const numbers = new Map(corpus.map(({ _id }, i) => [_id, String(i)]));
  return {
    folder,
    dimensions,
    passages,
    vectors,
    queryTexts,
    queryVectors,
    queries,
    judged: queries.map(
      ({ _id }) => new Map([...judged.get(_id)!].map(([document, grade]) => [numbers.get(document) ?? "", grade])),
    ),
  };
}
