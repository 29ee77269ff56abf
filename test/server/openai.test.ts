import OpenAI, { toFile } from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import type { DirectoryReader } from "../../src/stores/segments/segment-directory.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { createMemoryBlobStore } from "../../src/stores/index.ts";
import { keys, openWorld, send, startWorld, type Who } from "./service.ts";

async function clientOf(who: Who, model?: ChatModel) {
  return (await serve(model))(who);
}

/** Clients of one service, which keeps files. */
async function serve(model?: ChatModel) {
  const kb = await openWorld(model);
  const files = createMemoryBlobStore();
  const service = await startService(kb, { keys: Object.values(keys), port: 0, files });
  onTestFinished(() => service.stop());
  const clientOf = (who: Who) =>
    new OpenAI({ baseURL: new URL("v1", service.url).href, apiKey: keys[who].key, maxRetries: 0 });
  return Object.assign(clientOf, { kb, files });
}

const question = "How long is a key valid?";
const user = (content: string) => ({ role: "user" as const, content });

interface Cited {
  readonly start_index: number;
  readonly end_index: number;
  readonly ibid: {
    readonly marker: string;
    readonly quote: string;
    readonly uri: string;
    readonly start: number;
    readonly end: number;
  };
}

describe("the shapes of OpenAI's API, by its own client", () => {
  it("lists one model", async () => {
    const client = await clientOf("ada");
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(["ibid"]);
    expect(await client.models.retrieve("ibid")).toEqual(data[0]);
    await expect(client.models.retrieve("gpt-9")).rejects.toMatchObject({ status: 404 });
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
      // The address opens the place on the page.
      const { origin, hash } = new URL((cited as { readonly url: string }).url);
      const at = new URLSearchParams(hash.slice(1));
      expect([origin, at.get("uri"), at.get("at")]).toEqual([
        new URL(client.baseURL).origin,
        ibid.uri,
        `${ibid.start}:${ibid.end}`,
      ]);
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

  it("lets a page of an allowed origin send each header of its client", async () => {
    const origin = "https://app.example";
    const options = { keys: Object.values(keys), port: 0, files: createMemoryBlobStore(), origins: [origin] };
    const service = await startService(await openWorld(), options);
    onTestFinished(() => service.stop());
    const baseURL = new URL("v1", service.url).href;
    const sent = new Set<string>();
    const client = new OpenAI({
      baseURL,
      apiKey: keys.ada.key,
      organization: "acme",
      project: "kb",
      fetch: (url, init) => {
        for (const [name] of new Headers(init?.headers)) sent.add(name);
        return fetch(url, init);
      },
    });
    const messages = [user(question)];
    const again = { idempotencyKey: "one", headers: { "Idempotency-Key": "one" } };
    await client.chat.completions.stream({ model: "ibid", messages }, again).finalChatCompletion();
    const { id } = await client.vectorStores.create({ name: "a" });
    const note = await toFile(Buffer.from("A note."), "note.md");
    await client.vectorStores.files.uploadAndPoll(id, note, { pollIntervalMs: 5 });
    const preflight = await fetch(new URL("v1/chat/completions", service.url), {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    const allowed = new Set((preflight.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(","));
    expect(sent.size).toBeGreaterThan(10);
    expect([...sent].filter((name) => !allowed.has(name))).toEqual([]);
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
    // The same name as the file has by itself; the title stands beside it.
    const { filename } = await client.files.retrieve(results[0]?.file_id ?? "");
    expect(results[0]).toMatchObject({ filename, ibid: { title: "Keys" } });
    expect(annotation).toMatchObject({ type: "file_citation", filename, ibid: { title: "Keys" } });
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

  it("takes what clients send by themselves, and answers as without it", async () => {
    const client = await clientOf("ada");
    const plain = await client.chat.completions.create({ model: "ibid", messages: [user(question)] });
    const { choices } = await client.chat.completions.create({
      model: "ibid",
      messages: [user(question)],
      max_tokens: 5,
      max_completion_tokens: 5,
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: 0,
      temperature: 0,
    });
    expect(choices[0]?.message.content).toBe(plain.choices[0]?.message.content);
    const plainly = { service_tier: "auto", parallel_tool_calls: true, store: false } as const;
    const silent = await client.chat.completions.create({
      model: "ibid",
      messages: [user(question)],
      ...plainly,
      response_format: { type: "text" },
      tools: [],
      tool_choice: "auto",
      stop: null,
      logprobs: false,
      reasoning_effort: "low",
    });
    expect(silent.choices[0]?.message.content).toBe(plain.choices[0]?.message.content);
    const response = await client.responses.create({
      model: "ibid",
      input: question,
      max_output_tokens: 16,
      ...plainly,
      tools: [{ type: "file_search", vector_store_ids: ["deployment"] }],
      tool_choice: "required",
      text: { format: { type: "text" }, verbosity: "medium" },
      truncation: "auto",
      reasoning: null,
      previous_response_id: null,
    });
    expect(response.output_text).toContain("A key is valid for ninety days.");
    // The same fields with a value that would change the answer.
    for (const more of [{ tool_choice: "none" }, { text: { format: { type: "json_object" } } }, { background: true }])
      await expect(client.responses.create({ model: "ibid", input: question, ...more } as never)).rejects.toMatchObject(
        { status: 400 },
      );
    for (const more of [{ stop: ["\n"] }, { response_format: { type: "json_object" } }, { logprobs: true }])
      await expect(
        client.chat.completions.create({ model: "ibid", messages: [user(question)], ...more } as never),
      ).rejects.toMatchObject({ status: 400 });
  });

  it("says the nearest field of the object in which one is unknown, and that a text is blank", async () => {
    const client = (await serve())("ada");
    const asked = { model: "ibid", messages: [{ role: "user" as const, content: "How long?" }], ibid: { topk: 2 } };
    const wrong = await client.chat.completions.create(asked as never).catch((error: unknown) => error);
    expect((wrong as { error: unknown }).error).toMatchObject({ hint: 'Did you mean "topK"?' });
    expect(wrong).toMatchObject({ status: 400, code: "invalid-argument", type: "invalid_request_error", param: null });
    const blank = await client.vectorStores.search("deployment", { query: " " }).catch((error: unknown) => error);
    expect((blank as { error: unknown }).error).toMatchObject({ message: "query must not be blank." });
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

describe("streams in OpenAI's shapes", () => {
  /** A model that writes slowly, and counts how often it is asked. */
  function slowModel() {
    let asked = 0;
    const words = ["A key is valid ", "for ninety days ", "[1]."];
    const model: ChatModel = {
      provider: "testing",
      model: "slow",
      async chat() {
        asked++;
        return { message: { role: "assistant", content: words.join("") }, finishReason: "stop" };
      },
      async *stream() {
        asked++;
        for (const delta of words) {
          await new Promise((resolve) => setTimeout(resolve, 30));
          yield { type: "text", delta };
        }
        yield {
          type: "finish",
          result: { message: { role: "assistant", content: words.join("") }, finishReason: "stop" },
        };
      },
    };
    return {
      model,
      get asked() {
        return asked;
      },
    };
  }

  it("go on after the last event, and never ask the model twice", async () => {
    const counted = slowModel();
    const client = (await serve(counted.model))("ada");
    const ask = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${client.baseURL}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${keys.ada.key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    const body = { model: "ibid", messages: [user(question)], stream: true };
    const whole = await (await ask(body)).text();
    const events = whole.trimEnd().split("\n\n");
    expect(events.at(-1)).toContain("data: [DONE]");
    const [, second] = /^id: (\S+)/u.exec(events[1]!) ?? [];
    const rest = await (await ask(body, { "last-event-id": second! })).text();
    expect(rest.trimEnd().split("\n\n")).toEqual(events.slice(2));
    expect(counted.asked).toBe(1);
  });

  it("are the same stream for a request that is sent again under one Idempotency-Key, also before the first event", async () => {
    const counted = slowModel();
    const client = (await serve(counted.model))("ada");
    const headers = { "idempotency-key": "one" };
    const read = async (messages: { role: "user"; content: string }[], given = headers) => {
      const stream = await client.chat.completions.create(
        { model: "ibid", messages, stream: true },
        { headers: given },
      );
      let text = "";
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      return text;
    };
    const left = new AbortController();
    const first = client.chat.completions.create(
      { model: "ibid", messages: [user(question)], stream: true },
      { headers, signal: left.signal },
    );
    setTimeout(() => left.abort(), 20);
    await first
      .then(async (stream) => {
        for await (const _ of stream) continue;
      })
      .catch(() => {});
    expect(await read([user(question)])).toContain("ninety days");
    expect(await read([user(question)])).toContain("ninety days");
    expect(counted.asked).toBe(1);
    // Another key, another run; another question needs another key.
    await read([user(question)], { "idempotency-key": "two" });
    expect(counted.asked).toBe(2);
    await expect(read([user("How long is a key valid, please?")])).rejects.toMatchObject({ status: 422 });
  });

  it("of responses are resumed by their number, by OpenAI's own client", async () => {
    const counted = slowModel();
    const client = (await serve(counted.model))("ada");
    const seen: { readonly type: string; readonly sequence_number: number }[] = [];
    let id = "";
    for await (const event of await client.responses.create({ model: "ibid", input: question, stream: true })) {
      seen.push(event);
      if (event.type === "response.created") id = event.response.id;
    }
    const rest: unknown[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 3 }))
      rest.push(event);
    expect(rest).toEqual(seen.slice(4));
    expect(counted.asked).toBe(1);
    await expect(client.responses.retrieve("resp_none", { stream: true })).rejects.toThrow("404");
  });

  it("of responses send the text as the model writes it", async () => {
    const client = (await serve(slowModel().model))("ada");
    const deltas: string[] = [];
    const stream = client.responses.stream({ model: "ibid", input: question });
    stream.on("response.output_text.delta", ({ delta }) => deltas.push(delta));
    const { output_text, status } = await stream.finalResponse();
    expect(deltas.length).toBeGreaterThan(1);
    expect([deltas.join(""), status]).toEqual([output_text, "completed"]);
  });

  it("of responses end with a failure where the model breaks off", async () => {
    const model: ChatModel = {
      provider: "testing",
      model: "broken",
      chat: () => Promise.reject(new Error("gone")),
      async *stream() {
        yield { type: "text", delta: "A key is valid for ninety days [1]. A key " };
        throw new Error("gone");
      },
    };
    const client = (await serve(model))("ada");
    const types: string[] = [];
    for await (const { type } of await client.responses.create({ model: "ibid", input: question, stream: true }))
      types.push(type);
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.failed"]);
  });
});

describe("files and vector stores, by the client of OpenAI", () => {
  it("a service that keeps no files says so, and its description has no route for them", async () => {
    const { as } = await startWorld();
    for (const path of ["/v1/files", "/v1/vector_stores", "/v1/vector_stores/deployment/files"]) {
      const { status, json } = await as("operator", path, { body: {} });
      expect([status, json.error.message]).toEqual([400, "This service keeps no uploaded files."]);
    }
    const described = (await as("operator", "/openapi.json")).json.paths as Record<string, object>;
    expect(Object.keys(described["/v1/files"]!)).toEqual(["get"]);
    expect((await as("operator", "/v1/files", { method: "PUT" })).json.error.message).toContain("does not take this");
  });

  it("are the documents and scopes that the key may read, and nothing else [L3]", async () => {
    const client = await clientOf("ada");
    const stores = (await client.vectorStores.list()).data;
    expect(stores.map(({ id }) => id)).toEqual(["deployment", "team:acme", "user:ada"]);
    const store = await client.vectorStores.retrieve("team:acme");
    expect([store.name, store.file_counts.total]).toEqual(["team:acme", 1]);
    // Pages of two, which the client walks by `after`.
    const files: { readonly id: string; readonly filename: string }[] = [];
    for await (const file of client.files.list({ limit: 2 })) files.push(file);
    files.sort((one, other) => (one.filename < other.filename ? -1 : 1));
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

  it("show the latest upload first, also among those of one second", async () => {
    const client = await clientOf("ada");
    const names = Array.from({ length: 8 }, (_, n) => `${n}.txt`);
    for (const name of names)
      await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: "assistants" });
    const listed = (await client.files.list({ limit: 8 })).data.map(({ filename }) => filename);
    expect(listed).toEqual(names.toReversed());
    for (const name of names) await client.vectorStores.create({ name });
    const stores = (await client.vectorStores.list()).data.map(({ name }) => name);
    expect(stores.filter((name) => name.endsWith(".txt"))).toEqual(names.toReversed());
  });

  it("page through uploads and documents by the time at which they came, in both orders", async () => {
    const clientOf = await serve();
    const client = clientOf("ada");
    const upload = (name: string) => client.files.create({ file: new File([name], name), purpose: "user_data" });
    // Files of one millisecond go by their kind and their uri.
    const later = async (): Promise<void> => {
      for (const now = Date.now(); Date.now() <= now;) await new Promise((resolve) => setImmediate(resolve));
    };
    await later();
    await upload("one.txt");
    await later();
    await clientOf.kb.ingest({ uri: "later.md", text: "A later document." });
    await later();
    await upload("two.txt");
    const raw = async (query: string) => {
      const response = await fetch(`${client.baseURL}/files?${query}`, {
        headers: { authorization: `Bearer ${keys.ada.key}` },
      });
      return (await response.json()) as {
        data: { id: string; filename: string }[];
        has_more: boolean;
        first_id: string | null;
        last_id: string | null;
      };
    };
    const whole = await raw("limit=10000&order=asc");
    const names = whole.data.map(({ filename }) => filename);
    expect(names.slice(0, 3).toSorted()).toEqual(["deployment.md", "team-acme.md", "user-ada.md"]);
    expect(names.slice(3)).toEqual(["one.txt", "later.md", "two.txt"]);
    for (const order of ["asc", "desc"]) {
      const all = (await raw(`limit=100&order=${order}`)).data.map(({ id }) => id);
      expect(all.toSorted()).toEqual(whole.data.map(({ id }) => id).toSorted());
      for (const limit of [1, 2, 5]) {
        const paged: string[] = [];
        for (let after = ""; ;) {
          const page = await raw(`limit=${limit}&order=${order}${after}`);
          const ids = page.data.map(({ id }) => id);
          expect([page.first_id, page.last_id]).toEqual([ids[0], ids.at(-1)]);
          paged.push(...ids);
          expect(page.has_more).toBe(paged.length < all.length);
          if (!page.has_more) break;
          after = `&after=${page.last_id}`;
        }
        expect(paged).toEqual(all);
      }
    }
    expect((await raw("")).data.slice(0, 3).map(({ filename }) => filename)).toEqual([
      "two.txt",
      "later.md",
      "one.txt",
    ]);
    expect((await raw("purpose=user_data")).data.map(({ filename }) => filename)).toEqual(["two.txt", "one.txt"]);
    expect((await raw("purpose=assistants")).data).toHaveLength(4);
  });

  it("list a page of files for the rows of the page, and find one of them by its id for its own row [20]", async () => {
    const directory = createMemoryDirectory();
    let read = 0;
    const counted = (rows: DirectoryReader): DirectoryReader => ({
      ...rows,
      documentsAfter: (...place) => count(rows.documentsAfter(...place)),
      documentsInOrder: (...place) => count(rows.documentsInOrder(...place)),
    });
    const count = <Row>(found: readonly Row[]): readonly Row[] => {
      read += found.length;
      return found;
    };
    const parts = createSegmentStore(
      { ...directory, read: (work) => directory.read((rows) => work(counted(rows))) },
      { ...decideStoreOptions({}), embeddings: ["dense"], secret: createSecret() },
    );
    const kb = await openKnowledgeBase({ store: composeStore(parts), reading: { worker: false } });
    onTestFinished(() => kb.close());
    await kb.ingest(Array.from({ length: 600 }, (_, n) => ({ uri: `${n}.txt`, text: `Text ${n}.` })));
    const service = await startService(kb, { keys: Object.values(keys), port: 0 });
    onTestFinished(() => service.stop());
    // The names of files of this machine are read once.
    const first = await send(service.url, "/v1/files?limit=1", { key: keys.ada.key });
    await send(service.url, `/v1/files?limit=1&after=${first.json.last_id}`, { key: keys.ada.key });
    const costs: number[] = [];
    const seen = new Set<string>();
    for (let after = ""; ;) {
      read = 0;
      const { json } = await send(service.url, `/v1/files?limit=50${after}`, { key: keys.ada.key });
      costs.push(read);
      for (const { id } of json.data) seen.add(id);
      if (json.has_more !== true) break;
      after = `&after=${json.last_id}`;
    }
    expect(seen.size).toBe(600);
    expect(costs).toHaveLength(12);
    // A page, one row more, and a few for the place where it begins.
    expect(Math.max(...costs)).toBeLessThan(70);
    read = 0;
    expect((await send(service.url, `/v1/files/${[...seen][300]!}`, { key: keys.ada.key })).status).toBe(200);
    expect(read).toBe(0);
  });

  it("make no store where one of its files is not there", async () => {
    const client = (await serve())("ada");
    const before = (await client.vectorStores.list()).data.length;
    const file_ids = [`file-${"0".repeat(32)}`];
    await expect(client.vectorStores.create({ name: "half", file_ids })).rejects.toMatchObject({ status: 404 });
    expect((await client.vectorStores.list()).data.length).toBe(before);
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

describe("vector stores that a client of OpenAI makes", () => {
  const sheet = (name: string, text: string) => toFile(new TextEncoder().encode(text), name, { type: "text/markdown" });
  const poll = { pollIntervalMs: 20 };

  it("find the files that are put into them, by their attributes, and nothing else", async () => {
    const clients = await serve();
    const client = clients("ada");
    const store = await client.vectorStores.create({ name: "handbook", metadata: { kind: "test" } });
    expect(store).toMatchObject({ name: "handbook", metadata: { kind: "test" }, file_counts: { total: 0 } });
    const years: [string, number][] = [
      ["The comet returns in winter.", 2025],
      ["The comet returns in spring.", 2026],
    ];
    const uploads: string[] = [];
    for (const [text, year] of years) {
      const file = await client.files.create({ file: await sheet(`comet-${year}.md`, text), purpose: "assistants" });
      expect(file).toMatchObject({ object: "file", filename: `comet-${year}.md`, bytes: text.length });
      expect(await (await client.files.content(file.id)).text()).toBe(text);
      // Nobody finds a file before it is in a store.
      expect(await clients.kb.search("comet winter spring", { mode: "lexical" })).toHaveLength(year - 2025);
      const put = await client.vectorStores.files.createAndPoll(
        store.id,
        { file_id: file.id, attributes: { year } },
        poll,
      );
      expect(put).toMatchObject({ id: file.id, status: "completed", vector_store_id: store.id, attributes: { year } });
      uploads.push(file.id);
    }
    const { data: listed } = await client.vectorStores.files.list(store.id);
    expect(Object.fromEntries(listed.map(({ id, attributes }) => [id, attributes?.["year"]]))).toEqual(
      Object.fromEntries(uploads.map((id, index) => [id, 2025 + index])),
    );
    const search = async (filters?: object) =>
      (await client.vectorStores.search(store.id, { query: "When does the comet return?", filters } as never)).data;
    expect((await search()).map(({ filename }) => filename).toSorted()).toEqual(["comet-2025.md", "comet-2026.md"]);
    const newer = await search({ type: "gte", key: "year", value: 2026 });
    expect(newer.map(({ filename, file_id, attributes }) => [filename, file_id, attributes?.["year"]])).toEqual([
      ["comet-2026.md", uploads[1], 2026],
    ]);
    const response = await client.responses.create({
      model: "ibid",
      input: "When does the comet return?",
      tools: [{ type: "file_search", vector_store_ids: [store.id] }],
      include: ["file_search_call.results"],
    });
    const [found, said] = response.output;
    const results = found?.type === "file_search_call" ? (found.results ?? []) : [];
    const [part] = said?.type === "message" ? said.content : [];
    const annotations = part?.type === "output_text" ? part.annotations : [];
    const cited: readonly object[] = [...results, ...annotations];
    expect([results.length, annotations.length]).not.toContain(0);
    for (const one of cited) expect(uploads).toContain((one as { readonly file_id: string }).file_id);
    const both = {
      type: "or",
      filters: [
        { type: "eq", key: "year", value: 1 },
        { type: "in", key: "year", value: [2025] },
      ],
    };
    expect((await search(both)).map(({ filename }) => filename)).toEqual(["comet-2025.md"]);
    const answer = await client.responses.create({
      model: "ibid",
      input: "When does the comet return?",
      tools: [{ type: "file_search", vector_store_ids: [store.id], filters: { type: "eq", key: "year", value: 2026 } }],
    });
    expect(answer.output_text).toContain("spring");
    expect(answer.output_text).not.toContain("winter");
    expect((await client.vectorStores.retrieve(store.id)).file_counts).toMatchObject({ completed: 2, total: 2 });
    expect((await client.vectorStores.list()).data.map(({ id }) => id)).toContain(store.id);
    // The caller's own documents outside of the store are not in it.
    expect(
      (await client.vectorStores.search(store.id, { query: "Who rotates a key under the mat?" })).data.filter(
        ({ filename }) => !filename.startsWith("comet"),
      ),
    ).toEqual([]);
  });

  it("show files that are not there yet, and those that failed, in lists, counts and the state of their store [20]", async () => {
    const clients = await serve();
    const client = clients("ada");
    const upload = async (file: File) => (await client.files.create({ file, purpose: "assistants" })).id;
    const broken = await upload(await toFile(new Uint8Array([0, 1, 2, 3, 255, 0]), "noise.bin"));
    const good = await upload(await sheet("comet.md", "The comet returns in winter."));
    const made = await client.vectorStores.create({ name: "comets", file_ids: [broken, good] });
    expect(made).toMatchObject({ file_counts: { total: 2 } });
    // A client that waits for its store waits for its files.
    expect([made.status, made.file_counts.in_progress > 0]).toEqual([
      made.file_counts.in_progress > 0 ? "in_progress" : "completed",
      made.status === "in_progress",
    ]);
    await expect
      .poll(async () => (await client.vectorStores.retrieve(made.id)).file_counts, { timeout: 20_000 })
      .toEqual({ completed: 1, failed: 1, in_progress: 0, cancelled: 0, total: 2 });
    expect((await client.vectorStores.retrieve(made.id)).status).toBe("completed");
    const files = client.vectorStores.files;
    const list = async (filter?: "completed" | "failed") => {
      const all = [];
      for await (const file of files.list(made.id, { limit: 1, ...(filter && { filter }) })) all.push(file);
      return all.map(({ id, status, last_error: error }) => [id, status, error?.code]);
    };
    expect(await list()).toEqual([
      [broken, "failed", "invalid_file"],
      [good, "completed", undefined],
    ]);
    expect([await list("completed"), await list("failed")].map((all) => all.map(([id]) => id))).toEqual([
      [good],
      [broken],
    ]);
    expect(await files.delete(broken, { vector_store_id: made.id })).toMatchObject({ deleted: true });
    expect((await list()).map(([id]) => id)).toEqual([good]);
    expect((await client.vectorStores.retrieve(made.id)).file_counts).toMatchObject({ failed: 0, total: 1 });
  });

  it("take batches, and say which file failed and why", async () => {
    const client = (await serve())("ada");
    const { id: store } = await client.vectorStores.create({ name: "batch" });
    const batch = await client.vectorStores.fileBatches.uploadAndPoll(
      store,
      {
        files: [
          await sheet("one.md", "# One\n\nThe first."),
          await sheet("two.md", "# Two\n\nThe second."),
          await toFile(new Uint8Array([0, 1, 2, 3, 255, 0]), "noise.bin"),
        ],
      },
      poll,
    );
    expect(batch).toMatchObject({ status: "completed", file_counts: { completed: 2, failed: 1, total: 3 } });
    const files = (await client.vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: store })).data;
    const failed = files.filter(({ status }) => status === "failed");
    expect(failed[0]?.last_error?.message.length).toBeGreaterThan(20);
    expect(await client.vectorStores.files.retrieve(failed[0]!.id, { vector_store_id: store })).toMatchObject({
      status: "failed",
    });
    expect((await client.vectorStores.files.list(store)).data.map(({ status }) => status)).toEqual([
      "failed",
      "completed",
      "completed",
    ]);
    await expect(client.vectorStores.fileBatches.create(store, { file_ids: ["file-none"] })).rejects.toThrow("404");
  });

  it("are changed and deleted by those who may write them; a deleted file leaves every store", async () => {
    const clients = await serve();
    const client = clients("ada");
    const { id: store } = await client.vectorStores.create({ name: "a" });
    const file = await client.files.create({
      file: await sheet("note.md", "# Note\n\nThe otter sleeps."),
      purpose: "assistants",
    });
    await client.vectorStores.files.createAndPoll(store, { file_id: file.id }, poll);
    expect(await client.vectorStores.update(store, { name: "b" })).toMatchObject({
      name: "b",
      file_counts: { total: 1 },
    });
    await client.vectorStores.files.update(file.id, { vector_store_id: store, attributes: { shelf: "low" } });
    await client.vectorStores.files.poll(store, file.id, poll);
    const otters = async () => (await client.vectorStores.search(store, { query: "otter" })).data;
    expect((await otters())[0]?.attributes).toEqual({ shelf: "low" });
    expect(JSON.stringify(await client.vectorStores.files.content(file.id, { vector_store_id: store }))).toContain(
      "otter",
    );
    await client.files.delete(file.id);
    expect(await otters()).toEqual([]);
    await expect(client.files.retrieve(file.id)).rejects.toThrow("404");
    const other = await client.files.create({
      file: await sheet("note.md", "# Note\n\nThe otter wakes."),
      purpose: "assistants",
    });
    await client.vectorStores.files.createAndPoll(store, { file_id: other.id }, poll);
    expect(await client.vectorStores.files.delete(other.id, { vector_store_id: store })).toMatchObject({
      deleted: true,
    });
    expect(await client.files.retrieve(other.id)).toMatchObject({ filename: "note.md" });
    expect(await client.vectorStores.delete(store)).toMatchObject({ deleted: true });
    await expect(client.vectorStores.retrieve(store)).rejects.toThrow("404");
  });

  it("stay with those who may write their scope, and with readers of their documents [L3]", async () => {
    const clients = await serve();
    const [ada, bob, operator] = [clients("ada"), clients("bob"), clients("operator")];
    const { id: own } = await ada.vectorStores.create({ name: "own" });
    const file = await ada.files.create({
      file: await sheet("secret.md", "# Secret\n\nThe heron nests here."),
      purpose: "assistants",
    });
    await ada.vectorStores.files.createAndPoll(own, { file_id: file.id }, poll);
    for (const asked of [
      () => bob.files.retrieve(file.id),
      () => bob.files.content(file.id),
      () => bob.vectorStores.retrieve(own),
      () => bob.vectorStores.search(own, { query: "heron" }),
      () =>
        bob.responses.create({
          model: "ibid",
          input: "heron",
          tools: [{ type: "file_search", vector_store_ids: [own] }],
        }),
    ])
      await expect(asked()).rejects.toThrow("404");
    // A key without the right to write makes nothing.
    await expect(bob.vectorStores.create({ name: "x" })).rejects.toThrow("403");
    await expect(bob.files.create({ file: await sheet("a.md", "a"), purpose: "assistants" })).rejects.toThrow("403");
    await expect(ada.vectorStores.create({ name: "x", ibid: { scope: "team:umbrella" } } as never)).rejects.toThrow(
      "403",
    );
    // A store in the scope of all: readers see it with its first document.
    const { id: shared } = await operator.vectorStores.create({ name: "all", ibid: { scope: "deployment" } } as never);
    await expect(bob.vectorStores.retrieve(shared)).rejects.toThrow("404");
    const open = await operator.files.create({
      file: await sheet("open.md", "# Open\n\nThe gate opens at nine."),
      purpose: "assistants",
    });
    await operator.vectorStores.files.createAndPoll(shared, { file_id: open.id }, poll);
    expect(
      (await bob.vectorStores.search(shared, { query: "When does the gate open?" })).data[0]?.content[0]?.text,
    ).toContain("nine");
    // The upload stays with its caller; a reader of the document finds it by the id that the result has.
    await expect(bob.files.retrieve(open.id)).rejects.toThrow("404");
    const [result] = (await bob.vectorStores.search(shared, { query: "When does the gate open?" })).data;
    expect(await (await bob.files.content(result!.file_id)).text()).toContain("The gate opens at nine.");
    const [asMade] = (await operator.vectorStores.search(shared, { query: "When does the gate open?" })).data;
    expect(asMade?.file_id).toBe(open.id);
  });

  it("lose the uploaded bytes with the purge of their documents", async () => {
    const clients = await serve();
    const client = clients("ada");
    const { id: store } = await client.vectorStores.create({ name: "a" });
    const file = await client.files.create({
      file: await sheet("note.md", "# Note\n\nThe lynx hides."),
      purpose: "assistants",
    });
    await client.vectorStores.files.createAndPoll(store, { file_id: file.id }, poll);
    const query = new URLSearchParams({ uri: `${store}/${file.id}/note.md`, purge: "true" });
    const purged = await fetch(new URL(`../document?${query.toString()}`, `${client.baseURL}/`), {
      method: "DELETE",
      headers: { authorization: `Bearer ${keys.ada.key}` },
    });
    expect(purged.status).toBe(200);
    for await (const { key } of clients.files.list()) {
      const kept = await clients.files.get(key);
      expect(new TextDecoder().decode(kept!.bytes)).not.toContain("lynx");
    }
  });

  it("refuse what is not there by name", async () => {
    const client = (await serve())("ada");
    await expect(client.vectorStores.create({ chunking_strategy: { type: "static" } } as never)).rejects.toThrow("400");
    await expect(client.vectorStores.update("deployment", { name: "x" })).rejects.toThrow("is a scope");
    const { id } = await client.vectorStores.create({ name: "a" });
    const ask = (filters: object) => client.vectorStores.search(id, { query: "x", filters } as never);
    await expect(ask({ type: "like", key: "a", value: "b" })).rejects.toThrow("400");
    const tools = [{ type: "file_search" as const, vector_store_ids: [id, "deployment"] }];
    await expect(client.responses.create({ model: "ibid", input: "x", tools })).rejects.toThrow(
      "stands beside the scope",
    );
    await expect(client.files.create({ file: await sheet("a.md", "a"), purpose: "fine-tune" })).rejects.toThrow(
      "purpose",
    );
  });
});
