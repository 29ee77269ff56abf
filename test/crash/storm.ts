import { fork } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openConnection } from "../../src/stores/sqlite/open-connection.ts";
import { collect, read, system } from "../stores/build.ts";
import {
  close,
  createRandom,
  expectAfter,
  makeDocument,
  makeOperations,
  openWorkplace,
  type Operation,
  ownWord,
  perform,
  stateOf,
  timeOf,
  type Workplace,
} from "./workload.ts";

export interface StormOptions {
  readonly kills: number;
  readonly seed: number;
  /** Operations of one run, after which its end state is held against an undisturbed one. */
  readonly length: number;
  /** A folder for what a fault was seen in: the knowledge base as the dead left it, and what was done to it. */
  readonly keepIn?: string;
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
  enqueue: ["after a write", "before commit", "after commit"],
  work: ["after a write", "before commit", "after commit"],
  job: ["after a write", "before commit", "after commit"],
  reembed: ["after a write", "before commit", "after commit"],
  "cut-over": ["after a write", "before commit", "after commit"],
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
export async function raiseStorm({ kills, seed, length, keepIn, onKill }: StormOptions): Promise<StormReport> {
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
        const evidence = keepIn === undefined ? undefined : join(keepIn, `seed-${runSeed}-death-${killed}`);
        // Before it is looked at: opening a knowledge base mends it.
        if (evidence !== undefined) cpSync(place, evidence, { recursive: true });
        const { faults: found, absent } = await lookAfter(paths, operations);
        for (const fault of found)
          faults.push(`seed ${runSeed}, death ${killed}, ${failpoint || "at random"}: ${fault}`);
        if (evidence !== undefined)
          keepEvidence(evidence, found, { failpoint, done, operations, absent, faults: found });
        onKill?.(report());
        if (faults.length > 20) return report();
      }
      const differing = await endsUnlike(place, paths.store, operations);
      if (differing.length === 0) runs++;
      else faults.push(`seed ${runSeed}: the end state is not that of an undisturbed run: ${differing.join(", ")}.`);
      if (keepIn !== undefined && differing.length > 0)
        cpSync(place, join(keepIn, `seed-${runSeed}-end`), { recursive: true });
      rmSync(place, { recursive: true });
    }
    return report();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** **Shape** nothing is left of a copy that shows no fault. */
function keepEvidence(folder: string, faults: readonly string[], facts: object): void {
  if (faults.length === 0) rmSync(folder, { recursive: true });
  else writeFileSync(join(folder, "facts.json"), JSON.stringify(facts, undefined, 1));
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

function open(path: string, now: number): Promise<Workplace> {
  return openWorkplace(path, () => openConnection(path, { busyTimeoutMs: 5000 }), { now });
}

/** What is wrong with a store after a death. */
async function lookAfter(
  paths: { readonly store: string; readonly journal: string },
  operations: readonly Operation[],
): Promise<{ readonly faults: readonly string[]; readonly absent: readonly string[] }> {
  const faults: string[] = [];
  const { done, inFlight } = readJournal(paths.journal);
  const before = expectAfter(operations.slice(0, done));
  const after = expectAfter(operations.slice(0, inFlight === undefined ? done : inFlight + 1));
  const place = await open(paths.store, timeOf(done));
  const { store, jobs } = place;
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
  const waiting = await jobs.list({ states: ["queued", "reading", "embedding"], limit: 1000 });
  const queued = new Map(waiting.map(({ request }) => [Number(request["document"]), Number(request["edition"])]));
  for (const document of new Set([...before.queued.keys(), ...after.queued.keys(), ...queued.keys()])) {
    const allowed = [before, after].map((expected) => expected.queued.get(document));
    if (!allowed.includes(queued.get(document)))
      faults.push(`the job of doc-${document} is neither as acknowledged nor as in flight`);
  }
  // Words of purged documents; those that are in flight may be either way.
  const gone = operations
    .slice(0, done)
    .flatMap((operation) => (operation.kind === "purge" ? [operation.document] : []));
  const isHeld = (document: number): boolean =>
    [before, after].some(({ live, deleted, queued: jobsOf }) =>
      [live, deleted, jobsOf].some((held: ReadonlyMap<number, unknown>) => held.has(document)),
    );
  const absent = gone
    .filter((document) => !isHeld(document))
    .flatMap((document) => editionsOf(operations, document).map((edition) => ownWord(document, edition)));
  const diagnosis = await store.upkeep!.examine(system, absent.length === 0 ? {} : { absent });
  for (const { kind, message, count, hint } of diagnosis.findings) {
    // What was deleted under a model that is vacuumed by now, and then restored, has no vectors but that one's: the doctor says so, whoever dies or lives.
    const isOfAnotherModel = kind === "stale-version" && hint !== undefined;
    if (!isOfAnotherModel) faults.push(`doctor: ${kind}: ${message} (${count})`);
  }
  await close(place);
  return { faults, absent };
}

function editionsOf(operations: readonly Operation[], document: number): readonly number[] {
  return operations.flatMap((operation) =>
    (operation.kind === "ingest" && operation.documents.includes(document)) ||
    (operation.kind === "enqueue" && operation.document === document)
      ? [operation.edition]
      : [],
  );
}

/** **Shape** the names of what differs. */
async function endsUnlike(place: string, stormy: string, operations: readonly Operation[]): Promise<readonly string[]> {
  const calm = await open(join(place, "calm.sqlite"), timeOf(0));
  for (const [i, operation] of operations.entries()) {
    calm.clock.now = timeOf(i);
    await perform(calm, operation);
  }
  const survivor = await open(stormy, timeOf(operations.length));
  const [found, expected] = [await stateOf(survivor), await stateOf(calm)];
  await close(survivor);
  await close(calm);
  return Object.keys(expected).filter((name) => !isDeepStrictEqual(found[name], expected[name]));
}
