// Memory in a prompt, the fourth way: in the settings of a request, beside the temperature. The memories found stand
// before the last user message.
import { openKnowledgeBase } from "ibid";
import { withMemory } from "ibid/compat";
import { createScriptedChatModel } from "ibid/testing";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
await kb.ingest({ uri: "budget.md", text: "The company budget for 2024 is 90,000." });
await kb.ingest({ uri: "acme.md", text: "Acme's company budget for 2024 is 7,000." }, { scope: "team:acme" });

const scripted = createScriptedChatModel(() => "90,000.");
const model = withMemory(scripted);
const store = kb.as({ userId: "bob" });
const question = { role: "user", content: "What is the company budget for 2024?" } as const;
const { message } = await model.chat(question, {
  temperature: 0.8,
  memory: { store, minRelevanceScore: 0.5, limit: 3 },
});
check("the answer", message.content, "90,000.");
check(
  "what the model read",
  scripted.calls[0]?.messages[0]?.content,
  ["<memory>", "The company budget for 2024 is 90,000.", "</memory>", "What is the company budget for 2024?"].join(
    "\n",
  ),
);
check("the other settings", scripted.calls[0]?.options, { temperature: 0.8 });

await model.chat(question, { memory: { store: kb.as({ teamId: "acme" }), minRelevanceScore: 0 } });
check("Acme's, for who is of Acme", JSON.stringify(scripted.calls[1]?.messages).includes("7,000"), true);
await model.chat(question);
check("without the setting", scripted.calls[2]?.messages[0]?.content, question.content);

await kb.close();
