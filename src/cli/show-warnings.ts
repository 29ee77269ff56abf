import type { SearchWarning } from "../contracts/retriever.ts";
import type { Context } from "./open.ts";
import { neutralise } from "./text-layout.ts";

/** Writes warnings of a search to standard error, each with its next action. */
export function showWarnings({ stderr }: Context, warnings: readonly SearchWarning[] = []): void {
  for (const { message, hint } of warnings) stderr.write(`warning: ${neutralise(message)}\n  ${neutralise(hint)}\n`);
}
