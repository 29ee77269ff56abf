// Retrieval as a node of a graph: LangGraph takes it as it is. Prints how long the node took, as Wesichain's example does.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { openKnowledgeBase } from "ibid";
import { createRetrieverNode, type RetrievedDoc } from "ibid/compat";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
await kb.ingest([
  { uri: "keys.md", text: "Signing keys are rotated every ninety days.", metadata: { year: 2026 } },
  { uri: "old-keys.md", text: "Signing keys are rotated once a year.", metadata: { year: 2019 } },
]);

const State = Annotation.Root({
  query: Annotation<string>,
  metadataFilter: Annotation<{ year: number } | undefined>,
  retrievedDocs: Annotation<readonly RetrievedDoc[]>,
  answer: Annotation<string>,
});
const retrieve = createRetrieverNode<typeof State.State>(kb, { topK: 3 });
const graph = new StateGraph(State)
  .addNode("retrieve", async (state, config) => {
    const started = performance.now();
    const update = await retrieve(state, config);
    console.log(`retrieved ${update.retrievedDocs.length} in ${(performance.now() - started).toFixed(1)} ms`);
    return update;
  })
  .addNode("reply", ({ retrievedDocs }) => ({ answer: retrievedDocs[0]?.content ?? "nothing" }))
  .addEdge(START, "retrieve")
  .addEdge("retrieve", "reply")
  .addEdge("reply", END)
  .compile();

const first = await graph.invoke({ query: "How often are signing keys rotated?", metadataFilter: { year: 2019 } });
check("the filter is heeded", first.answer, "Signing keys are rotated once a year.");
const second = await graph.invoke({
  ...first,
  query: "How often are keys rotated now?",
  metadataFilter: { year: 2026 },
});
check(
  "what was retrieved before is replaced",
  second.retrievedDocs.map(({ metadata }) => metadata["uri"]),
  ["keys.md"],
);
const failed = await graph.invoke({ query: "" }).catch((error: { code?: string }) => error.code);
check("an error halts the graph", failed, "node-failed");
await kb.close();
