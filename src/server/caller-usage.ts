import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { createDayBudget, createRateLimiter, type DayLimits } from "./limits.ts";
import { meterTokens } from "./meter-tokens.ts";
import { Refusal } from "./refusal.ts";
import type { Caller } from "./route.ts";

/** Counts of callers: requests of a minute, and the amounts of a day. */
export interface CallerUsage {
  /** **Errors** 429. */
  readonly countRequest: (who: string, perMinute: number) => void;
  /** **Errors** 429 for an amount beyond the day of a caller. */
  readonly countDay: (who: string, caller: Pick<Caller, "perDay">, unit: keyof DayLimits, amount: number) => void;
  /** The knowledge base of a caller, with the tokens of its models counted. */
  readonly metered: (who: string, caller: Pick<Caller, "perDay" | "kb">) => KnowledgeBase;
}

export function createCallerUsage(): CallerUsage {
  const limiter = createRateLimiter();
  const days = createDayBudget();
  const countDay: CallerUsage["countDay"] = (who, { perDay }, unit, amount) => {
    const wait = days.take(who, unit, amount, perDay[unit]);
    if (wait === 0) return;
    throw new Refusal(429, "rate-limited", `This service gives one caller ${perDay[unit]} ${unit} a day.`, {
      hint: `Try again in ${wait} seconds, when the next day of UTC begins, or ask the operator for more.`,
      headers: { "retry-after": String(wait), ...(unit === "bytes" && { connection: "close" }) },
    });
  };
  return {
    countDay,
    countRequest(who, perMinute) {
      const wait = limiter.take(who, perMinute);
      if (wait === 0) return;
      throw new Refusal(429, "rate-limited", `This service takes ${perMinute} requests a minute from one caller.`, {
        hint: `Try again in ${wait} seconds.`,
        headers: { "retry-after": String(wait) },
      });
    },
    metered(who, caller) {
      if (caller.perDay.tokens === 0) return caller.kb;
      return meterTokens(caller.kb, {
        begin: () => countDay(who, caller, "tokens", 1),
        end: (tokens) => days.add(who, "tokens", tokens - 1),
      });
    },
  };
}
