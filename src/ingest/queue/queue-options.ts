import type { Chosen } from "../../contracts/complete.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JobStore } from "../../contracts/job-store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createMemoryJobStore } from "./memory-job-store.ts";
import { checkRetryPolicy, type RetryPolicy } from "./retry-policy.ts";
import { type Wait, waitByTimer } from "./wake-up.ts";

/**
 * Options of a queue; everything has a default.
 *
 * @experimental
 */
export interface IngestionQueueOptions {
  /** Where jobs are kept; the queue closes it. A store in a file outlives the process. Default: memory. */
  readonly jobs?: JobStore | undefined;
  /** Documents that wait or are being ingested. Default 5,000. */
  readonly capacity?: number | undefined;
  /** Limit for texts and bytes stored for documents that are not indexed yet. **Units** bytes. Default 256 MiB. */
  readonly maxBytes?: number | undefined;
  /** Documents ingested at once. 0 takes documents in for other processes to ingest. Default 2. */
  readonly concurrency?: number | undefined;
  readonly retry?: Chosen<RetryPolicy> | undefined;
  /**
   * Effect of `enqueue` on a full queue. Default `"refuse"`: it gives false. `"wait"`: it waits for room. `"drop"`: it gives the id of a document that is dropped: its
   * state is `rejected`, an event tells of it, and `depth` counts it. **Source** ToolUp's Refuse, Block and DropWrite.
   */
  readonly overflow?: "refuse" | "wait" | "drop" | undefined;
  /** How long a document stays with a process that shows no sign of life. Default 60,000. */
  readonly leaseMs?: number | undefined;
  /** Time between looks at the work of other processes. Default 1,000. */
  readonly pollMs?: number | undefined;
  /** Uri of the document of a path, so that deleting the document also removes its unfinished job. Default: unknown. */
  readonly resolveUri?: ((path: string) => string) | undefined;
  /** The clock, the timer and the random numbers; tests set them. */
  readonly now?: (() => number) | undefined;
  readonly wait?: Wait | undefined;
  readonly random?: (() => number) | undefined;
}

/** Options with their defaults filled in. */
export type DecidedQueueOptions = ReturnType<typeof decideQueueOptions>;

const optionNames = {
  jobs: true,
  capacity: true,
  maxBytes: true,
  concurrency: true,
  retry: true,
  overflow: true,
  leaseMs: true,
  pollMs: true,
  resolveUri: true,
  now: true,
  wait: true,
  random: true,
} as const;

/** Checks options and fills in defaults. **Errors** `invalid-argument`. */
export function decideQueueOptions(options: IngestionQueueOptions) {
  checkOptions("createIngestionQueue", options, optionNames);
  const { jobs = createMemoryJobStore(), capacity = 5000, maxBytes = 256 * 1024 * 1024, concurrency = 2 } = options;
  const { overflow = "refuse" } = options;
  if (!["refuse", "wait", "drop"].includes(overflow))
    throw new IbidError("invalid-argument", `overflow cannot be ${JSON.stringify(overflow)}.`, {
      hint: "Choose from refuse, wait, drop.",
    });
  const { leaseMs = 60_000, pollMs = 1000, now = platformNow, wait = waitByTimer, random = Math.random } = options;
  checkNumbers({ capacity, maxBytes, leaseMs, pollMs });
  if (!Number.isInteger(concurrency) || concurrency < 0) throw badNumber("concurrency", concurrency);
  const policy = checkRetryPolicy(options.retry);
  return { jobs, capacity, maxBytes, concurrency, overflow, leaseMs, pollMs, now, wait, random, policy };
}

function checkNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers))
    if (!(Number.isFinite(value) && value >= 1)) throw badNumber(name, value);
}

/** The error for a number out of range. */
export function badNumber(name: string, value: number): IbidError {
  return new IbidError("invalid-argument", `${name} is ${value}.`, {
    hint: "Give a number from 1; concurrency may be 0.",
  });
}
