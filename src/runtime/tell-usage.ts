import type { ChatModel, OnUsage, Usage } from "../contracts/chat.ts";

/** Says what a call used to whoever wants to know; a listener that throws fails no search. */
export function tellUsage(
  onUsage: OnUsage | undefined,
  usage: Usage | undefined,
  { provider, model }: Pick<ChatModel, "provider" | "model">,
): void {
  try {
    onUsage?.(usage ?? {}, `${provider}/${model}`);
  } catch {
    // The search matters more than who is told.
  }
}
