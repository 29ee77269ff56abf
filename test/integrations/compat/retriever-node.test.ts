import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createGate, operator } from "ibid/access";
import { createMemoryStore } from "ibid/stores";
import type { FilterInput } from "../../../src/contracts/filter.ts";
import type { KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import { createRetrieverNode, type RetrievedDoc } from "../../../src/integrations/compat/retriever-node.ts";

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest([
    { uri: "keys.md", text: "Signing keys are rotated every ninety days.", metadata: { area: "ops" } },
    { uri: "doors.md", text: "The keys of the east door hang in the hall.", metadata: { area: "house" } },
    { uri: "plans.md", text: "The keys are sold in May.", metadata: { area: "board" } },
  ]);
});
afterAll(() => kb.close());

const uris = (docs: readonly RetrievedDoc[]): readonly unknown[] => docs.map(({ metadata }) => metadata["uri"]);

describe("a retriever node", () => {
  it("reads the query from the state and gives documents without scores [W20 W24 W25 W26]", async () => {
    const node = createRetrieverNode(kb, { topK: 1 });
    const update = await node({ query: "rotate signing keys" });
    expect(update).toEqual({
      retrievedDocs: [
        {
          id: expect.any(String) as string,
          content: "Signing keys are rotated every ninety days.",
          metadata: {
            area: "ops",
            uri: "keys.md",
            title: expect.any(String) as string,
            headings: [],
            start: 0,
            end: 43,
          },
        },
      ],
    });
  });

  it("takes the state's filter, and narrows its own by it [W25 W42 L12]", async () => {
    const filtered = (metadataFilter: FilterInput) => ({ query: "keys", metadataFilter });
    const node = createRetrieverNode(kb);
    expect(uris((await node(filtered({ area: "house" }))).retrievedDocs)).toEqual(["doors.md"]);
    const own = createRetrieverNode(kb, { filter: { area: { ne: "board" } } });
    expect(
      uris((await own({ query: "keys" })).retrievedDocs).toSorted((a, b) => String(a).localeCompare(String(b))),
    ).toEqual(["doors.md", "keys.md"]);
    expect((await own(filtered({ area: "board" }))).retrievedDocs).toEqual([]);
    expect((await own(filtered({ or: [{ area: "board" }, { area: "ops" }] }))).retrievedDocs.length).toBe(1);
  });

  it("holds its threshold here, inclusive [W23 W42]", async () => {
    const hits = await kb.search("keys of the east door");
    const score = hits[1]!.score;
    const at = createRetrieverNode(kb, { scoreThreshold: score });
    const above = createRetrieverNode(kb, { scoreThreshold: score + 1e-9 });
    const query = "keys of the east door";
    expect((await at({ query })).retrievedDocs.length).toBe(hits.filter((hit) => hit.score >= score).length);
    expect((await above({ query })).retrievedDocs.length).toBe(hits.filter((hit) => hit.score > score).length);
  });

  it("finds nothing where there is nothing, and that is no error [W28]", async () => {
    expect(await createRetrieverNode(kb, { scopes: ["team:none"] })({ query: "keys" })).toEqual({ retrievedDocs: [] });
  });

  it("fails as a node, with the cause kept [W27 W29]", async () => {
    const node = createRetrieverNode(kb);
    await expect(node({ query: " " })).rejects.toMatchObject({
      code: "node-failed",
      message: expect.stringContaining("The retriever node failed: ") as string,
      cause: { code: "invalid-argument" },
    });
    await expect(node({ query: "keys" }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });

  it("sees what its view sees [L3]", async () => {
    const base = await openKnowledgeBase();
    await base.ingest({ uri: "a", text: "The keys of Acme." }, { scope: "team:acme" });
    const state = { query: "keys of Acme" };
    expect((await createRetrieverNode(base.as({ userId: "bob" }))(state)).retrievedDocs).toEqual([]);
    expect((await createRetrieverNode(base.as({ userId: "ada", teamId: "acme" }))(state)).retrievedDocs).toHaveLength(
      1,
    );
    await base.close();
  });

  it("refuses options that nobody knows, and parts that lack one", () => {
    expect(() => createRetrieverNode(kb, { limit: 3 } as object)).toThrow('no option "limit"');
    const parts = { store: createMemoryStore(), scopes: createGate().read(operator, ["deployment"]) };
    expect(() => createRetrieverNode(parts as never)).toThrow("embeddingModel is of the type undefined");
    expect(() => createRetrieverNode({ ...parts, model: {} } as never)).toThrow('no option "model"');
  });
});

describe("the same as a node of LangGraph", () => {
  const State = Annotation.Root({
    query: Annotation<string>,
    metadataFilter: Annotation<FilterInput | undefined>,
    retrievedDocs: Annotation<readonly RetrievedDoc[]>,
    answer: Annotation<string>,
  });

  const build = (view: KnowledgeBase) =>
    new StateGraph(State)
      .addNode("retrieve", createRetrieverNode<typeof State.State>(view, { topK: 1 }))
      .addNode("reply", ({ retrievedDocs }) => ({ answer: retrievedDocs[0]?.content ?? "nothing" }))
      .addEdge(START, "retrieve")
      .addEdge("retrieve", "reply")
      .addEdge("reply", END)
      .compile();

  it("replaces what was retrieved before [W24 W25 W42]", async () => {
    const before = [{ id: "old", content: "old", metadata: {} }];
    const state = await build(kb).invoke({ query: "rotate signing keys", retrievedDocs: before });
    expect(state.retrievedDocs.map(({ id }) => id)).not.toContain("old");
    expect(state.answer).toBe("Signing keys are rotated every ninety days.");
    const filtered = await build(kb).invoke({ query: "keys", metadataFilter: { area: "house" } });
    expect(filtered.answer).toContain("east door");
  });

  it("halts the graph when it fails [W27 W29]", async () => {
    let answered = false;
    const graph = new StateGraph(State)
      .addNode("retrieve", createRetrieverNode<typeof State.State>(kb))
      .addNode("reply", () => {
        answered = true;
        return {};
      })
      .addEdge(START, "retrieve")
      .addEdge("retrieve", "reply")
      .addEdge("reply", END)
      .compile();
    await expect(graph.invoke({ query: "" })).rejects.toMatchObject({ code: "node-failed" });
    expect(answered).toBe(false);
  });
});
