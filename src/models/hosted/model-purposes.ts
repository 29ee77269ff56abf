import type { AiSdkProviderOptions } from "../ai-sdk/ai-sdk-model.ts";

/** Prefixes by which a model tells documents from queries. */
export interface ModelPurposes {
  readonly prefixes: { readonly query?: string | undefined; readonly document?: string | undefined };
  readonly queryOptions?: AiSdkProviderOptions;
  readonly documentOptions?: AiSdkProviderOptions;
}

const searching = "Represent this sentence for searching relevant passages: ";
const instructed = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";

/**
 * Prefixes that models were trained with, by what their names hold; the first that fits counts.
 *
 * **Source** the model cards on the Hugging Face Hub, beside each.
 */
const trained: readonly (readonly [name: RegExp, prefixes: ModelPurposes["prefixes"]])[] = [
  // nomic-ai/nomic-embed-text-v1, v1.5 and v2-moe: "task instruction prefixes".
  [/nomic-embed-text/u, { query: "search_query: ", document: "search_document: " }],
  // intfloat/e5-mistral-7b-instruct, intfloat/multilingual-e5-large-instruct: an instruction before the query alone.
  [/e5-mistral|e5-.*-instruct/u, { query: instructed }],
  // intfloat/e5-base-v2, intfloat/multilingual-e5-large: "each input text should start with".
  [/(?:^|[/_-])e5-(?:small|base|large)/u, { query: "query: ", document: "passage: " }],
  // BAAI/bge-small-en-v1.5 and its sisters; bge-m3 needs none.
  [/bge-(?:small|base|large)-en/u, { query: searching }],
  // As Ollama names the same: bge-large is BAAI/bge-large-en-v1.5.
  [/^bge-large(?::|$)/u, { query: searching }],
  // BAAI/bge-large-zh-v1.5 and its sisters.
  [/bge-(?:small|base|large)-zh/u, { query: "为这个句子生成表示以用于检索相关文章：" }],
  // mixedbread-ai/mxbai-embed-large-v1.
  [/mxbai-embed-(?:large|xsmall)/u, { query: searching }],
  // Snowflake/snowflake-arctic-embed-l-v2.0, as Ollama: snowflake-arctic-embed2.
  [/snowflake-arctic-embed(?:-[lm]-v2|2)/u, { query: "query: " }],
  // Snowflake/snowflake-arctic-embed-m and v1.5.
  [/snowflake-arctic-embed/u, { query: searching }],
  // google/embeddinggemma-300m: "Retrieval (Query)", "Retrieval (Document)" without a title.
  [/embedding-?gemma/u, { query: "task: search result | query: ", document: "title: none | text: " }],
  // Qwen/Qwen3-Embedding-0.6B; its model card has no space after the colon, unlike that of intfloat/e5.
  [/qwen3-embedding/u, { query: instructed.trimEnd() }],
];

/**
 * Options of hosted models with a setting for the purpose of a text.
 *
 * **Source** Gemini API, `TaskType`; Cohere API, `input_type`; Voyage API, `input_type`; the AI SDK's packages for their names there.
 */
const told: Readonly<
  Record<string, { readonly query: AiSdkProviderOptions; readonly document: AiSdkProviderOptions }>
> = {
  google: {
    query: { google: { taskType: "RETRIEVAL_QUERY" } },
    document: { google: { taskType: "RETRIEVAL_DOCUMENT" } },
  },
  cohere: {
    query: { cohere: { inputType: "search_query" } },
    document: { cohere: { inputType: "search_document" } },
  },
  voyage: {
    query: { voyage: { inputType: "query" } },
    document: { voyage: { inputType: "document" } },
  },
};

/** Known facts about a model; none for most. **Shape** the lookup ignores case. */
export function purposesOf(provider: string, modelId: string): ModelPurposes {
  const name = modelId.toLowerCase();
  const prefixes = trained.find(([pattern]) => pattern.test(name))?.[1] ?? {};
  const options = Object.hasOwn(told, provider) ? told[provider] : undefined;
  return {
    prefixes,
    ...(options && { queryOptions: options.query, documentOptions: options.document }),
  };
}
