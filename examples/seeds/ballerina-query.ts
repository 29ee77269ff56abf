/**
 * Ballerina's query example: a service that answers `POST /rag/query`, asked by a real HTTP client.
 *
 * | Ballerina | ibid |
 * |---|---|
 * | `service /rag on new http:Listener(9090)` | `startService(kb)`, on port 9090 by default |
 * | `knowledgeBase.retrieve(query)` | `kb.search(query)` |
 * | `ai:augmentUserQuery(context, query)` | `augmentUserQuery(hits, query)` |
 * | `model->chat(message, [])` | `model.chat(message)` |
 * | `response.content ?: "I couldn't find …"` | the service's text for an answer that is refused or empty |
 * | `on fail` | status 500 and the same sentence |
 *
 * The service does more than the three steps: it fences sources and checks the model's citations. The three steps by
 * hand stand below it.
 *
 *     npm run build && npx node examples/seeds/ballerina-query.ts
 */
import { openKnowledgeBase } from "ibid";
import { augmentUserQuery } from "ibid/compat";
import { createHostedChatModel, createHostedEmbeddingModel } from "ibid/models";
import { startService } from "ibid/server";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const accessToken = "secret";
const standIn = await startStandIn(accessToken);
const service = { serviceUrl: standIn.url, accessToken };
const model = createHostedChatModel(service);
const kb = await openKnowledgeBase({ models: { embedding: createHostedEmbeddingModel(service), chat: model } });
await kb.ingest({
  uri: "pizza_shop_policy_doc.md",
  text: "A pizza that arrives cold is replaced or refunded.\n\nRefunds are paid within 14 days to the card that was charged.",
});

const failures: unknown[] = [];
const rag = await startService(kb, {
  port: 0, // any that is free, so that the example disturbs nobody
  log: (entry) => {
    console.log(`${entry.method} ${entry.path} ${entry.status}`);
    if (entry.failure !== undefined) failures.push(entry.failure);
  },
});
const ask = async (url: string, query: string): Promise<{ readonly status: number; readonly body: unknown }> => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(new URL("rag/query", url), { method: "POST", headers, body: JSON.stringify({ query }) });
  return { status: response.status, body: response.ok ? await response.json() : await response.text() };
};

const question = "Within how many days are refunds paid?";
const paid = "Refunds are paid within 14 days to the card that was charged.";
check("a question", await ask(rag.url, question), { status: 200, body: { response: paid } });

// The same three steps by hand, without the checks.
const hits = await kb.search(question);
const { message } = await model.chat(augmentUserQuery(hits, question));
check("by hand", typeof message.content === "string" && message.content.includes(paid), true);

// A model that says nothing.
const silent = await startStandIn(accessToken, () => "");
const mute = createHostedChatModel({ ...service, serviceUrl: silent.url });
const speechless = await openKnowledgeBase({ models: { chat: mute } });
await speechless.ingest({ uri: "policy", text: paid });
const second = await startService(speechless, { port: 0 });
const fallback = { response: "I couldn't find an answer to your question." };
check("an empty answer", await ask(second.url, question), { status: 200, body: fallback });
await second.stop();
await speechless.close();
silent.stop();

// The model server is gone.
standIn.stop();
check("a failure", await ask(rag.url, "Are cold pizzas replaced?"), {
  status: 500,
  body: "Unable to obtain a valid answer at this time.",
});
check("and it is in the log", failures.length, 1);

await rag.stop();
await kb.close();
