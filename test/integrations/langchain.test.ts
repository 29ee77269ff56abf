import { Document } from "@langchain/core/documents";
import { RunnableLambda } from "@langchain/core/runnables";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createLangChainRetriever } from "../../src/integrations/langchain/langchain-retriever.ts";
import { createLangChainVectorStore } from "../../src/integrations/langchain/langchain-vector-store.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
});
afterAll(() => kb.close());

describe("a knowledge base in LangChain", () => {
  it("is a vector store: documents in by their ids, found by text, and taken out", async () => {
    const store = createLangChainVectorStore(kb);
    const ids = await store.addDocuments(
      [
        new Document({
          pageContent: "Signing keys are rotated every ninety days.",
          metadata: { area: "ops", at: undefined },
        }),
        new Document({
          id: "doors",
          pageContent: "The keys of the east door hang in the hall.",
          metadata: { area: "house" },
        }),
      ],
      { ids: ["keys"] },
    );
    expect(ids).toEqual(["keys", "doors"]);
    const [first] = await store.similaritySearch("rotate signing keys", 1);
    expect(first).toMatchObject({
      pageContent: "Signing keys are rotated every ninety days.",
      metadata: { area: "ops", source: "keys", start: 0, end: 43 },
    });
    const scored = await store.similaritySearchWithScore("keys", 4, { area: "house" });
    expect(scored.map(([{ metadata }, score]) => [metadata["uri"], score > 0])).toEqual([["doors", true]]);
    expect(await store.asRetriever(1).invoke("east door")).toHaveLength(1);
    await store.delete({ ids: ["doors"] });
    expect(await store.similaritySearch("east door", 4, { area: "house" })).toEqual([]);
  });

  it("gives a document without an id the same one each time, so that it is not there twice [L7]", async () => {
    const store = createLangChainVectorStore(kb, {
      ingest: { scope: "team:twice" },
      search: { scopes: ["team:twice"] },
    });
    const document = new Document({ pageContent: "Once is enough.", metadata: { n: 1 } });
    const [id] = (await store.addDocuments([document])) ?? [];
    expect(await store.addDocuments([document])).toEqual([id]);
    expect(await store.similaritySearch("once enough")).toHaveLength(1);
  });

  it("takes no vectors from outside, and says what to do instead [L6]", async () => {
    const store = createLangChainVectorStore(kb);
    const refusal = { code: "unsupported", hint: expect.stringContaining("openKnowledgeBase") as string };
    await expect(store.addVectors([[1]], [])).rejects.toMatchObject(refusal);
    await expect(store.similaritySearchVectorWithScore([1], 1)).rejects.toMatchObject(refusal);
    await expect(store.embeddings.embedQuery("keys")).rejects.toMatchObject(refusal);
  });

  it("tells which document was not taken in", async () => {
    const store = createLangChainVectorStore(kb);
    await expect(store.addDocuments([new Document({ pageContent: "", metadata: {} })])).rejects.toMatchObject({
      code: "empty",
    });
  });

  it("is a retriever among runnables, for the view that it is given [L3]", async () => {
    await kb.ingest({ uri: "acme", text: "The vault of Acme has two doors." }, { scope: "team:acme" });
    const chain = (view: KnowledgeBase) =>
      createLangChainRetriever(view, { topK: 3 }).pipe(
        RunnableLambda.from((documents: Document[]) => documents.map(({ metadata }) => metadata["uri"] as string)),
      );
    expect(await chain(kb.as({ userId: "ada", teamId: "acme" })).invoke("vault of Acme")).toContain("acme");
    expect(await chain(kb.as({ userId: "bob" })).invoke("vault of Acme")).not.toContain("acme");
  });

  it("keeps the application's filter whatever a call brings [L12]", async () => {
    const store = createLangChainVectorStore(kb, { search: { filter: { area: "house" } } });
    expect(await store.similaritySearch("signing keys", 4, { area: "ops" })).toEqual([]);
  });
});
