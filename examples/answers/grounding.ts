/**
 * The three grounding modes, beside one another: what an answer is made of when the documents say it, and when they do not. The model is a script, so that this runs without a key;
 * any AI SDK model, or `"provider/model"`, stands in its place.
 *
 *     npm run build && npx node examples/answers/grounding.ts
 */
import { type Answer, type AskOptions, openKnowledgeBase } from "ibid";
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

/** Result of a question: its kind, whether it is grounded, and the number of calls to the model. */
async function ask(question: string, grounding: AskOptions["grounding"], withModel: boolean): Promise<string> {
  const kb = await openKnowledgeBase(withModel ? { models: { chat: model } } : {});
  await kb.ingest(handbook);
  const before = model.calls.length;
  const { kind, grounded, citations } = await kb.ask(question, { ...(grounding && { grounding }) });
  await kb.close();
  const calls = model.calls.length - before;
  const worth = grounded === undefined ? "" : grounded ? ", grounded" : ", not grounded";
  return `${kind}${worth}, ${citations.length} cited, ${calls} calls`;
}

for (const grounding of ["permissive", "preferred", "strict"] as const) {
  check(`${grounding}, known, no model`, await ask(known, grounding, false), "quotes, 1 cited, 0 calls");
  // Permissive grounding never refuses a question: it says that no passage was found.
  const kind = grounding === "permissive" ? "quotes" : "refused";
  check(`${grounding}, unknown, no model`, await ask(unknown, grounding, false), `${kind}, 0 cited, 0 calls`);
}
// Without strict grounding the model speaks, and each of its sentences has its verdict.
for (const grounding of ["permissive", "preferred"] as const) {
  check(`${grounding}, known`, await ask(known, grounding, true), "written, not grounded, 1 cited, 1 calls");
  check(`${grounding}, unknown`, await ask(unknown, grounding, true), "written, not grounded, 0 cited, 1 calls");
}
// Strict grounding asks the model whether the passages answer. It withholds what is not supported, here as the model itself judges; it refuses before any model is asked when nothing answers.
check("strict, known", await ask(known, "strict", true), "written, grounded, 1 cited, 3 calls");
check("strict, unknown", await ask(unknown, "strict", true), "refused, 0 cited, 0 calls");

// Quotation marks are for words that are there.
const kb = await openKnowledgeBase({ models: { chat: model } });
await kb.ingest(handbook);
const answer = await kb.ask(known);
check("text", answer.text, 'The handbook says "27 days of leave" [1]. It is asked for by carrier pigeon.');
check("no quotes", answer.removedQuotes, ["by carrier pigeon"]);
check("sentences", verdictsOf(answer), ["supported by words", "uncited by words"]);

// A judge is asked whether the passages answer, then reads each sentence beside what it cites, and decides in the words' place.
const judge = createScriptedChatModel(["yes", "1: supported 1\n2: unsupported"]);
check("judged", verdictsOf(await kb.ask(known, { judge })), ["supported by judge", "uncited by words"]);
await kb.close();

function verdictsOf({ sentences }: Answer): readonly string[] {
  return sentences.map(({ verdict, by }) => `${verdict} by ${by}`);
}
