/**
 * Searches as of a time, beside searches of the present; and the bytes of former versions.
 *
 * Documents of ten chunks each are written, then every one is changed in one chunk. The bytes are those of the file after both, with history and without.
 *
 *     npx node bench/past.ts [--chunks 10000] [--vectors 384]
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";

const { values } = parseArgs({
  options: { chunks: { type: "string", default: "10000" }, vectors: { type: "string", default: "0" } },
});
const [chunks, dimensions] = [Number(values.chunks), Number(values.vectors)];
const perDocument = 10;

let state = 1;
const random = (below: number): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % below;
const syllables = "ba co di fu ga he ji ko lu mi no pa qui ro su ta ve wo xi yu za".split(" ");
const words = Array.from({ length: 4000 }, () =>
  Array.from({ length: 2 + random(2) }, () => syllables[random(syllables.length)]).join(""),
);
// Few words are frequent, as in a language.
const word = (): string => words[Math.floor(4000 * (random(1000) / 1000) ** 3)]!;
const sentence = (): string => `${Array.from({ length: 10 }, word).join(" ")}.`;
const chunk = (): string => Array.from({ length: 6 }, sentence).join(" ");
const vector = (): number[] => Array.from({ length: dimensions }, () => random(2000) / 1000 - 1);
const make = (text: string) => ({ text, ...(dimensions > 0 && { embedding: vector(), embeddingVersion: "given" }) });

const sizes: number[] = [];
for (const history of [false, true]) {
  state = 1;
  let now = Date.parse("2026-01-01T00:00:00Z");
  const folder = mkdtempSync(join(tmpdir(), "ibid-bench-"));
  const kb = await openKnowledgeBase(join(folder, "kb"), {
    models: { embedding: null },
    operations: { now: () => now, events: false },
    ...(history && { history }),
  });
  const documents = Array.from({ length: chunks / perDocument }, (_, i) => ({
    uri: `guide-${i}.md`,
    chunks: Array.from({ length: perDocument }, () => make(chunk())),
  }));
  await kb.ingest(documents, { settle: true });
  const then = new Date(now).toISOString();
  now += 86_400_000;
  const started = process.cpuUsage();
  await kb.ingest(
    documents.map(({ uri, chunks: own }) => ({ uri, chunks: [make(chunk()), ...own.slice(1)] })),
    { settle: true },
  );
  const { user, system } = process.cpuUsage(started);
  console.log(
    `${history ? "with" : "without"} history: changing every document takes ${Math.round((user + system) / 1000)} ms of processor`,
  );
  if (history) {
    now += 86_400_000;
    const ask = async (asOf?: string): Promise<number> => {
      const at = performance.now();
      await kb.search(`${word()} ${word()}`, { mode: "lexical", ...(asOf !== undefined && { asOf }) });
      return performance.now() - at;
    };
    const median = async (asOf?: string): Promise<string> => {
      const times: number[] = [];
      for (let i = 0; i < 50; i++) times.push(await ask(asOf));
      return times.toSorted((a, b) => a - b)[25]!.toFixed(2);
    };
    console.log(`the present: first ${(await ask()).toFixed(0)} ms, then ${await median()} ms`);
    const heap = process.memoryUsage().rss;
    console.log(`as of a time: first ${(await ask(then)).toFixed(0)} ms, then ${await median(then)} ms`);
    console.log(`memory grew by ${Math.round((process.memoryUsage().rss - heap) / 1_000_000)} MB`);
  }
  await kb.close();
  sizes.push(statSync(join(folder, "kb", "ibid.sqlite")).size);
  rmSync(folder, { recursive: true });
}
const [without = 0, kept = 0] = sizes;
console.log(
  `the file: ${without} bytes without former versions, ${kept} with one of each document: ${Math.round((kept - without) / (chunks / perDocument))} bytes a version`,
);
