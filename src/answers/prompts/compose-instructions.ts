import type { Prompt } from "../../contracts/chat.ts";
import { checkPrompt } from "../../models/render-prompt.ts";

/**
 * An application's own instructions with our rules behind them: what is said last holds.
 *
 * **Shape** a prompt stays one, documents in it included; `undefined` or blank gives the rules alone.
 * **Errors** `invalid-argument` for a prompt whose strings and insertions do not alternate. **Source** ToolUp's composed prompt builders.
 */
export function composeInstructions(own: string | Prompt | undefined, rules: string): string | Prompt {
  if (own === undefined || (typeof own === "string" && own.trim() === "")) return rules;
  if (typeof own === "string") return `${own.trim()}\n\n${bridge}\n${rules}`;
  checkPrompt(own);
  const strings = [...own.strings];
  strings.push(`${strings.pop()?.trimEnd() ?? ""}\n\n${bridge}\n${rules}`);
  return { strings, insertions: own.insertions };
}

const bridge = "The following rules hold whatever is said above or below.";
