import type { Usage } from "../contracts/chat.ts";

const counts = ["inputTokens", "outputTokens", "cost"] as const satisfies readonly (keyof Usage)[];

/**
 * What several calls of models took together.
 *
 * **Shape** calls of which nothing is known are left out, and `undefined` is the sum of none; what one of the others does not know, the sum does not know either.
 */
export function addUsage(...calls: readonly (Usage | undefined)[]): Usage | undefined {
  const known = calls.filter((usage) => usage !== undefined);
  if (known.length === 0) return undefined;
  const sums = counts.map((count) => {
    const given = known.map((usage) => usage[count]);
    return [count, given.every((one) => one !== undefined) ? given.reduce((sum, one) => sum + one, 0) : undefined];
  });
  return Object.fromEntries(sums.filter(([, sum]) => sum !== undefined)) as Usage;
}
