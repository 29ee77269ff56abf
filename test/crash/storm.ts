import { fork } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openConnection } from "../../src/adapters/sqlite/sqlite-connection.ts";
import { createSqliteDirectory } from "../../src/adapters/sqlite/sqlite-directory.ts";
import type { KnowledgeStore } from "../../src/contracts/knowledge-store.ts";
import { collect, read, system } from "../stores/build.ts";
import {
  createRandom,
  expectAfter,
  makeDocument,
  makeOperations,
  openStore,
  type Operation,
  ownWord,
  perform,
  stateOf,
  timeOf,
} from "./workload.ts";

export interface StormOptions {
  readonly kills: number;
  readonly seed: number;
  /** Operations of one run, after which its end state is held against an undisturbed one. */
  readonly length: number;
  /** Called after every kill. */
  readonly onKill?: (report: StormReport) => void;
}

export interface StormReport {
  /** How often a process died where: at random moments by what it had passed last, at failpoints by the failpoint. */
  readonly random: ReadonlyMap<string, number>;
  readonly failpoints: ReadonlyMap<string, number>;
  readonly kills: number;
  /** Runs that came to their end, and ended as the undisturbed one. */
  readonly runs: number;
  /** What was wrong. */
  readonly faults: readonly string[];
}

/** Half of the deaths come at random moments, half at the failpoint that fewest came at. */
const points = [
  "after a write",
  "between members of a group",
  "before commit",
  "after commit",
  "before the log is emptied",
  "after the log is emptied",
] as const;
const within: Readonly<Record<string, readonly (typeof points)[number][]>> = {
  ingest: ["after a write", "between members of a group", "before commit", "after commit"],
  delete: ["after a write", "before commit", "after commit"],
  restore: ["after a write", "before commit", "after commit"],
  purge: ["after a write", "before commit", "after commit", "before the log is emptied", "after the log is emptied"],
  vacuum: ["after a write", "before commit", "after commit", "before the log is emptied", "after the log is emptied"],
  "purge: rewrite": ["after a write", "before commit", "after commit"],
  "vacuum: rewrite": ["after a write", "before commit", "after commit"],
  seal: ["after a write", "before commit", "after commit"],
  merge: ["after a write", "before commit", "after commit"],
  fit: ["after a write", "before commit", "after commit"],
  move: ["after a write", "before commit", "after commit"],
  "change-over": ["after a write", "before commit", "after commit"],
  open: ["after a write", "before commit", "after commit"],
};

/** After so many operations without passing its failpoint a process gives up, so that another can be tried. */
const patience = 25;

/** Every failpoint there is, as the child is told of it. */
export const failpoints: readonly string[] = Object.entries(within).flatMap(([phase, its]) =>
  its.map((point) => `${phase}|${point}`),
);

/**
 * Kills a process that works on a store, again and again, wherever it is; looks after each death whether all is well; and lets another one go on.
 *
 * **Shape** after every death: the store opens, its examination finds nothing, every acknowledged document is there as it was acknowledged, what was in flight is there
 * as before or as after, and no byte of what was purged is left. After every run: the state of an undisturbed one, scores included.
 */
export async function raiseStorm({ kills, seed, length, onKill }: StormOptions): Promise<StormReport> {
  const random = createRandom(seed);
  const deaths = { random: new Map<string, number>(), failpoints: new Map<string, number>() };
  const faults: string[] = [];
  let killed = 0;
  let runs = 0;
  const report = (): StormReport => ({ ...deaths, kills: killed, runs, faults });
  const folder = mkdtempSync(join(tmpdir(), "ibid-storm-"));
  /** Tried since the last death without being reached. */
  const unreached = new Set<string>();
  try {
    for (let run = 0; killed < kills; run++) {
      const place = join(folder, String(run));
      mkdirSync(place);
      const paths = { store: join(place, "ibid.sqlite"), journal: join(place, "journal") };
      const runSeed = seed * 1000 + run;
      const operations = makeOperations(runSeed, length);
      unreached.clear();
      for (;;) {
        const done = readJournal(paths.journal).done;
        if (done === length) break;
        const isRandom = random() < 0.35;
        const isFirst = !existsSync(paths.journal);
        const rare = rarest(deaths.failpoints, isFirst, unreached, random);
        const failpoint = isRandom || rare === undefined || killed >= kills ? "" : rare;
        const most = failpoint.endsWith("after a write") ? 6 : 1;
        const nth = 1 + Math.floor(random() * most);
        const died = await work(
          [
            paths.store,
            paths.journal,
            String(runSeed),
            String(length),
            String(done),
            failpoint && `${failpoint}|${nth}`,
            String(failpoint === "" ? length : done + patience),
          ],
          failpoint === "" && killed < kills ? Math.floor(random() ** 2 * 400) : undefined,
        );
        if (died) {
          killed++;
          unreached.clear();
          const where = failpoint === "" ? (readJournal(paths.journal).last ?? "before the first write") : failpoint;
          const tally = failpoint === "" ? deaths.random : deaths.failpoints;
          tally.set(where, (tally.get(where) ?? 0) + 1);
        } else if (failpoint !== "") unreached.add(failpoint);
        for (const fault of await lookAfter(paths, operations))
          faults.push(`seed ${runSeed}, death ${killed}, ${failpoint || "at random"}: ${fault}`);
        onKill?.(report());
        if (faults.length > 20) return report();
      }
      if (await endsAlike(place, paths.store, operations)) runs++;
      else faults.push(`seed ${runSeed}: the end state is not that of an undisturbed run.`);
      rmSync(place, { recursive: true });
    }
    return report();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The failpoint that fewest died at; those of opening can be reached while there is nothing yet. */
function rarest(
  tally: ReadonlyMap<string, number>,
  isFirst: boolean,
  without: ReadonlySet<string>,
  random: () => number,
): string | undefined {
  const open = failpoints.filter((failpoint) => failpoint.startsWith("open|") === isFirst && !without.has(failpoint));
  const least = Math.min(...open.map((failpoint) => tally.get(failpoint) ?? 0));
  const rare = open.filter((failpoint) => (tally.get(failpoint) ?? 0) === least);
  return rare[Math.floor(random() * rare.length)];
}

/** Starts a process, and kills it after so many milliseconds of work unless it dies by itself. **Shape** whether it was killed. */
async function work(args: readonly string[], killAfterMs: number | undefined): Promise<boolean> {
  const child = fork(join(import.meta.dirname, "crash-child.ts"), args, {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let said = "";
  child.stderr?.on("data", (data: Buffer) => (said += data.toString()));
  child.on("message", () => {
    if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("exit", (exit, by) => resolve([exit, by])),
  );
  if (signal === "SIGKILL") return true;
  if (code === 0) return false;
  throw new Error(`A process that was to be killed failed by itself with ${code}: ${said}`);
}

interface Journal {
  /** Operations that were acknowledged. */
  readonly done: number;
  /** The one that was begun and not acknowledged. */
  readonly inFlight: number | undefined;
  /** What was passed last. */
  readonly last: string | undefined;
}

function readJournal(path: string): Journal {
  let done = 0;
  let begun = -1;
  let last: string | undefined;
  for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
    if (line.startsWith("done ")) done = Number(line.slice(5)) + 1;
    if (line.startsWith("begun ")) begun = Number(line.slice(6));
    if (line.startsWith("at ")) last = line.slice(3);
  }
  return { done, inFlight: begun >= done ? begun : undefined, last };
}

async function open(path: string, now: number): Promise<KnowledgeStore> {
  const connection = await openConnection(path, { busyTimeoutMs: 5000 });
  return openStore(createSqliteDirectory(connection, path), { now });
}

/** What is wrong with a store after a death. */
async function lookAfter(
  paths: { readonly store: string; readonly journal: string },
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const { done, inFlight } = readJournal(paths.journal);
  const before = expectAfter(operations.slice(0, done));
  const after = expectAfter(operations.slice(0, inFlight === undefined ? done : inFlight + 1));
  const store = await open(paths.store, timeOf(done));
  const from = read("deployment");
  const found = new Map((await collect(store.documents(from))).map(({ id, chunks }) => [id, chunks]));
  const all = new Set([
    ...before.live.keys(),
    ...after.live.keys(),
    ...[...found.keys()].map((id) => Number(id.slice(4))),
  ]);
  for (const document of all) {
    const id = `doc-${document}`;
    const text = (await store.document(from, id))?.document.text;
    const allowed = [before, after].map(({ live }) => {
      const edition = live.get(document);
      return edition === undefined ? undefined : makeDocument(document, edition).document.text;
    });
    if (!allowed.includes(text)) faults.push(`${id} is neither as acknowledged nor as in flight`);
    if (text !== undefined && found.get(id) !== 3) faults.push(`${id} is not whole`);
  }
  // Words of purged documents; those that are in flight may be either way.
  const gone = operations
    .slice(0, done)
    .flatMap((operation) => (operation.kind === "purge" ? [operation.document] : []));
  const absent = gone
    .filter((document) => ![before, after].some(({ live, deleted }) => live.has(document) || deleted.has(document)))
    .flatMap((document) => editionsOf(operations, document).map((edition) => ownWord(document, edition)));
  const diagnosis = await store.examine!(system, absent.length === 0 ? {} : { absent });
  for (const { kind, message, count } of diagnosis.findings) faults.push(`doctor: ${kind}: ${message} (${count})`);
  await store.close();
  return faults;
}

function editionsOf(operations: readonly Operation[], document: number): readonly number[] {
  return operations.flatMap((operation) =>
    operation.kind === "ingest" && operation.documents.includes(document) ? [operation.edition] : [],
  );
}

async function endsAlike(place: string, stormy: string, operations: readonly Operation[]): Promise<boolean> {
  const clock = { now: timeOf(0) };
  const path = join(place, "calm.sqlite");
  const calm = await openStore(createSqliteDirectory(await openConnection(path, { busyTimeoutMs: 5000 }), path), clock);
  for (const [i, operation] of operations.entries()) {
    clock.now = timeOf(i);
    await perform(calm, operation);
  }
  const survivor = await open(stormy, timeOf(operations.length));
  const alike = isDeepStrictEqual(await stateOf(survivor), await stateOf(calm));
  await survivor.close();
  await calm.close();
  return alike;
}
