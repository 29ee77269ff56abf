import type { Usage } from "../contracts/chat.ts";

/** What several calls of models cost together. **Shape** `undefined` when none of them said; a count that none gave is absent. */
export function addUsage(...counted: readonly (Usage | undefined)[]): Usage | undefined {
  const known = counted.filter((usage) => usage !== undefined);
  if (known.length === 0) return undefined;
  const sum = (counts: readonly (number | undefined)[]): number | undefined => {
    const given = counts.filter((count) => count !== undefined);
    return given.length === 0 ? undefined : given.reduce((total, count) => total + count, 0);
  };
  const inputTokens = sum(known.map((usage) => usage.inputTokens));
  const outputTokens = sum(known.map((usage) => usage.outputTokens));
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
}
