import { IbidError } from "../contracts/errors.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import type { RankedDocument, Run } from "./run.ts";

/**
 * A search as an evaluation sees it: documents, best first. A document that comes again lower down is passed over.
 *
 * @experimental
 */
export type RankDocuments = (query: string, depth: number) => Promise<readonly RankedDocument[]>;

/**
 * How long searches took: the time within which half of them, 95 and 99 of a hundred were done. **Units** milliseconds.
 *
 * @experimental
 */
export interface LatencyQuantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * How a run is collected.
 *
 * @experimental
 */
export interface CollectOptions {
  /** Documents a query. Default 100. */
  readonly depth?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each query, for a display. */
  readonly onQuery?: ((done: number, total: number) => void) | undefined;
}

/**
 * Asks every query once, one after the other, and keeps what was found and how long it took.
 *
 * **Shape** the first query is asked once more before the clock runs, so that what is loaded at first use is not counted.
 * **Units** quantiles by nearest rank: each is a time that was really taken.
 * **Errors** `invalid-argument` for a depth that is no whole number from 1; `empty` without queries; those of the search; `aborted`.
 *
 * @experimental
 */
export async function collectRun(
  search: RankDocuments,
  queries: ReadonlyMap<string, string>,
  options: CollectOptions = {},
): Promise<{ readonly run: Run; readonly latencyMs: LatencyQuantiles }> {
  checkGiven("collectRun", "search", search, "function");
  checkGiven("collectRun", "queries", queries, "items", { get: "function" });
  checkOptions("collectRun", options, { depth: true, signal: true, onQuery: true });
  const { depth = 100, signal, onQuery } = options;
  if (!Number.isSafeInteger(depth) || depth < 1) {
    throw new IbidError("invalid-argument", `depth is ${depth}.`, { hint: "Give a whole number from 1." });
  }
  const run = new Map<string, readonly RankedDocument[]>();
  const times: number[] = [];
  for (const [id, text] of queries) {
    checkGiven("collectRun", `query ${id}`, text, "text");
    throwIfAborted(signal, "The evaluation");
    onQuery?.(run.size, queries.size);
    if (run.size === 0) await search(text, depth);
    const started = performance.now();
    const found = await search(text, depth);
    checkGiven("collectRun", "what search gives", found, "list", { documentId: "text" });
    times.push(performance.now() - started);
    run.set(id, keepBest(found).slice(0, depth));
  }
  return { run, latencyMs: latencyQuantiles(times) };
}

function keepBest(found: readonly RankedDocument[]): readonly RankedDocument[] {
  const seen = new Set<string>();
  return found.filter(({ documentId }) => !seen.has(documentId) && seen.add(documentId));
}

/** **Errors** `empty` without times. */
export function latencyQuantiles(times: readonly number[]): LatencyQuantiles {
  if (times.length === 0) throw new IbidError("empty", "There is no query to ask.", { hint: "Give at least one." });
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (percent: number): number => sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
  return { p50: quantile(50), p95: quantile(95), p99: quantile(99) };
}
