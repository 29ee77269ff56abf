import { IbidError } from "../../contracts/errors.ts";
import type { JobStore } from "../../contracts/job-store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createMemoryJobStore } from "./memory-job-store.ts";
import { checkRetryPolicy, type RetryPolicy } from "./retry-policy.ts";
import { type Wait, waitByTimer } from "./wake-up.ts";

/**
 * What can be chosen of a queue; everything has a default.
 *
 * @experimental
 */
export interface IngestionQueueOptions {
  /** Where jobs are kept. Default: memory; a store in a file outlives the process. The queue closes it. */
  readonly jobs?: JobStore;
  /** Documents that wait or are being ingested. Default 5,000 (T42). */
  readonly capacity?: number;
  /** Of texts and bytes kept for documents that are not indexed. **Units** bytes. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Documents ingested at once. Default 2 (T40); 0 takes documents in for other processes to ingest. */
  readonly concurrency?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** How long a document stays with a process that does not stir any more. Default 60,000. */
  readonly leaseMs?: number;
  /** How often a look is taken at what other processes did. Default 1,000. */
  readonly pollMs?: number;
  /** What of a path is the document's uri, so that deleting the document takes its job along before it was done. Default: nothing is known. */
  readonly resolveUri?: (path: string) => string;
  /** The clock, and chance, for tests. */
  readonly now?: () => number;
  readonly wait?: Wait;
  readonly random?: () => number;
}

const optionNames = [
  "jobs",
  "capacity",
  "maxBytes",
  "concurrency",
  "retry",
  "leaseMs",
  "pollMs",
  "resolveUri",
  "now",
  "wait",
  "random",
] as const satisfies readonly (keyof IngestionQueueOptions)[];

/** Puts defaults where nothing was chosen. **Errors** `invalid-argument`. */
export function decideQueueOptions(options: IngestionQueueOptions) {
  checkOptions("createIngestionQueue", options, optionNames);
  const { jobs = createMemoryJobStore(), capacity = 5000, maxBytes = 256 * 1024 * 1024, concurrency = 2 } = options;
  const { leaseMs = 60_000, pollMs = 1000, now = Date.now, wait = waitByTimer, random = Math.random } = options;
  checkNumbers({ capacity, maxBytes, leaseMs, pollMs });
  if (!Number.isInteger(concurrency) || concurrency < 0) throw badNumber("concurrency", concurrency);
  const policy = checkRetryPolicy(options.retry);
  return { jobs, capacity, maxBytes, concurrency, leaseMs, pollMs, now, wait, random, policy };
}

function checkNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers))
    if (!(Number.isFinite(value) && value >= 1)) throw badNumber(name, value);
}

/** One that cannot be. */
export function badNumber(name: string, value: number): IbidError {
  return new IbidError("invalid-argument", `${name} is ${value}.`, {
    hint: "It is a number from 1; concurrency from 0.",
  });
}
