import type {
  EmbeddingModelV2,
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
} from "@ai-sdk/provider";

/** A language model of specification v2, held to that specification by its type; it records what it is called with. */
export function languageModelV2(says: {
  readonly content?: LanguageModelV2Content[];
  readonly finishReason?: LanguageModelV2FinishReason;
  readonly usage?: LanguageModelV2Usage;
  readonly parts?: readonly LanguageModelV2StreamPart[];
  readonly error?: Error;
  readonly provider?: string;
}): LanguageModelV2 & { readonly calls: LanguageModelV2CallOptions[]; cancelled: boolean } {
  const usage = says.usage ?? { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
  return {
    specificationVersion: "v2",
    provider: says.provider ?? "hand.chat",
    modelId: "written-v2",
    supportedUrls: {},
    calls: [],
    cancelled: false,
    async doGenerate(options) {
      this.calls.push(options);
      if (says.error !== undefined) throw says.error;
      return { content: says.content ?? [], finishReason: says.finishReason ?? "stop", usage, warnings: [] };
    },
    async doStream(options) {
      this.calls.push(options);
      if (says.error !== undefined) throw says.error;
      const parts = [...(says.parts ?? [])];
      const stream = new ReadableStream<LanguageModelV2StreamPart>({
        pull: (controller) => {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        },
        cancel: () => {
          this.cancelled = true;
        },
      });
      return { stream };
    },
  };
}

/** An embedding model of specification v2, held to that specification by its type; a text's vector is its length and its first character's code. */
export function embeddingModelV2(says: {
  readonly maxEmbeddingsPerCall?: EmbeddingModelV2<string>["maxEmbeddingsPerCall"];
  readonly usage?: { tokens: number };
  readonly error?: Error;
  readonly provider?: string;
}): EmbeddingModelV2<string> & { readonly calls: Parameters<EmbeddingModelV2<string>["doEmbed"]>[0][] } {
  return {
    specificationVersion: "v2",
    provider: says.provider ?? "hand.embedding",
    modelId: "written-v2",
    maxEmbeddingsPerCall: says.maxEmbeddingsPerCall,
    supportsParallelCalls: false,
    calls: [],
    async doEmbed(options) {
      this.calls.push(options);
      if (says.error !== undefined) throw says.error;
      const embeddings = options.values.map((value) => [value.length, value.codePointAt(0) ?? 0]);
      return says.usage === undefined ? { embeddings } : { embeddings, usage: says.usage };
    },
  };
}
