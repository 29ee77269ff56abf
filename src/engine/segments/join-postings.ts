import type { Postings } from "./segment.ts";

/** Two lists as one: where both have a chunk, the sum. **Cost** linear. */
export function joinPostings(a: Postings, b: Postings): Postings {
  const most = a.ordinals.length + b.ordinals.length;
  const ordinals = new Uint32Array(most);
  const counts = new Uint32Array(most);
  const names = a.names === undefined && b.names === undefined ? undefined : new Uint32Array(most);
  let length = 0;
  for (let i = 0, j = 0; i < a.ordinals.length || j < b.ordinals.length; length++) {
    const left = i < a.ordinals.length ? a.ordinals[i]! : Infinity;
    const right = j < b.ordinals.length ? b.ordinals[j]! : Infinity;
    ordinals[length] = Math.min(left, right);
    if (left <= right) {
      counts[length]! += a.counts[i]!;
      if (names !== undefined) names[length]! += a.names?.[i] ?? 0;
      i++;
    }
    if (right <= left) {
      counts[length]! += b.counts[j]!;
      if (names !== undefined) names[length]! += b.names?.[j] ?? 0;
      j++;
    }
  }
  return {
    ordinals: ordinals.subarray(0, length),
    counts: counts.subarray(0, length),
    names: names?.subarray(0, length),
  };
}
