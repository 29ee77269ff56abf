// A plugin from an OpenAPI document: a server's operations become functions of a template, called over HTTP with a bearer token. The server here is started by this
// program and answers as the ChatGPT Retrieval Plugin does, over a knowledge base.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { openKnowledgeBase } from "ibid";
import { createTemplate, importOpenApi } from "ibid/compat";
import { check } from "../check.ts";

const document = `
openapi: 3.0.2
info: { title: Retrieval Plugin API, version: 1.0.0 }
paths:
  /query:
    post:
      operationId: query_query_post
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/QueryRequest" } } }
components:
  schemas:
    Query: { type: object, required: [query], properties: { query: { type: string }, top_k: { type: integer } } }
    QueryRequest:
      type: object
      required: [queries]
      properties: { queries: { type: array, items: { $ref: "#/components/schemas/Query" } } }
`;

const kb = await openKnowledgeBase(undefined);
await kb.ingest({ uri: "budget.md", text: "The company budget for 2024 is 90,000." });
const token = "chat-gpt-retrieval-plugin-token";
const server = createServer(async (request, response) => {
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401).end();
    return;
  }
  const { queries } = (await json(request)) as { queries: { query: string; top_k: number }[] };
  const results = queries.map(async ({ query, top_k: topK }) => {
    const hits = await kb.search(query, { topK });
    return { query, results: hits.map(({ text, score }) => ({ text, score })) };
  });
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ results: await Promise.all(results) }));
});
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// Servers that are not on the public internet are allowed one by one.
const options = { server: address, allowAddress: (ip: string) => ip === "127.0.0.1" };
const ChatGPTRetrievalPlugin = (await importOpenApi(document, { ...options, bearer: token })).functions;

const query = "What is my budget for 2024?";
const prompt = "{{ChatGPTRetrievalPlugin.query_query_post queries=$queries}} {{$query}}";
const template = createTemplate(prompt, { plugins: { ChatGPTRetrievalPlugin }, trusted: true });
const rendered = await template.render({ query, queries: JSON.stringify([{ query, top_k: 1 }]) });
check(
  "the prompt holds what the server found",
  rendered.includes('"text":"The company budget for 2024 is 90,000."'),
  true,
);
check("and ends with the question", rendered.endsWith(`]} ${query}`), true);

const refusal = async (plugin: Awaited<ReturnType<typeof importOpenApi>>) =>
  Promise.resolve(plugin.functions["query_query_post"]?.("[]", {}, {})).catch((error: Error) => error.message);
check(
  "with another token",
  await refusal(await importOpenApi(document, { ...options, bearer: "another" })),
  "query_query_post: the server answered with status 401.",
);
const blocked = await refusal(await importOpenApi(document, { server: address, bearer: token }));
check("an address that is not allowed", JSON.stringify(blocked).includes("not on the public internet"), true);

server.close();
await kb.close();
