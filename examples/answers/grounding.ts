/**
 * The three grounding modes, beside one another: what an answer is made of when the documents say it, and when they do not. The model is a script, so that this runs without a key;
 * any AI SDK model, or `"provider/model"`, stands in its place.
 *
 *     npm run build && npx node examples/answers/grounding.ts
 */
import { type AskOptions, openKnowledgeBase } from "ibid";
import { createScriptedChatModel } from "ibid/testing";
import { check } from "../check.ts";

const known = "How long is leave?";
const unknown = "What do elephants eat?";
const model = createScriptedChatModel((messages) =>
  JSON.stringify(messages).includes(known)
    ? 'The handbook says "27 days of leave" [1]. It is asked for "by carrier pigeon" [1].'
    : "Elephants eat grass. That does not come from the documents.",
);
const handbook = { uri: "handbook", text: "Employees have 27 days of leave. Leave is asked for in the portal." };

/** What became of a question: refused, grounded, and how often the model was asked for it. */
async function ask(question: string, grounding: AskOptions["grounding"], withModel: boolean): Promise<string> {
  const kb = await openKnowledgeBase(withModel ? { models: { chat: model } } : {});
  await kb.ingest(handbook);
  const before = model.calls.length;
  const { refused, grounded, citations } = await kb.ask(question, { ...(grounding && { grounding }) });
  await kb.close();
  const calls = model.calls.length - before;
  return `${refused ? "refused" : grounded ? "grounded" : "not grounded"}, ${citations.length} cited, ${calls} calls`;
}

for (const grounding of ["permissive", "preferred", "strict"] as const) {
  check(`${grounding}, known, no model`, await ask(known, grounding, false), "grounded, 1 cited, 0 calls");
  check(`${grounding}, known, model`, await ask(known, grounding, true), "not grounded, 2 cited, 1 calls");
  check(`${grounding}, unknown, no model`, await ask(unknown, grounding, false), "refused, 0 cited, 0 calls");
}
// Strict grounding refuses before any model is asked; the other modes let it speak, and say that nothing supports it.
check("permissive, unknown", await ask(unknown, "permissive", true), "not grounded, 0 cited, 1 calls");
check("preferred, unknown", await ask(unknown, "preferred", true), "not grounded, 0 cited, 1 calls");
check("strict, unknown", await ask(unknown, "strict", true), "refused, 0 cited, 0 calls");

// Quotation marks are for words that are there.
const kb = await openKnowledgeBase({ models: { chat: model } });
await kb.ingest(handbook);
const answer = await kb.ask(known);
check("text", answer.text, 'The handbook says "27 days of leave" [1]. It is asked for by carrier pigeon [2].');
check("no quotes", answer.removedQuotes, ["by carrier pigeon"]);
check("unsupported", answer.support?.unsupported, ["It is asked for by carrier pigeon."]);

// A judge reads the answer beside what it cites, and decides in the words' place.
const judge = createScriptedChatModel(["1: supported\n2: unsupported"]);
check("judged", (await kb.ask(known, { judge })).support, {
  by: "judge",
  unsupported: ["It is asked for by carrier pigeon."],
});
await kb.close();
