import { findSuspicious } from "../../text/untrusted/find-suspicious.ts";
import type { NoteSuspicion } from "./note.ts";

/**
 * Orders to a model, in words. A note is read by an agent as its own, so words count here that a document may have.
 *
 * **Source** the attacks that the OWASP list of 2025 names for large language models (LLM01), in English, German, French and Spanish.
 */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b(?:rules?|instructions?|prompts?|guidelines?|polic(?:y|ies)|restrictions?|guardrails?)\b/giu,
  /\b(?:you are now|from now on,? you|pretend (?:to be|that you)|act as (?:if|though|an? unrestricted))\b/giu,
  /\b(?:reveal|print|repeat|show|leak|send)\b[^.!?\n]{0,30}\b(?:system prompt|hidden prompt|initial instructions)\b/giu,
  /\b(?:do not|don't|never) (?:tell|inform|warn|mention (?:this|it) to|ask) the (?:user|human|operator)\b/giu,
  /\bwithout (?:asking|telling|informing) the (?:user|human|operator)\b/giu,
  /\b(?:new|updated) (?:system )?(?:instructions?|rules?) (?:for (?:you|the (?:model|assistant|agent|ai)))\b/giu,
  /\bignorier\w*\b[^.!?\n]{0,30}\b(?:regeln|anweisungen|vorgaben)\b/giu,
  /\bignore[zr]?\b[^.!?\n]{0,30}\b(?:r\u00e8gles|consignes|instructions)\b/giu,
  /\bignora\w*\b[^.!?\n]{0,30}\b(?:reglas|instrucciones)\b/giu,
];

/** Finds passages of a note that address a model. **Shape** in order of `start`. */
export function findNoteSuspicions(text: string): readonly NoteSuspicion[] {
  const found: NoteSuspicion[] = [...findSuspicious(text)];
  for (const order of orders)
    for (const { index: start, 0: quote } of text.matchAll(order))
      found.push({ kind: "instruction", start, end: start + quote.length, quote: quote.slice(0, 200) });
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
}
