/**
 * A question asked in other words: a model finds them, the knowledge base searches for each. The model here follows a script; any `ChatModel` will do. When it fails, the question is
 * searched as it was asked.
 *
 *     npm run build && npx node examples/retrieval/other-words.ts
 */
import { openKnowledgeBase } from "ibid";
import { multiQuery } from "ibid/search";
import { createScriptedChatModel } from "ibid/testing";
import { check } from "../check.ts";

const model = createScriptedChatModel([
  "1. How much annual leave do employees have?\n2. vacation entitlement",
  { error: new Error("out of order") },
]);
const fallbacks: string[] = [];

const kb = await openKnowledgeBase({
  models: { embedding: null },
  search: {
    // words alone, so that it matters which
    retriever: (base) => multiQuery(base, { model, onFallback: (reason) => fallbacks.push(reason) }),
  },
});
await kb.ingest([
  { uri: "leave", text: "Employees have 27 days of annual leave." },
  { uri: "tea", text: "Tea is served at four." },
]);

const question = "How long may I be on holiday?";
const [found] = await kb.search(question, { explain: true });
check("found by words that nobody asked with", found?.source.uri, "leave");
check("by the second query", found?.explain?.steps?.[0]?.searches?.[0]?.query, 2);
check("no words in what is explained", JSON.stringify(found?.explain?.steps).includes("annual"), false);

check("without the model it is not found", (await kb.search(question)).length, 0);
check("and that was told", fallbacks, ["model-failed"]);
await kb.close();
