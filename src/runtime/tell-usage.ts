import type { ChatModel, OnUsage, Usage } from "../contracts/chat.ts";

/** Reports the usage of a call to a listener; a listener that throws fails no search. */
export function tellUsage(
  onUsage: OnUsage | undefined,
  usage: Usage | undefined,
  { provider, model }: Pick<ChatModel, "provider" | "model">,
): void {
  try {
    onUsage?.(usage ?? {}, `${provider}/${model}`);
  } catch {
    // The search matters more than its listener.
  }
}
