import { describe, expect, it } from "vitest";

import type { RetrievalTrace } from "../../src/contracts/tracer.ts";
import type { RetrieverParts, WrapRetriever } from "../../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createHashingModel } from "../../src/models/index.node.ts";
import { compressHits, expandHits, hyde, multiQuery, rewriteQuery } from "../../src/search/index.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";

const page = `# Keys

## Rotation

Signing keys are rotated every ninety days. The old key is revoked first.

It takes an hour.

## Safe

Spare keys are kept in a safe.
`;

async function openWith(retriever: WrapRetriever, options: Parameters<typeof openKnowledgeBase>[1] = {}) {
  const kb = await openKnowledgeBase({ search: { retriever }, ...options });
  await kb.ingest({ uri: "keys.md", text: page, mediaType: "text/markdown" });
  await kb.ingest({ uri: "hidden.md", text: "Signing keys are rotated by the south." }, { scope: "team:south" });
  return kb;
}

describe("a knowledge base with retrievers around its own", () => {
  it.each<[string, WrapRetriever]>([
    ["widened", (base, { documents }) => expandHits(base, { documents, zoomOut: 2 })],
    ["narrowed", (base, { documents, analyzer }) => compressHits(base, { documents, analyzer, around: 0 })],
  ])("answers with citations that stand in the document, whatever was %s [E53 E55 L2]", async (_, wrap) => {
    const kb = await openWith(wrap);
    const { citations, verbatim, hits } = await kb.as({ userId: "ada" }).ask("How often are signing keys rotated?");
    expect(citations.length).toBeGreaterThan(0);
    for (const { quote, start, end } of citations) expect(page.slice(start, end)).toBe(quote);
    for (const { text, source } of hits) expect(page.slice(source.start, source.end)).toBe(text);
    expect(citations[0]?.quote).toMatch(/^Signing keys are rotated every ninety days\./u);
    expect(verbatim).toBe(true);
    await kb.close();
  });

  it("hands them two readings and nothing to write with, each refused without a proof [L3]", async () => {
    let parts: RetrieverParts | undefined;
    const kb = await openWith((base, given) => {
      parts = given;
      return base;
    });
    expect(Object.keys(parts?.documents ?? {}).toSorted()).toEqual(["chunks", "document"]);
    const forged = { right: "read", scopes: ["team:south"], requested: ["team:south"] } as never;
    await expect(parts?.documents.document(forged, "any")).rejects.toMatchObject({ code: "access-denied" });
    await kb.close();
  });

  it("what somebody's retriever finds beyond the asker's scopes is left out [T26 L3]", async () => {
    const everything: WrapRetriever = (base) => {
      let whole: Parameters<typeof base.retrieve>[0] | undefined;
      return {
        retrieve(scopes, query, options) {
          if (whole === undefined || scopes.scopes.length > whole.scopes.length) whole = scopes;
          return base.retrieve(whole, query, options);
        },
      };
    };
    let shared: ReturnType<WrapRetriever> | undefined;
    const kb = await openWith((base, parts) => (shared ??= everything(base, parts)));
    expect((await kb.search("signing keys", { topK: "all" })).map(({ scope }) => scope)).toContain("team:south");
    const found = await kb.as({ userId: "ada" }).search("signing keys", { topK: "all" });
    expect(found.every(({ scope }) => scope === "deployment")).toBe(true);
    await kb.close();
  });

  it("no word of the question or of the model is in what is traced, told or kept as a key [L10]", async () => {
    const traces: RetrievalTrace[] = [];
    const events: unknown[] = [];
    const model = createScriptedChatModel((messages) => `zanzibar ${messages.at(-1)?.content as string}`);
    const kb = await openWith((base) => rewriteQuery(hyde(multiQuery(base, { model }), { model }), { model }), {
      models: { embedding: createHashingModel() },
      operations: {
        tracer: { trace: (trace) => void traces.push(trace), miss: (...told) => void events.push(told) },
        telemetry: { event: (event) => void events.push(event) },
      },
    });
    const hits = await kb.search("signing keys", { explain: true });
    expect(hits.length).toBeGreaterThan(0);
    // The question rewritten and the answer to it, each in one way more; which of the first is the answer's own words, so that three differ.
    expect(traces).toHaveLength(4);
    expect(new Set(traces.map(({ queryHash }) => queryHash)).size).toBe(3);
    const told = JSON.stringify([traces, events, hits.map(({ explain }) => explain?.steps)]);
    expect(told).not.toMatch(/zanzibar|signing/u);
    await kb.close();
  });

  it("a retriever that is given whole still takes the place of the built-in one", async () => {
    const kb = await openKnowledgeBase({ search: { retriever: { retrieve: async () => [] } } });
    await kb.ingest({ uri: "a", text: "Keys." });
    expect(await kb.search("keys")).toEqual([]);
    await kb.close();
  });

  it("what makes no retriever is refused when it is opened, not when it is asked", async () => {
    await expect(openKnowledgeBase({ search: { retriever: (() => {}) as never } })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    await expect(openKnowledgeBase({ search: { retriever: {} as never } })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});
