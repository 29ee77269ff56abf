import { platformNow } from "../runtime/platform-clock.ts";

/** Buckets of tokens, one for each caller. A full bucket holds the requests of one minute, and refills steadily. */
export interface RateLimiter {
  /** Takes one token. **Shape** `wait` is 0, or the seconds until the next token; `left` is the number of whole ones. */
  take(caller: string, perMinute: number): { readonly wait: number; readonly left: number };
}

/** The limiter remembers this many callers, the latest ones; a forgotten caller starts with a full bucket. */
const mostCallers = 10_000;

/** **Cost** constant time; memory bounded by the callers that are remembered. `now` is in milliseconds. */
export function createRateLimiter(now: () => number = platformNow): RateLimiter {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  return {
    take(caller, perMinute) {
      const at = now();
      const before = buckets.get(caller) ?? { tokens: perMinute, at };
      const tokens = Math.min(perMinute, before.tokens + (Math.max(0, at - before.at) / 60_000) * perMinute);
      const isFree = tokens >= 1;
      buckets.delete(caller);
      const rest = isFree ? tokens - 1 : tokens;
      buckets.set(caller, { tokens: rest, at });
      if (buckets.size > mostCallers) buckets.delete(buckets.keys().next().value!);
      return { wait: isFree ? 0 : Math.ceil(((1 - tokens) / perMinute) * 60), left: Math.floor(rest) };
    },
  };
}

/** Amounts that a caller may use in one day. 0: no limit. **Units** requests; bytes of bodies; tokens of models. */
export interface DayLimits {
  readonly requests: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** Amounts of each caller, by day in UTC. */
export interface DayBudget {
  /** Counts an amount that fits. **Shape** 0, or the seconds until the next day where it does not fit. */
  take(caller: string, unit: keyof DayLimits, amount: number, limit: number): number;
  /** Counts what was used already. */
  add(caller: string, unit: keyof DayLimits, amount: number): void;
}

const dayMs = 86_400_000;

/** **Cost** constant time; the memory of a day is bounded by its callers. A restart begins the day anew. `now` is in milliseconds. */
export function createDayBudget(now: () => number = platformNow): DayBudget {
  let day = -1;
  const used = new Map<string, DayLimits>();
  const usedBy = (caller: string): DayLimits => {
    const today = Math.floor(now() / dayMs);
    if (today !== day) used.clear();
    day = today;
    return used.get(caller) ?? { requests: 0, bytes: 0, tokens: 0 };
  };
  const add = (caller: string, unit: keyof DayLimits, amount: number): void => {
    const before = usedBy(caller);
    used.set(caller, { ...before, [unit]: before[unit] + amount });
  };
  return {
    add,
    take(caller, unit, amount, limit) {
      if (limit === 0) return 0;
      if (usedBy(caller)[unit] + amount > limit) return Math.max(1, Math.ceil((dayMs - (now() % dayMs)) / 1000));
      add(caller, unit, amount);
      return 0;
    },
  };
}

/** The group by which an address is counted. IPv6 gives one household a network of 64 bits (RFC 6177), so it counts as one. */
export function addressGroup(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const middle = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => "0");
  return `${[...front, ...middle, ...back].slice(0, 4).join(":")}::/64`;
}
