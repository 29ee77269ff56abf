import { MockEmbeddingModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";

import { type AiSdkEmbeddingOptions, fromAiSdkEmbeddingModel } from "../../src/models/ai-sdk/embedding-model.ts";
import { purposesOf } from "../../src/models/hosted/model-purposes.ts";

const searching = "Represent this sentence for searching relevant passages: ";

describe("how well-known models want documents and queries told apart [T36]", () => {
  it.each([
    ["nomic-embed-text:v1.5", { query: "search_query: ", document: "search_document: " }],
    ["nomic-ai/nomic-embed-text-v2-moe", { query: "search_query: ", document: "search_document: " }],
    ["intfloat/multilingual-e5-large", { query: "query: ", document: "passage: " }],
    ["Xenova/e5-small-v2", { query: "query: ", document: "passage: " }],
    ["BAAI/bge-small-en-v1.5", { query: searching }],
    ["bge-large", { query: searching }],
    ["mxbai-embed-large", { query: searching }],
    ["snowflake-arctic-embed:335m", { query: searching }],
    ["snowflake-arctic-embed2", { query: "query: " }],
    ["Snowflake/snowflake-arctic-embed-l-v2.0", { query: "query: " }],
    ["embeddinggemma", { query: "task: search result | query: ", document: "title: none | text: " }],
    ["bge-m3", {}],
    ["all-minilm", {}],
    ["text-embedding-3-small", {}],
  ])("%s", (name, prefixes) => {
    expect(purposesOf("any", name)).toEqual({ prefixes });
  });

  it.each(["intfloat/multilingual-e5-large-instruct", "qwen3-embedding:0.6b"])(
    "%s has an instruction before the query alone",
    (name) => {
      const { prefixes } = purposesOf("any", name);
      expect(prefixes.query).toMatch(/^Instruct: .*\nQuery: ?$/u);
      expect(prefixes.document).toBeUndefined();
    },
  );

  it.each([
    ["google", { google: { taskType: "RETRIEVAL_QUERY" } }, { google: { taskType: "RETRIEVAL_DOCUMENT" } }],
    ["cohere", { cohere: { inputType: "search_query" } }, { cohere: { inputType: "search_document" } }],
    ["voyage", { voyage: { inputType: "query" } }, { voyage: { inputType: "document" } }],
  ])("%s is told by options", async (provider, query, document) => {
    const called = async (purpose: "query" | "document", options?: AiSdkEmbeddingOptions) => {
      const model = new MockEmbeddingModelV4({
        provider: `${provider}.embedding`,
        modelId: "m",
        doEmbed: async () => ({ embeddings: [[1]], warnings: [] }),
      });
      await fromAiSdkEmbeddingModel(model, options).embed(["a"], { purpose });
      return model.doEmbedCalls[0]?.providerOptions;
    };
    expect(await called("query")).toEqual(query);
    expect(await called("document")).toEqual(document);
    expect(await called("query", { queryOptions: {} })).toEqual({});
  });

  it("what is given takes the place of what is known, and changes the version [L6]", async () => {
    const open = (options?: AiSdkEmbeddingOptions) =>
      fromAiSdkEmbeddingModel(new MockEmbeddingModelV4({ provider: "p", modelId: "nomic-embed-text" }), options);
    expect(open().fingerprint).not.toBe("");
    expect(open({ prefixes: {} }).fingerprint).toBe("");
    expect(open({ prefixes: { query: "search_query: ", document: "search_document: " } }).fingerprint).toBe(
      open().fingerprint,
    );
  });
});
