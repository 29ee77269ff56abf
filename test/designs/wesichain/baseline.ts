import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Hit, openKnowledgeBase } from "ibid";
import { createWindowChunker } from "ibid/chunkers";
import { createHashingModel, type EmbeddingModel } from "ibid/models";
import { all } from "../kit.ts";

/** The same work for both sides: what is cut, embedded, indexed and asked. */
export interface Work {
  readonly texts: readonly string[];
  readonly queries: readonly string[];
  /** Length of a window. **Units** code points. */
  readonly size: number;
  readonly overlap: number;
  readonly dimensions: number;
  readonly topK: number;
}

/** The outcome of one side. Digests are of all chunks and of all vectors, so that equal ones show that both did the same. */
export interface Done {
  readonly by: string;
  readonly chunks: number;
  readonly texts: string;
  readonly vectors: string;
  /** For each query the numbers of the chunks, best first, with their cosines. */
  readonly hits: readonly (readonly (readonly [chunk: number, score: number])[])[];
  /** Indexing cuts, embeds and stores; a query is embedded and searched (the median). */
  readonly ms: Readonly<Record<"embedding" | "indexing" | "processor" | "query", number>>;
  /** Resident bytes. */
  readonly memory: Readonly<Record<"before" | "after", number>>;
}

const words = ["heron", "wren", "otter", "weir", "reeds", "café", "water", "evening", "🦆", "stone", "bridge", "waits"];

/** Work without chance: each text holds its number, so that no two windows are equal. */
export function createWork(documents: number, queries: number): Work {
  let state = 1;
  const word = (): string => words[(state = (state * 48_271) % 2_147_483_647) % words.length]!;
  const texts = Array.from({ length: documents }, (_, i) =>
    Array.from({ length: 48 }, (_one, k) => (k % 12 === 0 ? `${i}-${k}` : word())).join(" "),
  );
  return {
    texts,
    queries: Array.from({ length: queries }, (_, i) => `${word()} ${word()} of text ${i}`),
    size: 160,
    overlap: 40,
    dimensions: 64,
    topK: 10,
  };
}

/** Runs one side in a process of its own. **Errors** a process that is not there or fails. */
export async function runSide(side: "ibid" | "python", work: Work): Promise<Done> {
  const own = fileURLToPath(import.meta.url);
  const [command, args] =
    side === "ibid"
      ? [process.execPath, ["--disable-warning=ExperimentalWarning", own]]
      : [process.env["PYTHON"] ?? "python3", [own.replace(/\.ts$/u, ".py")]];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (error) => reject(new Error(`${command} is needed for the comparison: ${error.message}`)));
  });
  child.stdin.end(JSON.stringify(work));
  return JSON.parse(await Promise.race([text(child.stdout), failed])) as Done;
}

async function runHere({ texts, queries, size, overlap, dimensions, topK }: Work): Promise<Done> {
  const model = createHashingModel({ variant: "fnv", dimensions });
  let embedding = 0;
  const timed: EmbeddingModel = {
    ...model,
    embed: async (...call) => {
      const started = performance.now();
      const made = await model.embed(...call);
      embedding += performance.now() - started;
      return made;
    },
  };
  const kb = await openKnowledgeBase({
    models: { embedding: timed, embedNames: false },
    chunker: createWindowChunker({ size, overlap }),
  });
  const memory = { before: process.memoryUsage().rss, after: 0 };
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  const { failures } = await kb.ingest(
    texts.map((each, i) => ({ uri: String(i), text: each })),
    { settle: true },
  );
  if (failures.length > 0) throw failures[0]!.error;
  const { user, system } = process.cpuUsage(cpu);
  const ms = { embedding, indexing: performance.now() - started, processor: (user + system) / 1000, query: 0 };
  memory.after = process.memoryUsage().rss;
  const times: number[] = [];
  const found: (readonly Hit[])[] = [];
  for (const query of queries) {
    const asked = performance.now();
    found.push(await kb.search(query, { mode: "dense", topK, minScore: -1 }));
    times.push(performance.now() - asked);
  }
  const placeOf = ({ chunk }: (typeof stored)[number]): number => Number(chunk.uri) * 1e6 + chunk.start;
  const stored = await all(kb.chunks({ includeEmbeddings: true }));
  stored.sort((a, b) => placeOf(a) - placeOf(b));
  await kb.close();
  const numbers = new Map(stored.map(({ chunk }, i) => [chunk.id, i]));
  const vectors = createHash("sha256");
  for (const { embeddings = [] } of stored)
    vectors.update(new Uint8Array(Float32Array.from(embeddings[0]!.embedding as Float32Array).buffer));
  return {
    by: `ibid, Node ${process.versions.node}`,
    chunks: stored.length,
    texts: createHash("sha256")
      .update(stored.map(({ chunk }) => chunk.text).join("\0"))
      .digest("hex"),
    vectors: vectors.digest("hex"),
    hits: found.map((hits) => hits.map(({ chunkId, score }) => [numbers.get(chunkId)!, score] as const)),
    ms: { ...ms, query: times.toSorted((a, b) => a - b)[times.length >> 1]! },
    memory,
  };
}

if (import.meta.main) console.log(JSON.stringify(await runHere(JSON.parse(await text(process.stdin)) as Work)));
