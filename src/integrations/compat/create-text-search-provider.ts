import type { ChatMessage, ChatUserMessage } from "../../contracts/chat.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Tool } from "../../contracts/tool.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { createTool } from "../tools/create-tool.ts";
import { quoteLines } from "../tools/format-results.ts";
import { textField, toolInput } from "../tools/tool-input.ts";
import { messageText } from "./message-text.ts";
import { searchText, type TextSearchLimits, type TextSearchResult, toTextSearchResult } from "./text-search-results.ts";

/**
 * Options of a provider. All have defaults.
 *
 * @experimental
 */
export interface TextSearchProviderOptions extends TextSearchLimits {
  /** When to search: before each call of a model, or when the model calls the tool. Default `"BeforeAIInvoke"`. */
  readonly searchTime?: "BeforeAIInvoke" | "OnDemandFunctionCalling" | undefined;
  /** Results. Default 3. */
  readonly top?: number | undefined;
  /** Name of the tool. Default `"Search"`. */
  readonly functionName?: string | undefined;
  readonly functionDescription?: string | undefined;
  /** Text before the results. */
  readonly contextPrompt?: string | undefined;
  /** Text after the results. */
  readonly citationsPrompt?: string | undefined;
  /** Formats the results in place of both texts and the block. Its text is what the model reads, also for no results. */
  readonly contextFormatter?: ((results: readonly TextSearchResult[]) => string) | undefined;
}

/**
 * Context for one call of a model.
 *
 * @experimental
 */
export interface TextSearchContext {
  /** Text to put before the messages; `""` if nothing was found, and if the model calls the tool. */
  readonly instructions: string;
  /** Tools to offer; none if the search has happened. */
  readonly tools: readonly Tool[];
}

/**
 * Gives a model context from documents.
 *
 * @experimental
 */
export interface TextSearchProvider {
  /** Searches with the texts of the new messages. **Errors** as `search`. */
  beforeCall(
    messages: readonly ChatMessage[] | ChatUserMessage,
    options?: { readonly signal?: AbortSignal },
  ): Promise<TextSearchContext>;
}

const contextWords =
  "## Additional Context\nConsider the following information from source documents when responding to the user:";
const citationWords =
  "Include citations to the source document with document name and link if document name and link is available.";

/**
 * Makes context for a model's call: searched and injected before the call, or searched when the model asks.
 *
 * **Shape** Semantic Kernel's block, word for word: `SourceDocName:`, `SourceDocLink:`, `Contents:` and `----` for each result. A line of a document that looks
 * like one of these gets `>` in front. No results give `""`.
 * **Source** Semantic Kernel's `TextSearchProvider`.
 *
 * @experimental
 */
export function createTextSearchProvider(
  kb: KnowledgeBase,
  options: TextSearchProviderOptions = {},
): TextSearchProvider {
  checkOptions("createTextSearchProvider", options, optionNames);
  const { searchTime = "BeforeAIInvoke", top = 3, functionName = "Search", ...words } = options;
  const {
    filter,
    scopes,
    mode,
    functionDescription = "Allows searching for additional information to help answer the user question.",
  } = words;
  const limits = { ...(filter !== undefined && { filter }), ...(scopes && { scopes }), ...(mode && { mode }) };

  const find = async (query: string, signal: AbortSignal | undefined): Promise<string> => {
    const hits = await searchText(kb, query, { ...limits, count: top, signal });
    return formatContext(hits.map(toTextSearchResult), words);
  };
  const search = createTool({
    name: functionName,
    title: "Search",
    description: functionDescription,
    inputSchema: toolInput({ userQuestion: textField("What the user wants to know.") }),
    run: ({ userQuestion }, signal) => find(userQuestion, signal),
  });

  return {
    async beforeCall(given, call = {}) {
      checkGiven("beforeCall", "messages", given, "object");
      checkOptions("beforeCall", call, { signal: true });
      const { signal } = call;
      if (searchTime === "OnDemandFunctionCalling") return { instructions: "", tools: [search] };
      const messages = Array.isArray(given) ? (given as readonly ChatMessage[]) : [given as ChatUserMessage];
      const query = Array.from(messages, messageText)
        .filter((text) => text !== "")
        .join("\n");
      return { instructions: await find(messageText({ role: "user", content: query }), signal), tools: [] };
    },
  };
}

const optionNames = {
  filter: true,
  scopes: true,
  mode: true,
  searchTime: true,
  top: true,
  functionName: true,
  functionDescription: true,
  contextPrompt: true,
  citationsPrompt: true,
  contextFormatter: true,
} as const;

const ownLines = String.raw`-{4,}[\t ]*(?:$|[\n\r\v\f\u0085\u2028\u2029])|SourceDoc(?:Name|Link)\s*:|Contents\s*:|## Additional Context`;

function formatContext(
  results: readonly TextSearchResult[],
  { contextFormatter, contextPrompt = contextWords, citationsPrompt = citationWords }: TextSearchProviderOptions,
): string {
  if (contextFormatter !== undefined) return contextFormatter(results);
  if (results.length === 0) return "";
  const items = results.flatMap(({ name, value, link }) => [
    ...(name.trim() === "" ? [] : [`SourceDocName: ${oneLine(name)}`]),
    ...(link.trim() === "" ? [] : [`SourceDocLink: ${oneLine(link)}`]),
    `Contents: ${quoteLines(value, ownLines)}`,
    "----",
  ]);
  return [contextPrompt, ...items, citationsPrompt, "", ""].join("\n");
}

/** Keeps a name or an address on its line. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
