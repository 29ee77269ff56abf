import type { ContextOptions, Grounding } from "../../contracts/answer.ts";
import type { Prompt } from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { composeInstructions } from "./compose-instructions.ts";
import { cutHit, endAt, type FittedContext, fitContext } from "./fit-context.ts";
import { createFence, groundingRules, renderSource } from "../citations/grounding.ts";

/**
 * Options of a prompt; everything has a default. **Source** ToolUp.
 *
 * @experimental
 */
export interface BuildPromptOptions {
  /** The application's own system prompt, said before the rules. */
  readonly instructions?: string | Prompt | undefined;
  /** Default `"preferred"`. */
  readonly grounding?: Grounding | undefined;
  /** How much of each hit is shown; cut between sentences where there is one. **Units** UTF-16, from 32 to 8,192. Default 1,500. */
  readonly snippetLimit?: number | undefined;
  /** How much of all of them. Default: as {@link ContextOptions} say. */
  readonly context?: Omit<ContextOptions, "wholeCorpus"> | undefined;
}

/**
 * A system prompt with what was found, and what is needed to check the answer to it.
 *
 * @experimental
 */
export interface BuiltPrompt {
  /** For the system message: the application's instructions, then the rules and the section. */
  readonly system: string | Prompt;
  /** The rules and the "Retrieved context" section alone; `""` when there was nothing to search for. */
  readonly section: string;
  /** As they are shown, best first. */
  readonly hits: readonly Hit[];
  /** How each is cited, beside `hits`: `[Doc abc, Chunk 1 of 5]`. */
  readonly labels: readonly string[];
  readonly grounding: Grounding;
  /** Nothing that was found is evidence, and the mode is strict: say so to the user, and call no model. */
  readonly refuse: boolean;
  /** Chunks that were cut or left out to fit the budget. */
  readonly context: Pick<FittedContext, "tokens" | "maxTokens" | "cut" | "leftOut">;
}

const known = { instructions: true, grounding: true, snippetLimit: true, context: true } as const;
/** **Source** ToolUp's defaults and bounds. */
const snippetLimits = { least: 32, default: 1500, most: 8192 } as const;
/** **Source** ToolUp, word for word. */
const nothingFound = "Knowledge-base search ran for this turn and returned no relevant matches.";

/**
 * Builds a system prompt with a section of retrieved context, for applications that call their model themselves.
 *
 * A short label cites each source, such as `[Doc abc, Chunk 1 of 5]`. `abc` is the shortest distinct beginning of a hash of the document's id.
 * `1 of 5` is the chunk's place among those of its document. Sources are fenced and neutralised as in an answer of the knowledge base.
 *
 * **Shape** the same hits give the same labels; every call makes a new fence. **Errors** `invalid-argument`.
 * **Source** ToolUp `RAGPromptBuilder`.
 *
 * @experimental
 */
export function buildPrompt(hits: readonly Hit[], options: BuildPromptOptions = {}): BuiltPrompt {
  checkGiven("buildPrompt", "hits", hits, "list", {
    source: "object",
    text: "text",
    scope: "text",
    documentId: "text",
  });
  checkOptions("buildPrompt", options, known);
  const { instructions, grounding = "preferred", snippetLimit = snippetLimits.default, context = {} } = options;
  checkSnippetLimit(snippetLimit);
  checkGrounding(grounding);
  const fence = createFence(hits);
  const names = nameDocuments(hits);
  // A chunk is named by its place in its document; by its rank where the document's chunks are not counted.
  const name = (hit: Hit, rank: number, ranks: number): string => {
    const { chunkIndex, totalChunks } = hit.structure ?? {};
    const isPlaced = chunkIndex !== undefined && totalChunks !== undefined;
    const [place, of] = isPlaced ? [chunkIndex + 1, totalChunks] : [rank, ranks];
    return `Doc ${names.get(keyOf(hit))}, Chunk ${place} of ${of}`;
  };
  const short = hits.map((hit) => cutToLimit(hit, snippetLimit));
  const render = (hit: Hit, place: number, of: number): string =>
    renderSource(hit, `label="${name(hit, place, of)}"`, fence);
  const { hits: shown, ...fitted } = fitContext(short, context, (hit, index) => render(hit, index + 1, hits.length));

  const labels = shown.map((hit, index) => `[${name(hit, index + 1, shown.length)}]`);
  const where = "The section below";
  const rules = groundingRules({ grounding, sources: shown.length, fence, where, citation: labels[0] ?? "" });
  const sources = shown.map((hit, index) => render(hit, index + 1, shown.length));
  const body = shown.length === 0 ? nothingFound : sources.join("\n\n");
  const section = `${rules}\n\n## Retrieved context\n\n${body}`;
  const cutShort = short.flatMap((hit, index) => (hit === hits[index] ? [] : hit.chunkId));
  return {
    system: composeInstructions(instructions, section),
    section,
    hits: shown,
    labels,
    grounding,
    refuse: grounding === "strict" && !shown.some((hit) => hit.evidence ?? true),
    context: {
      ...fitted,
      cut: [...new Set([...cutShort, ...fitted.cut])].filter((id) => !fitted.leftOut.includes(id)),
    },
  };
}

/** **Errors** `invalid-argument` for a word that is none of the three. */
export function checkGrounding(grounding: Grounding): void {
  if (["permissive", "preferred", "strict"].includes(grounding)) return;
  throw new IbidError("invalid-argument", `grounding is ${JSON.stringify(grounding)}.`, {
    hint: "Give permissive, preferred or strict.",
  });
}

export function checkSnippetLimit(limit: number): void {
  const { least, most } = snippetLimits;
  if (Number.isInteger(limit) && limit >= least && limit <= most) return;
  throw new IbidError("invalid-argument", `snippetLimit is ${String(limit)}.`, {
    hint: `Give a whole number of characters from ${least} to ${most}.`,
  });
}

/** A hit within the limit: whole sentences, or, of a first sentence that is longer, its beginning. */
function cutToLimit(hit: Hit, limit: number): Hit {
  if (hit.text.length <= limit) return hit;
  const cut = cutHit(hit, ({ text }) => text.length <= limit);
  if (cut) return cut;
  const insidePair = /[\ud800-\udbff]$/.test(hit.text.slice(0, limit));
  return endAt(hit, insidePair ? limit - 1 : limit);
}

const shortestName = 3;

/** The beginning of a hash of each document, as long as it takes to tell them apart. */
function nameDocuments(hits: readonly Hit[]): ReadonlyMap<string, string> {
  const hashes = new Map(hits.map((hit) => [keyOf(hit), hashParts(hit.scope, hit.documentId)]));
  let length = shortestName;
  const isAmbiguous = (): boolean =>
    new Set([...hashes.values()].map((hash) => hash.slice(0, length))).size < hashes.size;
  while (length < 40 && isAmbiguous()) length += 1;
  return new Map([...hashes].map(([key, hash]) => [key, hash.slice(0, length)]));
}

function keyOf({ scope, documentId }: Hit): string {
  return JSON.stringify([scope, documentId]);
}
