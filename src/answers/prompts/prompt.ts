import { checkGiven } from "../../runtime/check-options.ts";
import type { Insertion, Prompt } from "../../contracts/chat.ts";

/**
 * A prompt from a template, with strings and insertions still apart, so that documents can travel whole to a multimodal model.
 *
 * **Shape** `strings.length === insertions.length + 1`; the strings are the cooked ones. **Source** Ballerina's raw template.
 *
 * @experimental
 * @example
 * ```ts
 * const question = prompt`Summarise ${document} in ${3} sentences.`;
 * ```
 */
export function prompt(strings: TemplateStringsArray, ...insertions: readonly Insertion[]): Prompt {
  checkGiven("prompt", "strings", strings, "list");
  return Object.freeze({ strings: Object.freeze([...strings]), insertions: Object.freeze([...insertions]) });
}
