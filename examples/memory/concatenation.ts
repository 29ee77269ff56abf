// Memory in a prompt, the first way: what was found, a new line, the question. Put together by hand, by a helper, and as an argument of a template.
import { openKnowledgeBase } from "ibid";
import { createTemplate, promptWithData } from "ibid/compat";
import { createScriptedChatModel } from "ibid/testing";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
await kb.ingest({ uri: "budget.md", text: "The company budget by year: 80,000 in 2023, 90,000 in 2024." });
await kb.ingest({ uri: "lunch.md", text: "Lunch is served at noon." });

// The model here says what it reads: a stand-in for any other.
const model = createScriptedChatModel((messages) => {
  const prompt = JSON.stringify(messages);
  return /90,000 in 2024.*What is my budget for 2024\?/su.test(prompt) ? "90,000." : "I do not know.";
});
const ask = async (content: string) => (await model.chat({ role: "user", content })).message.content;
const question = "What is my budget for 2024?";

const [data] = await kb.search("Company budget by year", { topK: 1 });
check("by hand", await ask(`${data?.text}\n${question}`), "90,000.");
check(
  "by the helper",
  await ask(await promptWithData(kb, question, { query: "Company budget by year", topK: 1 })),
  "90,000.",
);

const byArgument = createTemplate(`{{$budgetByYear}} ${question}`);
check("by an argument", await ask(await byArgument.render({ budgetByYear: data?.text })), "90,000.");
// Without the dollar it is the function of that name, where there is one, else the argument.
const byName = createTemplate(`{{budgetByYear}} ${question}`);
check("by a bare name", await ask(await byName.render({ budgetByYear: data?.text })), "90,000.");
check("without data", await ask(question), "I do not know.");

await kb.close();
