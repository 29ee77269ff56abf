import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { ServiceLimits } from "./handler-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { createDayBudget, createRateLimiter, type DayLimits } from "./limits.ts";
import { meterTokens, type TokenMeter } from "./meter-tokens.ts";
import { Refusal } from "./refusal.ts";
import type { Caller } from "./route.ts";

/** Counts of callers: requests of a minute, and the amounts of a day. */
export interface CallerUsage {
  /** **Shape** headers that say how many requests of the minute are left. **Errors** 429, with the same headers. */
  readonly countRequest: (who: string, perMinute: number) => Readonly<Record<string, string>>;
  /** **Errors** 429 for an amount beyond the day of a caller. */
  readonly countDay: (who: string, caller: Pick<Caller, "perDay">, unit: keyof DayLimits, amount: number) => void;
  /** The knowledge base of a caller, with answers to verify bounded and the tokens of its models counted. */
  readonly metered: (who: string, caller: Pick<Caller, "perDay" | "kb">) => KnowledgeBase;
}

/** A knowledge base that verifies answers up to a size. **Cost** a longer one is cut into sentences before it is refused. */
function limitChecks(kb: KnowledgeBase, maxChecks: number): KnowledgeBase {
  return {
    ...kb,
    as: (access, options) => limitChecks(kb.as(access, options), maxChecks),
    verify: (answer, options) => kb.verify(answer, { ...options, maxChecks }),
  };
}

export function createCallerUsage(
  { maxChecks }: Pick<Required<ServiceLimits>, "maxChecks">,
  spend: TokenMeter["spend"],
): CallerUsage {
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
      const { wait, left } = limiter.take(who, perMinute);
      // **Source** draft-ietf-httpapi-ratelimit-headers, RateLimit Fields for HTTP.
      const headers = { "ratelimit-policy": `"minute";q=${perMinute};w=60`, ratelimit: `"minute";r=${left}` };
      if (wait === 0) return headers;
      throw new Refusal(429, "rate-limited", `This service takes ${perMinute} requests a minute from one caller.`, {
        hint: `Try again in ${wait} seconds.`,
        headers: { "retry-after": String(wait), ...headers },
      });
    },
    metered(who, caller) {
      const limited = limitChecks(caller.kb, maxChecks);
      const isUnlimited = caller.perDay.tokens === 0;
      return meterTokens(limited, {
        spend,
        begin() {
          if (isUnlimited) return;
          try {
            countDay(who, caller, "tokens", 1);
          } catch (refusal) {
            // An error of the library reaches the model of an agent with its sentence.
            const { message, hint } = refusal as Refusal;
            throw new IbidError("rate-limited", message, { hint, cause: refusal });
          }
        },
        end(tokens) {
          if (!isUnlimited) days.add(who, "tokens", tokens - 1);
        },
      });
    },
  };
}
