/**
 * Semantic Kernel's four ways of memory in a prompt, over one knowledge base and one model. They are concatenation,
 * plugins that a template calls, a filter around its rendering, and settings on the request.
 *
 * | Semantic Kernel | ibid |
 * |---|---|
 * | `Kernel.CreateBuilder().AddOpenAIChatCompletion(…)` | `createHostedChatModel`, or any model |
 * | `StringBuilder`, data before the question | `promptWithData(kb, question, { query })` |
 * | `InvokePromptAsync(template, arguments)` | `createTemplate(template).render(arguments)`, then `model.chat` |
 * | `ImportPluginFromOpenApiAsync(name, openApi, auth)` | `importOpenApi(document, { bearer })` |
 * | `MemoryBuilder`, `TextMemoryPlugin` | `createTextMemory(kb)`, `createMemoryPlugin(kb)` |
 * | `[KernelFunction("search")]` on a class | `functions: { search: (query) => … }` |
 * | `IPromptFilter` (`IAsyncPromptFilter`) | `filters: [async (context, next) => …]` |
 * | `MemoryConfig { Memory, MinRelevanceScore, Limit }` | `memory: { store, minRelevanceScore, limit }` |
 *
 *     npm run build && npx node examples/seeds/semantic-kernel-memory.ts
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openKnowledgeBase } from "ibid";
import {
  createMemoryPlugin,
  createTemplate,
  createTextMemory,
  importOpenApi,
  promptWithData,
  type RenderFilter,
  withMemory,
} from "ibid/compat";
import { createHashingModel, createHostedChatModel } from "ibid/models";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
const memory = createTextMemory(kb);
await memory.save("budget-2023", "Company budget by year: my budget for 2023 is 135,000 euro.");
await memory.save("budget-2024", "Company budget by year: my budget for 2024 is 150,000 euro.");
await memory.save("canteen", "The canteen serves soup on Mondays.");

// A model that knows nothing but what stands in its prompt.
const standIn = await startStandIn(
  "secret",
  (said) => /budget for 2024 is [\d,]+ euro/u.exec(said)?.[0] ?? "I do not know.",
);
const model = createHostedChatModel({ serviceUrl: standIn.url, accessToken: "secret" });
const ask = async (content: string, asked = model): Promise<unknown> =>
  (await asked.chat({ role: "user", content })).message.content;
const budget = "budget for 2024 is 150,000 euro";
const question = "What is my budget for 2024?";
check("without memory", await ask(question), "I do not know.");

// 1. Concatenation: text before the question, or an argument of a template.
check(
  "text before the question",
  await ask(await promptWithData(kb, question, { query: "Company budget by year" })),
  budget,
);
const [data] = await memory.search("Company budget by year 2024");
const withArgument = createTemplate("{{budgetByYear}} What is my budget for 2024?");
check("an argument", await ask(await withArgument.render({ budgetByYear: data?.text })), budget);

// 2. Plugins. The ChatGPT Retrieval Plugin: another server, known by its OpenAPI document, which asks for a token.
const token = "chat-gpt-retrieval-plugin-token";
const retrieval = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += String(piece);
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401, { "content-type": "application/json" }).end("{}");
    return;
  }
  const { queries } = JSON.parse(text) as { queries: { query: string; top_k: number }[] };
  const results = queries.map(async ({ query, top_k }) => ({
    query,
    results: (await kb.search(query, { topK: top_k })).map(({ chunkId, text: found, score }) => ({
      id: chunkId,
      text: found,
      score,
    })),
  }));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ results: await Promise.all(results) }));
});
await new Promise<void>((resolve) => retrieval.listen(0, "127.0.0.1", resolve));
const openApi = `
openapi: 3.0.2
info: { title: Retrieval Plugin API, version: 1.0.0 }
servers: [{ url: "http://127.0.0.1:${(retrieval.address() as AddressInfo).port}" }]
paths:
  /query:
    post:
      operationId: query_query_post
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [queries]
              properties:
                queries: { type: array, items: { type: object } }
      responses: { "200": { description: What was found. } }
`;
// A server on this machine has to be allowed by name.
const ChatGPTRetrievalPlugin = await importOpenApi(openApi, { bearer: token, allowAddress: () => true });
const overHttp = createTemplate("{{ChatGPTRetrievalPlugin.query_query_post queries=$queries}} {{$query}}", {
  plugins: { ChatGPTRetrievalPlugin: ChatGPTRetrievalPlugin.functions },
});
const queries = JSON.stringify([{ query: question, top_k: 1 }]);
check("a plugin over HTTP", await ask(await overHttp.render({ query: question, queries })), budget);

// The memory plugin, by its functions. By default a model is offered only its tools that read.
const plugin = createMemoryPlugin(kb);
const recalling = createTemplate("{{recall 'Company budget by year 2024'}} What is my budget for 2024?", {
  functions: plugin.functions,
});
check("the memory plugin", await ask(await recalling.render()), budget);
check(
  "what a model may call",
  plugin.tools.map(({ name }) => name),
  ["memory_recall", "memory_retrieve"],
);

// A plugin of one's own: any function, no schema and no interface.
const search = async (query: unknown): Promise<string> => (await kb.search(String(query), { topK: 1 }))[0]?.text ?? "";
const own = createTemplate("{{search 'Company budget by year 2024'}} What is my budget for 2024?", {
  functions: { search },
});
check("a plugin of one's own", await ask(await own.render()), budget);

// 3. A filter: the prompt is the question alone, the data come when it has been rendered.
const filter: RenderFilter = async (context, next) => {
  await next();
  const [found] = await kb.search(context.renderedPrompt ?? "", { topK: 1 });
  context.renderedPrompt = `${found?.text}\n${context.renderedPrompt}`;
};
check("a filter", await ask(await createTemplate(question, { filters: [filter] }).render()), budget);

// 4. Settings on the request.
// A learned model would do with the 0.8 of the design; cosines of hashed words are lower.
const settings = { store: kb, minRelevanceScore: 0.2, limit: 3 };
const reminded = withMemory(model);
const { message } = await reminded.chat({ role: "user", content: question }, { temperature: 0.8, memory: settings });
check("settings on the request", message.content, budget);
check("or on every request", await ask(question, withMemory(model, settings)), budget);
check(
  "the floor is heeded",
  await ask(question, withMemory(model, { ...settings, minRelevanceScore: 9 })),
  "I do not know.",
);

retrieval.close();
standIn.stop();
await kb.close();
