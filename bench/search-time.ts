// Measures the processor time of the same searches here and in another checkout, in turns. Each checkout runs in a process of its own.
//
//   npx node bench/search-time.ts --against <checkout> [--data <folder in BEIR's layout>] [--documents 4000] [--rounds 40] [--only lexical,regex] [--top-k 5,10,100] [--words-alone] [--base <folder of a knowledge base>] [--warming 20]
//
// Each process ingests the collection into SQLite, settles it, and answers every question once per turn. With --base, both open that knowledge base instead. The order of the two alternates. A ratio is this
// checkout's time over the other's, as the median over turns and of the sums of all turns. The system counts processor time in steps of some milliseconds, so
// few turns say little. "hits differ" names modes whose hits, order or scores differ. With --words-alone, names of documents and headings count for nothing
// here, as in older checkouts.
import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { openKnowledgeBase } from "../src/index.node.ts";
import { readItems } from "./beir.ts";

interface Work {
  readonly mode: string;
  readonly topK: number;
}

interface Turn {
  /** Milliseconds of the processor, a question. */
  readonly processor: number;
  readonly clock: number;
  readonly hits: string;
}

const patterns = ["nois\\w+ amplif", "transistor", "wave.?guide", "[0-9]{2,}", "the \\w+ of a \\w+ tube"];
const { values } = parseArgs({
  options: {
    against: { type: "string" },
    data: { type: "string" },
    documents: { type: "string", default: "4000" },
    rounds: { type: "string", default: "40" },
    only: { type: "string", default: "lexical,regex,pattern,hybrid,dense" },
    "top-k": { type: "string", default: "5,10" },
    "words-alone": { type: "boolean", default: false },
    base: { type: "string" },
    // Turns before those that count: the compiler and the caches take about 2,000 searches to settle.
    warming: { type: "string", default: "20" },
    serve: { type: "string" },
  },
});
const warming = Number(values.warming);

function makeTexts(): { readonly texts: readonly string[]; readonly questions: readonly string[] } {
  const documents = Number(values.documents);
  if (values.data !== undefined) {
    return {
      texts: readItems(join(values.data, "corpus.jsonl"))
        .map(({ text }) => text)
        .filter((text) => text.trim() !== "")
        .slice(0, documents),
      questions: readItems(join(values.data, "queries.jsonl")).map(({ text }) => text),
    };
  }
  const words =
    "noise amplifier signal wave guide tube field current circuit measure filter antenna transistor of the a in".split(
      " ",
    );
  let state = 7;
  const say = (count: number): string =>
    Array.from({ length: count }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 3 === 0 ? `w${state % 5000}` : words[state % words.length]!;
    }).join(" ");
  return {
    texts: Array.from({ length: documents }, () => say(40)),
    questions: Array.from({ length: 93 }, () => say(6)),
  };
}

async function serve(checkout: string): Promise<void> {
  const entry = ["src/index.node.ts", "src/node.ts"]
    .map((path) => join(checkout, path))
    .find((path) => existsSync(path));
  if (entry === undefined) throw new Error(`${checkout} has no entry for Node.`);
  const library = (await import(pathToFileURL(entry).href)) as { openKnowledgeBase: typeof openKnowledgeBase };
  const folder = values.base ?? mkdtempSync(join(tmpdir(), "ibid-search-time-"));
  const { texts, questions } = makeTexts();
  const open = (options: object) => library.openKnowledgeBase(folder, options);
  // Older checkouts know the option by its former place.
  const search = values["words-alone"] ? { bm25: { fileWeight: 0, naming: 0, document: 0, heading: 0 } } : {};
  const kb = await open({ operations: { events: false }, search }).catch(() => open({ events: false }));
  if (values.base === undefined) {
    await kb.ingest(
      texts.map((text, i) => ({ uri: `t${i}`, text })),
      { settle: true },
    );
  }
  process.on("message", async ({ mode, topK }: Work) => {
    const asked = mode === "regex" ? patterns : mode === "pattern" ? questions.slice(0, 10) : questions;
    const hash = createHash("sha256");
    const options = mode === "pattern" ? ({ topK, pattern: patterns[0]! } as const) : { topK, mode: mode as "lexical" };
    const started = process.threadCpuUsage();
    const clock = performance.now();
    for (const question of asked) {
      const hits = await kb.search(question, options);
      hash.update(JSON.stringify(hits.map(({ source, score }) => [source.uri, source.start, score])));
    }
    const { user, system } = process.threadCpuUsage(started);
    process.send!({
      processor: (user + system) / 1000 / asked.length,
      clock: (performance.now() - clock) / asked.length,
      hits: hash.digest("hex"),
    } satisfies Turn);
  });
  process.on("disconnect", () => {
    void kb.close().then(() => {
      if (values.base === undefined) rmSync(folder, { recursive: true });
      process.exit();
    });
  });
  process.send!("ready");
}

function hear<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((take, fail) => {
    const end = (code: number | null): void => fail(new Error(`A process ended with ${code}.`));
    child.once("exit", end);
    child.once("message", (message) => {
      child.off("exit", end);
      take(message as Message);
    });
  });
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

async function compare(against: string): Promise<void> {
  const here = fileURLToPath(new URL("..", import.meta.url));
  const children = [here, resolve(against)].map((checkout) =>
    fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), "--serve", checkout]),
  );
  await Promise.all(children.map((child) => hear(child)));
  console.log("mode     topK   here ms  other ms   ratio (quartiles)      of the sums");
  for (const mode of values.only.split(",")) {
    for (const topK of values["top-k"].split(",").map(Number)) {
      const ask = async (child: ChildProcess): Promise<Turn> => {
        const answer = hear<Turn>(child);
        child.send({ mode, topK } satisfies Work);
        return answer;
      };
      const turns: { readonly mine: Turn; readonly theirs: Turn }[] = [];
      const [one, other] = children as [ChildProcess, ChildProcess];
      for (let round = -warming; round < Number(values.rounds); round++) {
        let [mine, theirs] = [undefined, undefined] as [Turn | undefined, Turn | undefined];
        if (round % 2 === 0) mine = await ask(one);
        theirs = await ask(other);
        mine ??= await ask(one);
        if (round >= 0) turns.push({ mine, theirs });
      }
      const ratios = turns.map(({ mine, theirs }) => mine.processor / theirs.processor).toSorted((a, b) => a - b);
      const quartile = (share: number): string => ratios[Math.floor(share * (ratios.length - 1))]!.toFixed(2);
      const time = (of: (turn: (typeof turns)[number]) => Turn): string =>
        median(turns.map((turn) => of(turn).processor)).toFixed(3);
      const sum = (of: (turn: (typeof turns)[number]) => Turn): number =>
        turns.reduce((total, turn) => total + of(turn).processor, 0);
      const sums = (sum(({ mine }) => mine) / sum(({ theirs }) => theirs)).toFixed(3);
      const differ = turns.some(({ mine, theirs }) => mine.hits !== theirs.hits) ? "  hits differ" : "";
      console.log(
        `${mode.padEnd(8)} ${String(topK).padStart(4)} ${time(({ mine }) => mine).padStart(9)} ${time(({ theirs }) => theirs).padStart(9)}   ${median(ratios).toFixed(3)} (${quartile(0.25)} to ${quartile(0.75)})   ${sums.padStart(8)}${differ}`,
      );
    }
  }
  for (const child of children) child.disconnect();
}

if (values.serve !== undefined) await serve(values.serve);
else if (values.against !== undefined) await compare(values.against);
else {
  console.error("usage: npx node bench/search-time.ts --against <checkout> [--data <folder>]");
  process.exitCode = 2;
}
