import type { Answer } from "../../contracts/answer.ts";
import type { ChatMessage, ChatModel } from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Hit, SearchOptions } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { answerQuestion } from "../answer-question.ts";
import {
  buildPrompt,
  type BuildPromptOptions,
  type BuiltPrompt,
  checkGrounding,
  checkSnippetLimit,
} from "./build-prompt.ts";
import type { DocumentSlices } from "../citations/cite-quote.ts";
import { renderPrompt } from "../../models/render-prompt.ts";

/**
 * How prompts are built for a conversation; everything has a default. **Source** ToolUp.
 *
 * @experimental
 */
export interface PromptBuilderOptions extends BuildPromptOptions {
  /** From 1 to 100. Default 5. */
  readonly topK?: number | undefined;
  /** Inclusive threshold of the dense leg, from 0 to 1. Default 0.3. */
  readonly minScore?: number | undefined;
  /** Other options of the search: scopes, a strategy, a filter. */
  readonly search?:
    | Omit<SearchOptions, "topK" | "minScore" | "explain" | "includeEmbeddings" | "groupBy" | "asOf">
    | undefined;
}

/**
 * Puts what is found into an application's own prompt, and checks the answer that its model gives.
 *
 * @experimental
 */
export interface PromptBuilder {
  /**
   * Builds the prompt for a conversation after a search for its last user message. Without one there is no search, and the section is `""`.
   * **Errors** every error of the search.
   */
  build(
    conversation: string | readonly ChatMessage[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<BuiltPrompt>;
  /**
   * Checks an answer to the prompt like the knowledge base's own: labels become `[1]` with a quote from the document. Markers that do not resolve are removed, and
   * so are addresses that no source has. `question` is the user's.
   */
  check(prompt: BuiltPrompt, question: string, text: string): Promise<Answer>;
}

const known = {
  topK: true,
  minScore: true,
  search: true,
  instructions: true,
  grounding: true,
  snippetLimit: true,
  context: true,
} as const;
const searchable = {
  mode: true,
  syntax: true,
  filter: true,
  minFusedScore: true,
  pattern: true,
  ignoreCase: true,
  origins: true,
  under: true,
  uris: true,
  fusion: true,
  weights: true,
  rerank: true,
  snippetLength: true,
  copies: true,
  merge: true,
  signal: true,
  after: true,
  atMostMs: true,
  consistency: true,
  onUsage: true,
  keywords: true,
  storeOptions: true,
  scores: true,
  marks: true,
  scopes: true,
  strategy: true,
} as const;

/**
 * Creates a prompt builder over a knowledge base or a caller's view of it.
 *
 * **Shape** stateless; every `build` searches anew. **Errors** `invalid-argument` for options that are unknown or out of bounds.
 * **Source** ToolUp `RAGPromptBuilder.withRetrieval`.
 *
 * @experimental
 */
export function createPromptBuilder(
  kb: Pick<KnowledgeBase, "search" | "document">,
  options: PromptBuilderOptions = {},
): PromptBuilder {
  checkOptions("createPromptBuilder", options, known);
  const { topK = 5, minScore = 0.3, search = {}, ...building } = options;
  checkOptions("search", search, searchable);
  if (!Number.isInteger(topK) || topK < 1 || topK > 100)
    throw outOfBounds("topK", topK, "a whole number from 1 to 100");
  if (!(minScore >= 0 && minScore <= 1)) throw outOfBounds("minScore", minScore, "a number from 0 to 1");
  if (building.snippetLimit !== undefined) checkSnippetLimit(building.snippetLimit);
  if (building.grounding !== undefined) checkGrounding(building.grounding);

  return {
    async build(conversation, given = {}) {
      checkOptions("build", given, { signal: true });
      const { signal } = given;
      if (typeof conversation !== "string") checkGiven("build", "conversation", conversation, "list", { role: "text" });
      const query = typeof conversation === "string" ? conversation.trim() : latestOf(conversation);
      if (query === "") {
        const { instructions = "", grounding = "preferred" } = building;
        const context = { tokens: 0, maxTokens: 0, cut: [], leftOut: [] };
        return { system: instructions, section: "", hits: [], labels: [], grounding, refuse: false, context };
      }
      const found = await kb.search(query, { ...search, topK, minScore, explain: true, ...(signal && { signal }) });
      const { hits, ...built } = buildPrompt(found, building);
      return { ...built, hits: hits.map(withoutExplanation) };
    },

    async check(built, question, text) {
      checkGiven("check", "built", built, "object", { hits: "list", labels: "list" });
      checkText("check", "question", question);
      checkText("check", "text", text);
      const { hits, labels, grounding } = built;
      const texts = new Map<string, Promise<string | undefined>>();
      const textOf = async (id: string, scope: Scope): Promise<string | undefined> => {
        const hit = hits.find((one) => one.documentId === id && one.scope === scope);
        const document = hit && (await kb.document(hit.source.uri, { scope }));
        return document?.id === id ? document.text : undefined;
      };
      const documents: DocumentSlices = {
        async read(id, scope, start, end) {
          const key = JSON.stringify([scope, id]);
          const known = texts.get(key) ?? textOf(id, scope);
          texts.set(key, known);
          return (await known)?.slice(start, end);
        },
      };
      const model = sayer(text);
      const names = labels.map((label) => label.slice(1, -1));
      const { instructions } = building;
      // The sources fitted the budget already.
      const context = { maxTokens: Number.MAX_SAFE_INTEGER };
      const answering = { question, hits, grounding, model, labels: names, documents, instructions, context };
      for await (const event of answerQuestion(answering)) {
        if (event.type === "answer") return { ...event.answer, model: null };
      }
      throw new IbidError("internal", "The answer ended before it was whole.");
    },
  };
}

/** It was asked for to know what is evidence. */
function withoutExplanation(hit: Hit): Hit {
  const { explain: _, ...rest } = hit;
  return rest;
}

function latestOf(messages: readonly ChatMessage[]): string {
  const latest = messages.findLast(({ role }) => role === "user");
  return latest ? renderPrompt(latest.content ?? "").trim() : "";
}

/** A model that returns a text made elsewhere. */
function sayer(text: string): ChatModel {
  const result = { message: { role: "assistant", content: text } } as const;
  return {
    provider: "application",
    model: "own",
    chat: async () => result,
    async *stream() {
      yield { type: "text", delta: text };
      yield { type: "finish", result };
    },
  };
}

function outOfBounds(name: string, value: unknown, wanted: string): IbidError {
  return new IbidError("invalid-argument", `${name} is ${String(value)}.`, { hint: `Give ${wanted}.` });
}
