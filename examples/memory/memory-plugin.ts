// A memory that a model uses by itself: it may recall and retrieve. It saves and removes only because this program
// opted in, and each write is confirmed first.
import { openKnowledgeBase } from "ibid";
import { createMemoryPlugin, createTextMemory, type MemoryWrite } from "ibid/compat";
import { callTools } from "ibid/tools";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
const ada = kb.as({ userId: "ada" });
const memory = createTextMemory(ada);
await memory.save("budget", "Ada's budget for 2024 is 90,000.");

const reading = createMemoryPlugin(ada).tools;
check(
  "what a model is offered",
  reading.map(({ name }) => name),
  ["memory_recall", "memory_retrieve"],
);

const asked: string[] = [];
const confirm = ({ action, key }: MemoryWrite) => {
  asked.push(`${action} ${key}`);
  return action === "save" || "Ada keeps her memories.";
};
const { tools } = createMemoryPlugin(ada, { writes: { confirm } });
const call = async (name: string, input: Record<string, string>) =>
  (await callTools(tools, [{ id: "1", name, arguments: input }]))[0]?.content;

check("recall", await call("memory_recall", { query: "budget 2024" }), "Ada's budget for 2024 is 90,000.");
check("save", await call("memory_save", { key: "lunch", text: "Lunch is at noon." }), 'Saved under "lunch".');
check("retrieve", await call("memory_retrieve", { key: "lunch" }), "Lunch is at noon.");
check(
  "remove",
  await call("memory_remove", { key: "budget" }),
  "This was not allowed: nothing was removed. Ada keeps her memories.",
);
check("somebody was asked", asked, ["save lunch", "remove budget"]);
check("it is still there", (await memory.get("budget"))?.text, "Ada's budget for 2024 is 90,000.");

// A memory is a document of Ada's: found and cited like any other, and by nobody else.
const { citations } = await ada.ask("What is Ada's budget for 2024?");
check(
  "cited",
  citations.map(({ uri }) => uri),
  ["memory:generic/budget"],
);
const bobs = createMemoryPlugin(kb.as({ userId: "bob" })).tools;
const recalled = await callTools(bobs, [
  { id: "1", name: "memory_recall", arguments: { query: "Ada's budget for 2024" } },
]);
check("Bob recalls", recalled[0]?.content, "");

await kb.close();
