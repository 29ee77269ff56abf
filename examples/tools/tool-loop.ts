// A model that looks things up by itself: it is offered the knowledge base's tools, calls them, and reads what they answer. The model here is a server that this
// program starts and that follows a script, spoken to over HTTP as any OpenAI-compatible one is.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openKnowledgeBase } from "ibid";
import { type ChatMessage, resolveChatModel } from "ibid/models";
import { callTools, createSearchTools, toChatTool } from "ibid/tools";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
await kb.ingest({ uri: "keys.md", text: "# Rotation\n\nSigning keys are rotated every ninety days." });
await kb.ingest({ uri: "board.md", text: "The keys are sold in May.", metadata: { secret: true } });

// The filter stays with the application: no schema names it, and no model can take it away.
const tools = createSearchTools(kb, { tools: ["search", "find_by_id"], filter: { secret: { exists: false } } });

const asked: { messages: { role: string; content: string }[] }[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (data: Buffer) => (body += data.toString()));
  request.on("end", () => {
    asked.push(JSON.parse(body) as (typeof asked)[number]);
    const call = { name: "documents_search", arguments: JSON.stringify({ query: "How often are keys rotated?" }) };
    const message =
      asked.length === 1
        ? { role: "assistant", content: null, tool_calls: [{ id: "call-1", type: "function", function: call }] }
        : { role: "assistant", content: "Every ninety days." };
    const choice = { index: 0, message, finish_reason: asked.length === 1 ? "tool_calls" : "stop" };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ id: "1", object: "chat.completion", created: 0, model: "scripted", choices: [choice] }),
    );
  });
});
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
process.env["OPENAI_COMPATIBLE_BASE_URL"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const model = await resolveChatModel("openai-compatible/scripted");

const messages: ChatMessage[] = [{ role: "user", content: "How often are keys rotated?" }];
let answer = "";
for (let round = 0; round < 4 && answer === ""; round++) {
  const { message } = await model.chat(messages, { tools: tools.map(toChatTool) });
  messages.push(message);
  if (message.toolCalls === undefined) answer = message.content ?? "";
  else messages.push(...(await callTools(tools, message.toolCalls)));
}

const read = asked[1]?.messages.at(-1);
check("the model was called", asked.length, 2);
check("it read what was found", read?.role === "tool" && read.content.includes("rotated every ninety days"), true);
check("and nothing that the filter holds back", read?.content.includes("sold in May"), false);
check("it answered", answer, "Every ninety days.");

await kb.close();
server.close();
