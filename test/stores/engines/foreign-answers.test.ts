import { describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../../src/contracts/engine.ts";
import { createAzureSearchEngine } from "../../../src/stores/azure-search/azure-search-engine.ts";
import { createChromaEngine } from "../../../src/stores/chroma/chroma-engine.ts";
import { createKustoEngine } from "../../../src/stores/kusto/kusto-engine.ts";
import { createOpenSearchEngine } from "../../../src/stores/opensearch/opensearch-engine.ts";
import { createPineconeEngine } from "../../../src/stores/pinecone/pinecone-engine.ts";
import { createQdrantEngine } from "../../../src/stores/qdrant/qdrant-engine.ts";
import { createSqliteEngine } from "../../../src/stores/sqlite/sqlite-engine.ts";
import { createWeaviateEngine } from "../../../src/stores/weaviate/weaviate-engine.ts";
import { serve } from "./stand-ins/serve.ts";

const makers: Readonly<Record<string, (url: string) => Engine>> = {
  qdrant: (url) => createQdrantEngine({ url }),
  chroma: (url) => createChromaEngine({ url }),
  opensearch: (url) => createOpenSearchEngine({ url }),
  weaviate: (url) => createWeaviateEngine({ url }),
  pinecone: (url) => createPineconeEngine({ url, apiKey: "hunter2" }),
  "azure-search": (url) => createAzureSearchEngine({ url, apiKey: "hunter2" }),
  kusto: (url) => createKustoEngine({ url, database: "db", token: "hunter2" }),
};
const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
const spec = { name: "i", version, dimensions: 2, metric: "cosine", records: true } as const;

/** Opens an index, and uses it until something fails. */
async function use(engine: Engine): Promise<unknown> {
  await engine.indexes("");
  const index = await engine.open(spec);
  await index.count("t");
  await index.nearest({ vector: Float32Array.of(1, 0), limit: 3 });
  await index.read!(["00000000-0000-4000-8000-000000000000"]);
  return index.list("t", undefined);
}

describe("an answer of another program", () => {
  it.each(Object.keys(makers).flatMap((name) => [{}, [], null].map((body) => [name, body] as const)))(
    "is an error with store, operation and next action: %s, %j",
    async (name, body) => {
      const server = await serve(() => ({ status: 200, body }));
      onTestFinished(() => server.stop());
      const error: unknown = await use(makers[name]!(server.url)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        name: "IbidError",
        message: expect.stringContaining(name),
        hint: expect.stringMatching(/\S/u),
        details: { store: name, operation: expect.stringMatching(/\S/u) },
      });
    },
  );

  it("without words has no empty place in the message", async () => {
    const server = await serve(() => ({ status: 404, body: undefined }));
    onTestFinished(() => server.stop());
    const message = await makers["qdrant"]!(server.url)
      .indexes("")
      .catch((error: Error) => error.message);
    expect(message).toMatch(/list collections failed: status 404, without a reason\.$/u);
  });
});

it("a file that cannot be opened is named with what to look at", async () => {
  await expect(createSqliteEngine({ file: "/nowhere/x.sqlite" }).open(spec)).rejects.toMatchObject({
    hint: expect.stringContaining("folder"),
    details: { store: "sqlite", operation: "open" },
  });
});
