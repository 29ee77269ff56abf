/**
 * A hosted service that asks for nothing but its address and a token, for embeddings and for answers.
 *
 *     npm run build && SERVICE_URL=https://… ACCESS_TOKEN=… npx node examples/models/hosted.ts
 *
 * Without the two a stand-in answers, so that it runs as it is.
 */
import { openKnowledgeBase } from "ibid";
import { createHostedChatModel, createHostedEmbeddingModel } from "ibid/models";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const standIn = process.env["SERVICE_URL"] === undefined ? await startStandIn("secret") : undefined;
const service = {
  serviceUrl: process.env["SERVICE_URL"] ?? standIn?.url ?? "",
  accessToken: process.env["ACCESS_TOKEN"] ?? "secret",
};

const embeddingModel = createHostedEmbeddingModel(service);
const kb = await openKnowledgeBase({
  models: {
    embedding: embeddingModel,
    chat: createHostedChatModel(service), // Your service's price of a million tokens. With it summaries and answers have their cost.
    prices: { [`hosted/${embeddingModel.model}`]: { input: 0.5, output: 2 } },
  },
});

const { embedded, usage } = await kb.ingest([
  { uri: "keys.md", text: "# Keys\n\nA key is valid for ninety days." },
  { uri: "tea.md", text: "# Tea\n\nTea is served at five." },
]);
check("texts embedded", embedded, 2);
console.log("used", usage);

const [hit] = await kb.search("How long is a key valid?", { mode: "dense" });
check("found by its vector", hit?.source.uri, "keys.md");

const answer = await kb.ask("How long is a key valid?");
console.log(answer.text, answer.usage);
check("cited", answer.citations[0]?.uri, "keys.md");
check("said to be the service's", answer.model, `hosted/${embeddingModel.model}`);

await kb.close();
standIn?.stop();
