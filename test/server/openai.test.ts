import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { startService } from "../../src/server/index.node.ts";
import { keys, openWorld, type Who } from "./service.ts";

async function clientOf(who: Who, model?: ChatModel) {
  const kb = await openWorld(model);
  const service = await startService(kb, { keys: Object.values(keys), port: 0 });
  onTestFinished(() => service.stop());
  return new OpenAI({ baseURL: new URL("v1", service.url).href, apiKey: keys[who].key, maxRetries: 0 });
}

const question = "How long is a key valid?";
const user = (content: string) => ({ role: "user" as const, content });

interface Cited {
  readonly start_index: number;
  readonly end_index: number;
  readonly ibid: { readonly marker: string; readonly quote: string; readonly uri: string };
}

describe("the shapes of OpenAI's API, by its own client", () => {
  it("lists one model", async () => {
    const client = await clientOf("ada");
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["ibid"]);
  });

  it("completes a chat with annotations that stand exactly where the markers are", async () => {
    const client = await clientOf("ada");
    const { choices, usage } = await client.chat.completions.create({ model: "ibid", messages: [user(question)] });
    const [choice] = choices;
    const content = choice?.message.content ?? "";
    expect(content).toContain("A key is valid for ninety days.");
    expect(choice?.finish_reason).toBe("stop");
    expect(usage?.total_tokens).toBe(0);
    const annotations = choice?.message.annotations ?? [];
    expect(annotations.length).toBeGreaterThan(0);
    for (const { url_citation: cited } of annotations) {
      const { start_index, end_index, ibid } = cited as unknown as Cited;
      expect(content.slice(start_index, end_index)).toBe(ibid.marker);
      expect(ibid).toMatchObject({ uri: "deployment.md", quote: "A key is valid for ninety days." });
    }
  });

  it("streams the same text and the same annotations", async () => {
    const client = await clientOf("ada");
    const whole = await client.chat.completions.create({ model: "ibid", messages: [user(question)] });
    const stream = await client.chat.completions.create({
      model: "ibid",
      messages: [user(question)],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let annotations: unknown;
    let finish: string | null = null;
    let usage: unknown;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      text += choice?.delta.content ?? "";
      annotations = (choice?.delta as { annotations?: unknown } | undefined)?.annotations ?? annotations;
      finish = choice?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    expect([text, finish]).toEqual([whole.choices[0]?.message.content, "stop"]);
    expect(annotations).toEqual(whole.choices[0]?.message.annotations);
    expect(usage).toMatchObject({ total_tokens: 0 });
  });

  it("answers a response with the results of its file search, whole and as events", async () => {
    const client = await clientOf("ada");
    const asked = {
      model: "ibid",
      input: question,
      tools: [{ type: "file_search" as const, vector_store_ids: ["deployment"], max_num_results: 2 }],
      include: ["file_search_call.results" as const],
    };
    const response = await client.responses.create(asked);
    expect(response.output_text).toContain("ninety days");
    const [search, said] = response.output;
    expect(search).toMatchObject({ type: "file_search_call", queries: [question] });
    const results = search?.type === "file_search_call" ? (search.results ?? []) : [];
    expect(results.length).toBeLessThanOrEqual(2);
    expect(results[0]?.text).toContain("ninety days");
    const part = said?.type === "message" ? said.content[0] : undefined;
    const [annotation] = part?.type === "output_text" ? part.annotations : [];
    expect(annotation).toMatchObject({ type: "file_citation", filename: "Keys" });
    const types: string[] = [];
    let streamed = "";
    for await (const event of await client.responses.create({ ...asked, stream: true })) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") streamed += event.delta;
    }
    expect(streamed).toBe(response.output_text);
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
  });

  it("answers each key from what it may read, also when it names another scope [L3]", async () => {
    const messages = [user("Where does Umbrella rotate its key?")];
    const said = async (who: Who, more: object = {}) =>
      (await (await clientOf(who)).chat.completions.create({ model: "ibid", messages, ...more })).choices[0]?.message
        .content ?? "";
    expect(await said("bob")).toContain("cellar");
    expect(await said("ada")).not.toContain("cellar");
    expect(await said("ada", { ibid: { scopes: ["team:umbrella"] } }).catch(String)).not.toContain("cellar");
  });

  it("refuses what is not there by name: a model, a field, a tool, an unknown key", async () => {
    const client = await clientOf("ada");
    const create = (more: object) =>
      client.chat.completions.create({ model: "ibid", messages: [user(question)], ...more } as never);
    await expect(create({ model: "gpt-9" })).rejects.toMatchObject({ status: 404 });
    await expect(create({ logit_bias: {} })).rejects.toThrow("logit_bias");
    await expect(create({ messages: [{ role: "assistant", content: "x" }] })).rejects.toMatchObject({ status: 400 });
    const tools = [{ type: "web_search" }] as never;
    await expect(client.responses.create({ model: "ibid", input: "x", tools })).rejects.toMatchObject({ status: 400 });
    const stranger = new OpenAI({ baseURL: client.baseURL, apiKey: "nobody-nobody-nobody", maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
  });
});

describe("files and vector stores, by the client of OpenAI", () => {
  it("are the documents and scopes that the key may read, and nothing else [L3]", async () => {
    const client = await clientOf("ada");
    const stores = (await client.vectorStores.list()).data;
    expect(stores.map(({ id }) => id)).toEqual(["deployment", "team:acme", "user:ada"]);
    const store = await client.vectorStores.retrieve("team:acme");
    expect([store.name, store.file_counts.total]).toEqual(["team:acme", 1]);
    // Pages of two, which the client walks by `after`.
    const files: { readonly id: string; readonly filename: string }[] = [];
    for await (const file of client.files.list({ limit: 2 })) files.push(file);
    expect(files.map(({ filename }) => filename)).toEqual(["deployment.md", "team-acme.md", "user-ada.md"]);
    const [first] = files;
    expect(await client.files.retrieve(first!.id)).toMatchObject({ object: "file", filename: "deployment.md" });
    expect(await (await client.files.content(first!.id)).text()).toContain("valid for ninety days");
    const own = (await client.vectorStores.files.list("user:ada")).data;
    expect(own.map(({ id, vector_store_id }) => [id, vector_store_id])).toEqual([[files[2]!.id, "user:ada"]]);
    const others = await clientOf("bob");
    for (const asked of [
      () => others.vectorStores.retrieve("user:ada"),
      () => others.vectorStores.search("team:acme", { query: "key" }),
      () => others.files.retrieve(files[2]!.id),
      () => others.files.delete(files[0]!.id.replace(/^./u, "x")),
    ])
      await expect(asked()).rejects.toThrow(/404|403/u);
  });

  it("search one vector store, with the places of the words", async () => {
    const client = await clientOf("ada");
    const { data } = await client.vectorStores.search("deployment", { query: question, max_num_results: 2 });
    expect(data[0]?.content[0]?.text).toContain("ninety days");
    expect(data.every(({ filename }) => filename === "deployment.md")).toBe(true);
    const acme = await client.vectorStores.search("team:acme", { query: "Who rotates a key?" });
    expect(new Set(acme.data.map(({ filename }) => filename))).toEqual(new Set(["team-acme.md"]));
  });

  it("delete a document for those who may write there", async () => {
    const client = await clientOf("ada");
    const { data } = await client.vectorStores.files.list("user:ada");
    expect(await client.files.delete(data[0]!.id)).toMatchObject({ deleted: true });
    await expect(client.files.retrieve(data[0]!.id)).rejects.toThrow("404");
  });
});
