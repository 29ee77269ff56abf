import { IbidError } from "../../contracts/errors.ts";
import type { IngestResult, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkText } from "../../runtime/check-options.ts";
import { refuseSecrets } from "./find-secrets.ts";
import { noteKeys, type NoteSuspicion } from "./note.ts";
import { findSuspicious } from "../../text/untrusted/find-suspicious.ts";

/** Longest note. A longer text is a document. **Units** UTF-16 code units. */
export const longestNote = 65_536;

/** The text of a note on its way in. */
export interface KeptNote {
  readonly uri: string;
  readonly text: string;
  readonly title: string;
  readonly metadata: Metadata;
}

interface KeepOptions {
  readonly scope?: Scope | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks the text of a note and its facts, and finds the suspicious passages of the text.
 *
 * **Errors** `invalid-argument` for a blank text, half a surrogate pair and a secret; `too-large` from 65,537 characters on.
 */
export async function checkNote(
  text: unknown,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<readonly NoteSuspicion[]> {
  if (typeof text !== "string" || !visible.test(text)) {
    throw new IbidError("invalid-argument", "The text of the note is blank or not a text.", {
      hint: "Give the statement to remember.",
    });
  }
  if (text.length > longestNote) {
    throw new IbidError("too-large", `The note has ${text.length} characters; a note has at most ${longestNote}.`, {
      hint: "Remember a summary, or ingest the text as a document.",
      details: { length: text.length, limit: longestNote },
    });
  }
  if (!text.isWellFormed()) {
    throw new IbidError("invalid-argument", "The text of the note contains half of a surrogate pair.", {
      hint: "Cut texts between characters, not within them.",
    });
  }
  await refuseSecrets(text, facts);
  return findNoteSuspicions(text);
}

/** A sign that a reader sees: marks, spaces and signs without a width are none. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Stores the text of a note as a document of origin `note`. Every memory of ibid writes here.
 *
 * **Shape** suspicious passages stay as they are; the metadata name their kinds. **Errors** as {@link checkNote}; those of an ingestion.
 */
export async function keepNote(
  kb: Pick<KnowledgeBase, "ingest">,
  { metadata, ...note }: KeptNote,
  { scope, signal }: KeepOptions,
): Promise<IngestResult> {
  const kinds = [...new Set((await checkNote(note.text, { title: note.title, ...metadata })).map(({ kind }) => kind))];
  const marked = kinds.length === 0 ? metadata : { ...metadata, [noteKeys.suspicious]: kinds };
  const options = { origin: "note" as const, ...(scope !== undefined && { scope }), ...(signal && { signal }) };
  for await (const result of kb.ingest({ ...note, metadata: marked }, options)) {
    if (result.error) throw result.error;
    return result;
  }
  throw new IbidError("internal", `The note ${note.uri} had no result.`);
}

/** **Errors** `invalid-argument` for a key or an id that is no text. */
export function checkNamed(where: string, name: string, value: string): void {
  checkText(where, name, value);
  if (value.isWellFormed()) return;
  throw new IbidError("invalid-argument", `${where}: ${name} contains half of a surrogate pair.`, {
    hint: `Give ${name} as list_memories shows it.`,
  });
}

/** **Errors** `invalid-argument` for a value that is no whole number from `least` on. */
export function checkCount(where: string, name: string, value: number, least = 1): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  const found = typeof value === "number" ? value : `a value of the type ${typeof value}`;
  throw new IbidError("invalid-argument", `${where}: ${name} is ${found}; it must be a whole number from ${least}.`, {
    hint: `Give ${name} as a whole number, or leave it out.`,
  });
}

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
function findNoteSuspicions(text: string): readonly NoteSuspicion[] {
  const found: NoteSuspicion[] = [...findSuspicious(text)];
  for (const order of orders)
    for (const { index: start, 0: quote } of text.matchAll(order))
      found.push({ kind: "instruction", start, end: start + quote.length, quote: quote.slice(0, 200) });
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
}
