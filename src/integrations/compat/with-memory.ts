import type {
  ChatMessage,
  ChatModel,
  ChatOptions,
  ChatResult,
  ChatStreamPart,
  ChatUserMessage,
} from "../../contracts/chat.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { thresholdScore, withoutExplanation } from "./threshold-score.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { neutraliseSource } from "../../text/untrusted/neutralise-source.ts";
import { messageText } from "./message-text.ts";
import { encodeTags } from "./template/encode-html.ts";

/**
 * Memory of a request. **Source** Semantic Kernel's `MemoryConfig`.
 *
 * @experimental
 */
export interface RequestMemory {
  /** The view to search: `kb.as(ada)` finds only documents that Ada may read. */
  readonly store: KnowledgeBase;
  /** Least score of a hit, inclusive. Default .8. */
  readonly minRelevanceScore?: number | undefined;
  /** Hits at most. Default 3; 0 or less: none. */
  readonly limit?: number | undefined;
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode | undefined;
  readonly filter?: FilterInput | undefined;
  readonly scopes?: readonly Scope[] | undefined;
}

const memoryOptions = {
  store: true,
  minRelevanceScore: true,
  limit: true,
  mode: true,
  filter: true,
  scopes: true,
} as const;

/**
 * Options of a call of a model with memory.
 *
 * @experimental
 */
export interface MemoryChatOptions extends ChatOptions {
  /** Memory of this call, in place of the model's; `null`: none. */
  readonly memory?: RequestMemory | null | undefined;
}

/**
 * A {@link ChatModel} whose requests may have memory.
 *
 * @experimental
 */
export interface MemoryChatModel extends ChatModel {
  chat(messages: readonly ChatMessage[] | ChatUserMessage, options?: MemoryChatOptions): Promise<ChatResult>;
  stream(
    messages: readonly ChatMessage[] | ChatUserMessage,
    options?: MemoryChatOptions,
  ): AsyncIterable<ChatStreamPart>;
}

/**
 * Wraps a model so that each request carries memory: hits for the last user message, placed before that message.
 *
 * **Shape** the texts stand, best first, between `<memory>` and `</memory>`, neutralised, with `&`, `<` and `>` encoded, so that no text ends the fence.
 * Without hits or a user message, the request stays as it is. The caller's messages are not changed.
 * **Errors** `invalid-argument` for an unknown setting; those of `search` and of the model.
 * **Cost** one search for each request. **Source** Semantic Kernel's fourth option.
 *
 * @experimental
 */
export function withMemory(model: ChatModel, defaults?: RequestMemory): MemoryChatModel {
  checkGiven("withMemory", "model", model, "object");
  checkMemory(defaults);
  const remind = async (given: readonly ChatMessage[] | ChatUserMessage, options: MemoryChatOptions) => {
    checkGiven("withMemory", "messages", given, "object");
    checkGiven("withMemory", "options", options, "object");
    const { memory = defaults, ...rest } = options;
    const messages = Array.isArray(given) ? (given as readonly ChatMessage[]) : [given as ChatUserMessage];
    if (Array.isArray(given)) checkGiven("withMemory", "messages", given, "list", { role: "text" });
    if (memory === undefined || memory === null) return { messages, rest };
    checkMemory(memory);
    const index = messages.findLastIndex(({ role }) => role === "user");
    const last = messages[index];
    if (last?.role !== "user") return { messages, rest };
    const hits = await searchMemory(memory, messageText(last), rest.signal);
    if (hits.length === 0) return { messages, rest };
    return { messages: messages.with(index, putBefore(last, fence(hits))), rest };
  };
  return {
    provider: model.provider,
    model: model.model,
    async chat(messages, options = {}) {
      const reminded = await remind(messages, options);
      return model.chat(reminded.messages, reminded.rest);
    },
    async *stream(messages, options = {}) {
      const reminded = await remind(messages, options);
      yield* model.stream(reminded.messages, reminded.rest);
    },
  };
}

function checkMemory(memory: RequestMemory | undefined): void {
  if (memory !== undefined) checkOptions("memory", memory, memoryOptions);
}

async function searchMemory(
  { store, minRelevanceScore = 0.8, limit = 3, mode, filter, scopes }: RequestMemory,
  query: string,
  signal: AbortSignal | undefined,
): Promise<readonly Hit[]> {
  if (query === "" || limit < 1) return [];
  const hits = await store.search(query, {
    topK: limit,
    snippetLength: 0,
    explain: true,
    ...(mode !== undefined && { mode }),
    ...(filter !== undefined && { filter }),
    ...(scopes !== undefined && { scopes }),
    ...(signal && { signal }),
  });
  return hits.filter((hit) => thresholdScore(hit) >= minRelevanceScore).map(withoutExplanation);
}

const fence = (hits: readonly Hit[]): string =>
  `<memory>\n${hits.map(({ text }) => encodeTags(neutraliseSource(text))).join("\n")}\n</memory>\n`;

function putBefore(message: ChatUserMessage, data: string): ChatUserMessage {
  const { content } = message;
  if (typeof content === "string") return { ...message, content: data + content };
  const [first = "", ...others] = content.strings;
  return { ...message, content: { ...content, strings: [data + first, ...others] } };
}
