/** Buckets of tokens, one for each caller: as much as a minute gives can be used at once, and comes back as time goes. */
export interface RateLimiter {
  /** Takes one token. **Shape** 0, or the seconds after which there is one again. */
  take(who: string, perMinute: number): number;
}

/** So many callers are remembered, the latest ones; whoever is forgotten starts anew. */
const mostCallers = 10_000;

/** **Cost** constant, in memory bounded by the callers that are remembered. `now` in milliseconds. */
export function createRateLimiter(now: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  return {
    take(who, perMinute) {
      const at = now();
      const before = buckets.get(who) ?? { tokens: perMinute, at };
      const tokens = Math.min(perMinute, before.tokens + (Math.max(0, at - before.at) / 60_000) * perMinute);
      const isFree = tokens >= 1;
      buckets.delete(who);
      buckets.set(who, { tokens: isFree ? tokens - 1 : tokens, at });
      if (buckets.size > mostCallers) buckets.delete(buckets.keys().next().value!);
      return isFree ? 0 : Math.ceil(((1 - tokens) / perMinute) * 60);
    },
  };
}

/** By whom an address is counted: a network of version 6 gives one household more addresses than anybody can count (RFC 6177). */
export function addressGroup(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const middle = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => "0");
  return `${[...front, ...middle, ...back].slice(0, 4).join(":")}::/64`;
}
