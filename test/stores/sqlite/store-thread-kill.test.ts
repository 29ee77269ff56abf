import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runsAll } from "../../support/runs.ts";
import { searchPattern, searchWords } from "../../support/search-legs.ts";
import { collect, read } from "../build.ts";
import { largeWorks, openLarge } from "./large-works.ts";

type Work = Exclude<keyof typeof largeWorks, "begin">;

const from = read("deployment");
const base = mkdtempSync(join(tmpdir(), "ibid-thread-kill-"));
const begun = join(base, "begun");
afterAll(() => rmSync(base, { recursive: true }));

let copies = 0;
function copyOf(folder: string): string {
  const copy = join(base, String(copies++));
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Everything that searches and lists tell of the store in a folder. */
async function stateOf(folder: string): Promise<unknown> {
  const store = await openLarge(folder);
  try {
    const { matches } = await searchWords(store, from, { text: "oak yew number7", topK: "all" });
    return {
      chunks: (await store.status(from)).chunks,
      documents: (await collect(store.documents(from))).map(({ id, contentHash, chunks }) => [id, contentHash, chunks]),
      words: matches.map(({ chunk, score }) => [chunk.id, chunk.urtext, score]),
      pattern: (await searchPattern(store, from, { pattern: "number7[0-9]", topK: "all" })).map(
        ({ chunk }) => chunk.id,
      ),
    };
  } finally {
    await store.close();
  }
}

/** Does a work in a process of its own. **Shape** the signal that ended it; `null` where it came to its end. */
async function run(folder: string, work: Work, dieIn: string): Promise<NodeJS.Signals | null> {
  const preload = pathToFileURL(join(import.meta.dirname, "die-in-thread.ts"));
  const child = fork(join(import.meta.dirname, "large-works-child.ts"), [folder, work], {
    execArgv: [],
    env: { ...process.env, DIE_IN: dieIn, NODE_OPTIONS: `--import ${preload.href}` },
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (signal === null && code !== 0) throw new Error(`The process ended with ${code}.`);
  return signal;
}

async function makeAfter(work: Work): Promise<unknown> {
  const folder = copyOf(begun);
  const store = await openLarge(folder);
  await largeWorks[work](store);
  await store.close();
  return stateOf(folder);
}

const states = new Map<Work, Promise<unknown>>();
/** The state that an undisturbed work leaves. */
function stateAfter(work: Work): Promise<unknown> {
  let state = states.get(work);
  if (state === undefined) states.set(work, (state = makeAfter(work)));
  return state;
}

beforeAll(async () => {
  const store = await openLarge(begun);
  await largeWorks.begin(store);
  await store.close();
});

/** The works with the transactions of the thread in which the process dies, and whether the change is there then. */
const cases: readonly (readonly [work: Work, dieIn: string, isDone: boolean, inEveryRun?: boolean])[] = [
  ["replace", "1 in 2", false],
  ["replace", "1 in 900", false, true],
  ["replace", "1 before", false],
  ["replace", "1 after", true],
  ["purge", "1 in 900", false],
  ["purge", "1 before", false],
  ["purge", "1 after", true, true],
  ["purge", "2 in 1", true],
  ["purge", "2 before", true],
  ["hide", "1 in 900", false],
  ["hide", "1 after", true],
  // Sealing, merging and fitting change nothing that these searches tell.
  ["settle", "1 in 3", false],
  ["settle", "1 before", false],
  ["settle", "2 before", false],
  ["settle", "3 before", false],
  ["settle", "4 before", false],
];

describe("a process that is killed in a transaction of a store's thread", () => {
  const chosen = cases.filter(([, , , inEveryRun]) => runsAll || inEveryRun === true);
  it.for(chosen)("has done a %s wholly or not at all: %s [L8]", async ([work, dieIn, isDone]) => {
    const folder = copyOf(begun);
    expect(await run(folder, work, dieIn)).toBe("SIGKILL");
    const after = await stateAfter(work);
    expect(await stateOf(folder)).toEqual(isDone ? after : await stateOf(begun));
    // Done once more, the work ends as if nothing had happened.
    expect(await run(folder, work, "")).toBeNull();
    expect(await stateOf(folder)).toEqual(after);
  });
});
