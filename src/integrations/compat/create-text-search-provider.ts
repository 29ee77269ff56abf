import type { ChatMessage, ChatUserMessage } from "../../contracts/chat.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Tool } from "../../contracts/tool.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createTool } from "../tools/create-tool.ts";
import { quoteLines } from "../tools/format-results.ts";
import { textField, toolInput } from "../tools/tool-input.ts";
import { messageText } from "./message-text.ts";
import { searchText, type TextSearchLimits, type TextSearchResult, toTextSearchResult } from "./text-search-results.ts";

/**
 * When a provider searches, and in which words it tells of it; everything has a default.
 *
 * @experimental
 */
export interface TextSearchProviderOptions extends TextSearchLimits {
  /** Before each call of a model, or when a model calls the tool. Default `"BeforeAIInvoke"`. */
  readonly searchTime?: "BeforeAIInvoke" | "OnDemandFunctionCalling";
  /** Default 3. */
  readonly top?: number;
  /** Default `"Search"`. */
  readonly functionName?: string;
  readonly functionDescription?: string;
  /** Before the results. */
  readonly contextPrompt?: string;
  /** After the results. */
  readonly citationsPrompt?: string;
  /** In the place of both prompts and what stands between; then what comes of it, also for no results, is what the model reads. */
  readonly contextFormatter?: (results: readonly TextSearchResult[]) => string;
}

/**
 * What a call of a model gets.
 *
 * @experimental
 */
export interface TextSearchContext {
  /** To be put before the messages; `""` for nothing found, and where the model is to call. */
  readonly instructions: string;
  /** To be offered; none where the search has happened. */
  readonly tools: readonly Tool[];
}

/**
 * Brings what documents say to a model.
 *
 * @experimental
 */
export interface TextSearchProvider {
  /** For the messages that are new: their texts together are the query. **Errors** those of `search`. */
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
 * Documents as context of a model's call: found beforehand and injected, or found when the model asks.
 *
 * **Shape** the block is Semantic Kernel's, word for word: `SourceDocName:`, `SourceDocLink:`, `Contents:` and `----` for each result. Lines of a document that look
 * like the block's own stand behind `>`, so that none ends itself and begins another (law 12). No results are `""`.
 * **Source** Semantic Kernel's `TextSearchProvider` (S26).
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
    async beforeCall(given, { signal } = {}) {
      if (searchTime === "OnDemandFunctionCalling") return { instructions: "", tools: [search] };
      const messages = "role" in given ? [given] : given;
      const query = messages
        .map(messageText)
        .filter((text) => text !== "")
        .join("\n");
      return { instructions: await find(messageText({ role: "user", content: query }), signal), tools: [] };
    },
  };
}

const optionNames = [
  "filter",
  "scopes",
  "mode",
  "searchTime",
  "top",
  "functionName",
  "functionDescription",
  "contextPrompt",
  "citationsPrompt",
  "contextFormatter",
] as const satisfies readonly (keyof TextSearchProviderOptions)[];

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

/** A name or an address stays on its line. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
