/**
 * A question that follows up on another. A model rewrites it so that it stands alone. Without a model, words of the
 * conversation are searched for too.
 *
 *     npm run build && npx node examples/answers/conversation.ts
 */
import { openKnowledgeBase } from "ibid";
import { createScriptedChatModel } from "ibid/testing";
import { check } from "../check.ts";

const documents = [
  { uri: "keys", text: "Signing keys are rotated every 90 days. They are kept in the vault." },
  { uri: "wine", text: "Wine is kept in the cellar, at twelve degrees." },
];
const history = [
  { role: "user", content: "How often are signing keys rotated?" },
  { role: "assistant", content: "Every 90 days [1]." },
] as const;
const question = "And where are they kept?";

const kb = await openKnowledgeBase();
await kb.ingest(documents);
const plain = await kb.ask(question, { history });
check("searched for", plain.searchedFor, "And where are they kept? often signing keys rotated");
check("found", plain.hits[0]?.source.uri, "keys");
await kb.close();

const model = createScriptedChatModel(["Where are signing keys kept?", "They are kept in the vault [1]."]);
const withModel = await openKnowledgeBase({ models: { chat: model } });
await withModel.ingest(documents);
const answer = await withModel.ask(question, { history });
check("put by the model", answer.searchedFor, "Where are signing keys kept?");
check("answered as asked", [answer.question, answer.text], [question, "They are kept in the vault [1]."]);
check("grounded", answer.grounded, true);
await withModel.close();
