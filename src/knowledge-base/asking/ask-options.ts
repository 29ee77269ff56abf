import type { AskOptions, ContextOptions } from "../../contracts/answer.ts";
import { aFunction, byHand, byRequest, inCode, objectWith, type RulesOf } from "../../runtime/plan-options.ts";
import { searchOptions } from "../../search/search-options.ts";

/** Options of what a model is shown. */
const contextOptions = {
  maxTokens: {
    doc: "Most tokens of the sources that a model is shown.",
    kind: { type: "integer", min: 1 },
    default: 8000,
    for: ["library", "cli"],
    flag: "--context-tokens <n>",
  },
  count: { doc: "Counts tokens.", kind: aFunction, otherwise: "one for four characters", for: inCode },
  wholeCorpus: {
    doc: "Whether a model is shown everything that the asker may read, when it fits.",
    kind: { type: "boolean" },
    default: false,
    for: ["library", "cli"],
  },
} as const satisfies RulesOf<ContextOptions>;

/** Options of `kb.ask`: those of a search, and how the answer is made. */
export const askOptions = {
  ...searchOptions,
  topK: { ...searchOptions.topK, doc: "Number of hits to answer from.", bounds: { http: { max: 50 } } },
  grounding: {
    doc: "Whether to answer anyway, prefer the documents, or answer from them alone.",
    kind: { type: "choice", values: { permissive: true, preferred: true, strict: true } },
    default: "preferred",
    for: byHand,
  },
  minSupport: {
    doc: "Least support of a sentence that counts as supported.",
    kind: { type: "number", min: 0, max: 1 },
    otherwise: "where a tenth of what is partly supported passes",
    for: byHand,
    flag: "--min-support <x>",
  },
  minRelevance: {
    doc: "Least relevance of sources that count as an answer.",
    kind: { type: "number", min: 0, max: 1 },
    otherwise: "where a twentieth of what can be answered is refused",
    for: byHand,
    flag: "--min-relevance <x>",
  },
  instructions: {
    doc: "Instructions of the application; never text of a user.",
    kind: { type: "string" },
    beyond: {
      expects: "a prompt",
      check: (value: unknown) =>
        typeof value === "object" &&
        value !== null &&
        ["strings", "insertions"].every((part) => Array.isArray((value as Record<string, unknown>)[part])),
    },
    for: ["library", "cli"],
    flag: "--instructions <file>",
  },
  context: {
    doc: "How much of the documents a model is shown.",
    kind: { type: "group", options: contextOptions },
    for: ["library", "cli"],
  },
  history: {
    doc: "Earlier messages, oldest first; the question continues them.",
    kind: { type: "list", of: { type: "object" } },
    for: byRequest,
    bounds: { http: { max: 200 } },
  },
  judge: {
    doc: "Chat model that gives each sentence its verdict; `null` for none.",
    kind: objectWith("a chat model", "chat"),
    beyond: { expects: "null", check: (value: unknown) => value === null },
    otherwise: "the knowledge base's",
    for: inCode,
  },
} as const satisfies RulesOf<AskOptions>;
