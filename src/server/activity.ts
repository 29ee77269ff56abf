import { z } from "zod";
import type { Usage } from "../contracts/chat.ts";
import { nearestRank } from "../knowledge-base/operations/health-window.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { createRecentMarks } from "../runtime/recent-marks.ts";
import { given } from "./given.ts";
import type { RequestLogEntry } from "./handler-options.ts";

const latencies = { count: z.int().min(0), p50Ms: z.number(), p99Ms: z.number() };
export const activityResponse = z
  .strictObject({
    startedAt: z.string(),
    windowSeconds: z.number(),
    requests: z.strictObject({
      ...latencies,
      refused: z.int().meta({ description: "Answers with a status from 400 to 499." }),
      failed: z.int().meta({ description: "Answers with a status from 500." }),
    }),
    searches: z.strictObject(latencies),
    answers: z.strictObject(latencies),
    models: z
      .array(
        z.strictObject({
          model: z.string().optional(),
          calls: z.int(),
          inputTokens: z.number(),
          outputTokens: z.number(),
          cost: z.number().optional().meta({ description: "In the currency of the prices that the service has." }),
        }),
      )
      .meta({ description: "Usage of answers and verdicts since the start, by model." }),
  })
  .meta({ id: "Activity" });

/** The last hour of a service, and what its models have cost since it started. */
export interface Activity {
  /** Counts a request that is over. */
  request(entry: Pick<RequestLogEntry, "path" | "status" | "ms">): void;
  /** Counts the usage of an answer or a verdict. */
  readonly spend: (model: string | null | undefined, usage: Usage) => void;
  show(): object;
}

const windowMs = 3_600_000;
/** So many requests are remembered within the hour; where there are more, the oldest go. */
const mostRequests = 65_536;
/** Models that are counted each for itself. */
const mostModels = 100;

interface Spent {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number;
}

const nothing: Spent = { calls: 0, inputTokens: 0, outputTokens: 0 };

/** **Shape** figures of this process alone; no name of a caller and no word of a question. **Cost** a mark for each request. */
export function createActivity(now: () => number = platformNow): Activity {
  const startedAt = now();
  const marks = createRecentMarks({ now, window: windowMs, most: mostRequests, width: 4 });
  /** Paths of routes by their numbers in marks; `null` for an address without a route. */
  const paths: (string | null)[] = [];
  const models = new Map<string, Spent>();

  const spend: Activity["spend"] = (model, usage) => {
    const name = model ?? "";
    if (!models.has(name) && models.size >= mostModels) return;
    const { calls, inputTokens, outputTokens, cost } = models.get(name) ?? nothing;
    const sum = usage.cost === undefined ? cost : (cost ?? 0) + usage.cost;
    models.set(name, {
      calls: calls + 1,
      inputTokens: inputTokens + (usage.inputTokens ?? 0),
      outputTokens: outputTokens + (usage.outputTokens ?? 0),
      ...(sum !== undefined && { cost: sum }),
    });
  };

  return {
    spend,
    request({ path, status, ms }) {
      if (!paths.includes(path)) paths.push(path);
      marks.add(now(), paths.indexOf(path), status, ms);
    },
    show() {
      const from = now() - windowMs;
      const seen = marks.after(from).map(([, path, status, ms]) => ({
        path: paths[path!] ?? null,
        status: status!,
        ms: ms!,
      }));
      const measure = (own: typeof seen) => {
        const ascending = own.map(({ ms }) => ms).toSorted((one, other) => one - other);
        return { count: own.length, p50Ms: nearestRank(ascending, 0.5), p99Ms: nearestRank(ascending, 0.99) };
      };
      const of = (...paths: readonly string[]) =>
        measure(seen.filter(({ path, status }) => path !== null && paths.includes(path) && status < 400));
      return {
        startedAt: new Date(startedAt).toISOString(),
        windowSeconds: windowMs / 1000,
        requests: {
          ...measure(seen),
          refused: seen.filter(({ status }) => status >= 400 && status < 500).length,
          failed: seen.filter(({ status }) => status >= 500).length,
        },
        searches: of("/search"),
        answers: of("/ask", "/chat"),
        models: Array.from(models, ([model, spent]) => given({ model: model === "" ? undefined : model, ...spent })),
      };
    },
  };
}
