import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteJobStore } from "../../../src/stores/sqlite/sqlite-job-store.ts";
import type { IbidErrorCode } from "../../../src/contracts/errors.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { JobStore } from "../../../src/contracts/job-store.ts";
import { createIngestionQueue } from "../../../src/ingest/queue/ingestion-queue.ts";
import { createMemoryJobStore } from "../../../src/ingest/queue/memory-job-store.ts";
import { fakeClock, scriptedKnowledgeBase } from "./support.ts";
import { fewer } from "../../support/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-model-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** What anybody may do to a queue, and what may befall it. `mood` decides how documents fare from then on. */
type Step =
  | { readonly do: "enqueue"; readonly uri: string; readonly words: string }
  | { readonly do: "cancel" | "replay"; readonly uri: string }
  | { readonly do: "mood"; readonly code: IbidErrorCode | undefined }
  | { readonly do: "run" | "later" | "die" };

const uri = fc.constantFrom("a", "b", "c", "d", "e");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("enqueue" as const), uri, words: fc.string({ maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("cancel" as const, "replay" as const), uri }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("mood" as const),
      code: fc.constantFrom(undefined, "rate-limited" as const, "unreadable" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("run" as const, "later" as const, "die" as const) }) },
);

/** A queue as one would tell it to a child: each document's last wish, and how it stands. */
interface Told {
  words: string;
  state: "queued" | "indexed" | "failed" | "cancelled";
  attempts: number;
  dueAt: number;
  /** A process that died has it, until it is due. */
  isLeased: boolean;
}
const capacity = 3;
const waitBefore = (attempt: number): number => 30_000 * 2 ** (attempt - 2);

describe.each([
  ["memory", async (): Promise<JobStore> => createMemoryJobStore()],
  ["SQLite", (): Promise<JobStore> => openSqliteJobStore(join(folder, `${files++}.sqlite`))],
])("a queue over %s does what a plain model of it does", (name, openJobs) => {
  it("whatever is asked of it, and whenever it dies [T42 T43 L8 L9]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const clock = fakeClock();
        const jobs = await openJobs();
        let mood: IbidErrorCode | undefined;
        const { kb, held } = scriptedKnowledgeBase(() => (mood === undefined ? undefined : new IbidError(mood, "…")));
        const model = new Map<string, Told>();
        const kept = new Map<string, string>();
        const options = { jobs, capacity, now: clock.now, wait: clock.wait, random: () => 0 };
        const makeFront = () => createIngestionQueue(kb, { ...options, concurrency: 0 });
        let front = makeFront();
        /** What the queue said, and what the model would have. */
        const answers: [unknown, unknown][] = [];
        const live = (): number => [...model.values()].filter(({ state }) => state === "queued").length;

        async function run(): Promise<void> {
          // A worker of its own, so that every step is over before the next; its close would close the jobs too.
          const worker = createIngestionQueue(kb, { ...options, jobs: { ...jobs, close: async () => {} } });
          await clock.until(worker.drained());
          await worker.close();
          for (const [document, told] of model) {
            if (told.state !== "queued" || told.dueAt > clock.now()) continue;
            told.attempts++;
            told.isLeased = false;
            if (told.attempts > 5 || mood === "unreadable" || (mood !== undefined && told.attempts === 5))
              told.state = "failed";
            else if (mood !== undefined) told.dueAt = clock.now() + waitBefore(told.attempts + 1);
            else {
              told.state = "indexed";
              kept.set(document, told.words);
            }
          }
        }

        for (const each of steps) {
          if (each.do === "enqueue") {
            const before = model.get(each.uri);
            const fits = before?.state === "queued" || live() < capacity;
            const id = await front.enqueue({ uri: each.uri, text: each.words });
            answers.push([id, fits ? front.idOf(each.uri) : false]);
            // Whoever is at it is not disturbed: the new wish is seen to afterwards.
            const isLeased = before?.state === "queued" && before.isLeased;
            const dueAt = isLeased ? before.dueAt : clock.now();
            if (fits) model.set(each.uri, { words: each.words, state: "queued", attempts: 0, dueAt, isLeased });
          } else if (each.do === "cancel") {
            const told = model.get(each.uri);
            answers.push([await front.cancel(front.idOf(each.uri)), told?.state === "queued"]);
            if (told?.state === "queued") told.state = "cancelled";
          } else if (each.do === "replay") {
            const told = model.get(each.uri);
            const fits = told?.state === "failed" && live() < capacity;
            answers.push([await front.replay(front.idOf(each.uri)), fits ? 1 : 0]);
            if (told !== undefined && fits)
              Object.assign(told, { state: "queued", attempts: 0, dueAt: clock.now(), isLeased: false });
          } else if (each.do === "mood") mood = each.code;
          else if (each.do === "run") await run();
          else if (each.do === "later") await clock.advance(45_000);
          else {
            // Somebody takes a job and is never heard of again.
            const taken = await jobs.take({ owner: "dead", now: clock.now(), until: clock.now() + 60_000 });
            const told = taken && model.get(taken.uri);
            if (told !== undefined)
              Object.assign(told, { attempts: told.attempts + 1, dueAt: clock.now() + 60_000, isLeased: true });
            front = makeFront();
          }
          const states = await Promise.all(
            [...model].map(async ([document]) => {
              const job = await jobs.get(front.idOf(document));
              const isWaiting = job !== undefined && job.state !== "indexed" && job.state !== "failed";
              const state = job?.error?.code === "aborted" ? "cancelled" : isWaiting ? "queued" : job?.state;
              return [document, { state, attempts: state === "queued" ? job?.attempts : 0 }] as const;
            }),
          );
          expect(states).toEqual(
            [...model].map(([document, { state, attempts }]) => [
              document,
              { state, attempts: state === "queued" ? attempts : 0 },
            ]),
          );
          expect(held).toEqual(kept);
          expect((await front.depth()).depth).toBe(live());
        }
        for (const [given, wanted] of answers) expect(given).toBe(wanted);
        await jobs.close();
      }),
      { numRuns: name === "memory" ? fewer(60, 150) : fewer(15, 40) },
    );
  });
});
