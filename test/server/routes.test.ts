import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { IbidError } from "../../src/contracts/errors.ts";
import { createHandler } from "../../src/server/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { type Answered, keys, openWorld, send, startWorld } from "./service.ts";

describe("POST /rag/query", () => {
  const ask = (query: unknown) => ({ body: { query } });

  it("answers {query} with {response}, in plain words [B46]", async () => {
    const { as, log } = await startWorld();
    const { status, json } = await as("anyone", "/rag/query", ask("How long is a key valid?"));
    expect(status).toBe(200);
    expect(json).toEqual({
      response: "A key is valid for ninety days.\n\nEverybody rotates a key with keyctl rotate.",
    });
    expect(log).toMatchObject([{ status: 200, method: "POST", path: "/rag/query", caller: "anyone" }]);
  });

  it("says word for word that it found nothing [B46]", async () => {
    const { as } = await startWorld();
    const { status, json } = await as("anyone", "/rag/query", ask("Who painted the ceiling of the chapel?"));
    expect({ status, json }).toEqual({
      status: 200,
      json: { response: "I couldn't find an answer to your question." },
    });
  });

  it("says the same where the model says nothing [B46]", async () => {
    const { as } = await startWorld({}, await openWorld(createScriptedChatModel([""])));
    const { json } = await as("anyone", "/rag/query", ask("How long is a key valid?"));
    expect(json).toEqual({ response: "I couldn't find an answer to your question." });
  });

  it("says word for word that it failed, and the log says why without the question [B46 L10]", async () => {
    const question = "How long is the reactor key valid?";
    const kb = await openWorld();
    const failing = {
      ...kb,
      as: () => failing,
      ask: () => {
        throw new IbidError("model-failed", "The model did not answer.", {
          cause: new Error(`Bad request: {"messages":[{"content":"${question}"}]}`),
        });
      },
    } as unknown as typeof kb;
    const { as, log } = await startWorld({}, failing);
    const { status, text, headers } = await as("anyone", "/rag/query", ask(question));
    expect({ status, text }).toEqual({ status: 500, text: "Unable to obtain a valid answer at this time." });
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(log).toMatchObject([
      {
        status: 500,
        failure: { code: "model-failed", message: "The model did not answer.", causes: [{ name: "Error" }] },
      },
    ]);
    expect(JSON.stringify(log)).not.toContain("reactor");
  });

  it("refuses a question that is too long as other routes do: the service has not failed", async () => {
    const { as } = await startWorld();
    const { status, json } = await as("anyone", "/rag/query", ask("x".repeat(9000)));
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: "invalid-argument" });
  });
});

describe("the other routes", () => {
  it("searches, with the options of the library", async () => {
    const { as } = await startWorld();
    const found = await as("anyone", "/search", { body: { query: "rotate key", topK: 1, explain: true } });
    expect(found.status).toBe(200);
    expect(found.json.hits).toMatchObject([{ rank: 1, scope: "deployment", source: { uri: "deployment.md" } }]);
    expect(found.json.hits[0].explain.fusion).toBe("best");
    const filtered = { query: "rotate key", filter: { product: "none" } };
    expect((await as("anyone", "/search", { body: filtered })).json.hits).toEqual([]);
  });

  it("joins hits that touch, and groups them by document", async () => {
    const { as, kb } = await startWorld();
    const rotation = `Keys of the reactor are rotated by hand. ${"Nobody may copy them. ".repeat(40)}`;
    await kb.ingest({ uri: "long.md", text: `${rotation}\n\n${rotation.replace("hand", "robots")}` });
    const body = { query: "reactor rotated by hand or robots", merge: true, groupBy: "document", explain: true };
    const { status, json } = await as("operator", "/search", { body });
    expect(status).toBe(200);
    const hit = json.hits.find(({ source }: { source: { uri: string } }) => source.uri === "long.md");
    expect(hit.parts.length).toBeGreaterThan(1);
    expect(hit.parts[0]).toMatchObject({ chunkId: expect.any(String), uri: "long.md", start: 0 });
    const group = json.groups.find(({ uri }: { uri: string }) => uri === "long.md");
    expect(group.ranks).toContain(hit.rank);
  });

  it("asks: citations are what stands at their place [L2]", async () => {
    const { as } = await startWorld();
    const { json } = await as("anyone", "/ask", { body: { question: "How long is a key valid?" } });
    expect(json).toMatchObject({ kind: "quotes", verbatim: true, model: null });
    expect(json.citations.length).toBeGreaterThan(0);
    for (const { uri, start, end, quote } of json.citations) {
      const place = await as("anyone", `/document?uri=${uri}&start=${start}&end=${end}`);
      expect(place.json).toMatchObject({ start, end, text: quote });
    }
  });

  it("streams an answer as events that end with the whole of it", async () => {
    const { as, log } = await startWorld();
    const body = { question: "How long is a key valid?" };
    const { text, headers } = await as("anyone", "/ask", { body, headers: { accept: "text/event-stream" } });
    expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const events = text
      .trimEnd()
      .split("\n\n")
      .map((event) => {
        const [, type = "", data = ""] = /^id: [\w-]+\.\d+\nevent: (.*)\ndata: (.*)$/su.exec(event) ?? [];
        return { type, data: JSON.parse(data) as Record<string, unknown> };
      });
    expect(events.map(({ type }) => type)).toEqual(["hits", "text", "citation", "text", "citation", "answer"]);
    const deltas = events.filter(({ type }) => type === "text").map(({ data }) => data["delta"]);
    expect(events.at(-1)?.data["answer"]).toMatchObject({ text: deltas.join(""), kind: "quotes" });
    expect(log).toMatchObject([{ status: 200, path: "/ask" }]);
  });

  it("refuses with a status what fails before the stream begins, and says in it what fails after", async () => {
    const { as, log } = await startWorld(
      {},
      await openWorld(createScriptedChatModel([{ error: new Error("The secret engine is down.") }])),
    );
    const accept = { accept: "text/event-stream" };
    const early = await as("anyone", "/ask", { body: { question: "x?", filter: { a: { near: 1 } } }, headers: accept });
    expect(early).toMatchObject({ status: 400, json: { error: { code: "invalid-filter" } } });
    const late = await as("anyone", "/ask", { body: { question: "How long is a key valid?" }, headers: accept });
    expect(late.status).toBe(200);
    expect(late.text).toContain("event: hits\n");
    expect(late.text).toMatch(/event: error\ndata: \{"code":"model-failed","message":"The model failed before its/u);
    expect(late.text).not.toContain("engine");
    expect(log.at(-1)?.failure).toMatchObject({ code: "model-failed" });
  });

  it("talks to a chat client of the AI SDK: text, citations and history", async () => {
    const model = createScriptedChatModel((messages) =>
      JSON.stringify(messages.at(-1)).includes("How long") ? "A key is valid for ninety days [1]." : "keys valid",
    );
    const { service } = await startWorld({}, await openWorld(model));
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${service.url}chat`,
      headers: { authorization: `Bearer ${keys.ada.key}` },
    });
    const said = (role: "user" | "assistant", text: string): UIMessage => ({
      id: text,
      role,
      parts: [{ type: "text", text }],
    });
    const stream = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "1",
      messageId: undefined,
      abortSignal: undefined,
      messages: [
        said("user", "Tell me of keys."),
        said("assistant", "What of them?"),
        said("user", "How long are they valid?"),
      ],
    });
    let message: UIMessage | undefined;
    for await (const each of readUIMessageStream({ stream })) message = each;
    const parts = message?.parts ?? [];
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    expect(texts.join("")).toBe("A key is valid for ninety days [1].");
    expect(parts.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["data-hits", "data-citation", "source-document"]),
    );
    expect(message?.metadata).toMatchObject({ kind: "written", grounded: true });
  });

  it("says to a chat client what it got wrong, and of what failed nothing but that", async () => {
    const model = createScriptedChatModel([{ error: new Error("The secret engine is down.") }]);
    const { as, log } = await startWorld({}, await openWorld(model));
    const instructed = {
      messages: [{ role: "user", parts: [{ type: "text", text: "When?" }] }],
      instructions: "Obey.",
    };
    expect((await as("ada", "/chat", { body: instructed })).status).toBe(400);
    const system = await as("ada", "/chat", { body: { messages: [{ role: "system", parts: [] }] } });
    expect(system).toMatchObject({ status: 400, json: { error: { code: "invalid-argument" } } });
    const messages = [{ role: "user", parts: [{ type: "text", text: "How long is a key valid?" }] }];
    const failed = await as("ada", "/chat", { body: { messages } });
    expect(failed.text).toContain('{"type":"error","errorText":"The model failed before its answer was complete.');
    expect(failed.text).not.toContain("engine");
    expect(log.at(-1)).toMatchObject({ path: "/chat", failure: { code: "model-failed" } });
  });

  it("lists page by page, in one order, whatever was taken out in between", async () => {
    const { as, kb } = await startWorld();
    for (const uri of ["a b.md", "ä.md", "😀.md", "\uFFFD.md", "z.md"]) await kb.ingest({ uri, text: `About ${uri}.` });
    const pages: string[][] = [];
    let next: string | undefined;
    do {
      const after: string = next === undefined ? "" : `&after=${encodeURIComponent(next)}`;
      const { json } = await as("anyone", `/documents?limit=2${after}`);
      pages.push(json.documents.map(({ uri }: { uri: string }) => uri));
      next = json.next;
      // What the next page would be found by.
      if (pages.length === 2) await kb.delete(pages[1]!.at(-1)!);
    } while (next !== undefined);
    expect(pages).toEqual([
      ["a b.md", "deployment.md"],
      ["z.md", "ä.md"],
      ["\uFFFD.md", "😀.md"],
    ]);
    const broken = await as("anyone", "/documents?after=nowhere");
    expect(broken).toMatchObject({ status: 400, json: { error: { code: "invalid-argument" } } });
  });

  it("reads the rows of its page alone for a page with the total of whole scopes [20]", async () => {
    const base = await openWorld();
    const read = { rows: 0 };
    const counted: typeof base = {
      ...base,
      async *list(options) {
        for await (const one of base.list(options)) {
          read.rows += 1;
          yield one;
        }
      },
    };
    await base.ingest(Array.from({ length: 40 }, (_, at) => ({ uri: `many/${at}.txt`, text: `Number ${at}.` })));
    const { as } = await startWorld({}, counted);
    let held = 0;
    for await (const _ of base.list({ scope: "deployment" })) held += 1;
    for (const sort of ["uri", "newest", "oldest", "largest", "title"]) {
      read.rows = 0;
      const { json } = await as("operator", `/documents?scope=deployment&limit=3&total=true&sort=${sort}`);
      expect([json.total, json.documents.length, read.rows]).toEqual([held, 3, 4]);
    }
  });

  it("lists by prefix, scope, media type and date, with a total of all pages", async () => {
    const { as, kb } = await startWorld();
    await kb.ingest({ uri: "notes/a.txt", text: "A." });
    await kb.ingest({ uri: "notes/b.md", text: "B.", mediaType: "text/markdown" });
    const list = async (query: string): Promise<readonly unknown[]> => {
      const { json } = await as("ada", `/documents?${query}`);
      return [json.documents.map(({ uri }: { uri: string }) => uri), json.total, json.next !== undefined];
    };
    expect(await list("under=notes/&total=true")).toEqual([["notes/a.txt", "notes/b.md"], 2, false]);
    expect(await list("under=notes/&limit=1&total=true")).toEqual([["notes/a.txt"], 2, true]);
    expect(await list("mediaType=text/markdown&under=notes/")).toEqual([["notes/b.md"], undefined, false]);
    expect(await list("mediaType=text/&under=notes/&limit=2")).toEqual([
      ["notes/a.txt", "notes/b.md"],
      undefined,
      false,
    ]);
    expect(await list("mediaType=image/")).toEqual([[], undefined, false]);
    expect(await list("scope=user:ada&total=true")).toEqual([["user-ada.md"], 1, false]);
    expect(await list("before=2001-01-01")).toEqual([[], undefined, false]);
    expect(await list("since=2001-01-01&limit=1000&total=true")).toMatchObject([expect.any(Array), 5, false]);
    expect(await list("limit=2&total=true")).toMatchObject([expect.any(Array), 5, true]);
    for (const wrong of ["since=yesterday", "total=maybe", "limit=0", "prefix=notes"])
      expect((await as("ada", `/documents?${wrong}`)).status).toBe(400);
    await expect(kb.list({ limit: 0 })[Symbol.asyncIterator]().next()).rejects.toThrow("limit is 0");
    await expect(kb.list({ since: "soon" })[Symbol.asyncIterator]().next()).rejects.toThrow('since is "soon"');
  });

  it("pages files of this machine by the names that readers see", async () => {
    const { as, kb } = await startWorld();
    for (const name of ["a", "b", "c"]) await kb.ingest({ uri: `/srv/data/${name}.md`, text: `About ${name}.` });
    const names: string[] = [];
    let after = "";
    for (let pages = 0; pages < 6; pages++) {
      const { json, text } = await as("anyone", `/documents?limit=1${after}`);
      expect(text).not.toContain("/srv");
      names.push(...json.documents.map(({ uri }: { uri: string }) => uri));
      if (json.next === undefined) break;
      after = `&after=${encodeURIComponent(json.next)}`;
    }
    expect(names).toEqual(["a.md", "b.md", "c.md", "deployment.md"]);
    const { json } = await as("anyone", "/documents?under=b&total=true");
    expect([json.documents.map(({ uri }: { uri: string }) => uri), json.total]).toEqual([["b.md"], 1]);
    // A position whose document is gone has no place that a reader may know.
    const gone = `/documents?after=${encodeURIComponent(JSON.stringify(["gone.md", "deployment"]))}`;
    expect((await as("anyone", gone)).status).toBe(400);
  });

  it("takes in text and files, says what became of them, and takes them out", async () => {
    const { as } = await startWorld();
    const text = {
      uri: "note.md",
      text: "# Doors\n\nThe green door is locked.",
      mediaType: "text/markdown",
      metadata: { floor: 3 },
    };
    const added = await as("ada", "/documents", { body: text });
    expect(added).toMatchObject({
      status: 201,
      json: { status: "added", uri: "note.md", scope: "team:acme", chunks: 1 },
    });
    expect(await as("ada", "/documents", { body: text })).toMatchObject({ status: 200, json: { status: "unchanged" } });
    const found = await as("ada", "/search", { body: { query: "green door", filter: { floor: 3 } } });
    expect(found.json.hits).toMatchObject([{ source: { uri: "note.md", title: "Doors" } }]);

    const page = Buffer.from("<h1>Fen\u00eatres</h1><p>La fen\u00eatre est ouverte.</p>", "latin1");
    const path = "/document?uri=page.html&scope=user:ada&title=Windows";
    const headers = { "content-type": "text/html; charset=iso-8859-1" };
    const uploaded = await as("ada", path, { method: "PUT", body: page, headers });
    expect(uploaded).toMatchObject({ status: 201, json: { scope: "user:ada", uri: "page.html" } });
    const shown = await as("ada", "/document?uri=page.html");
    expect(shown.json).toMatchObject({ title: "Windows", mediaType: "text/html", scope: "user:ada" });
    expect(shown.json.text).toContain("La fenêtre est ouverte.");

    const binary = await as("ada", "/document?uri=x.bin", {
      method: "PUT",
      body: new Uint8Array([0, 1, 2, 0, 255, 0]),
    });
    expect(binary).toMatchObject({ status: 422, json: { error: { code: "binary" } } });

    const gone = await as("ada", "/document?uri=page.html&purge=true", { method: "DELETE" });
    expect(gone).toMatchObject({
      status: 200,
      json: { deleted: [{ uri: "page.html", scope: "user:ada", chunks: 1 }] },
    });
    expect((await as("ada", "/document?uri=page.html")).status).toBe(404);
  });

  it("gives an outline whose places lead back", async () => {
    const { as } = await startWorld();
    const { json } = await as("anyone", "/outline?uri=deployment.md");
    expect(json.sections.map(({ title }: { title: string }) => title)).toEqual(["Keys", "Keys", "Lifetime"]);
    const { start, end } = json.sections.at(-1);
    const section = await as("anyone", `/document?uri=deployment.md&start=${start}&end=${end}`);
    expect(section.json.text).toBe("## Lifetime\n\nA key is valid for ninety days.\n");
  });

  it("counts what a caller may read, and says how far the store's own model is [L3]", async () => {
    const { as } = await startWorld();
    const { status, json } = await as("anyone", "/status");
    expect(status).toBe(200);
    expect(json.scopes.map(({ scope }: { scope: string }) => scope)).toEqual(["deployment"]);
    expect(json.fit).toEqual({ madeOf: 0, foldedIn: 0, refitAt: 256, isDue: false, isSetAside: false });
    expect((await as("ada", "/status")).json.scopes.length).toBeGreaterThan(1);
    expect((await as(null, "/status")).status).toBe(401);
  });

  it("tells operators how the last minute went, and nobody else [T54]", async () => {
    const { as, log } = await startWorld();
    await as("ada", "/search", { body: { query: "rotate key" } });
    await as("ada", "/search", { body: { query: "qwertz" } });
    const health = await as("operator", "/health/rag");
    expect(health).toMatchObject({
      status: 200,
      json: { windowSeconds: 60, queue: { depth: 0, rejected: 0 }, retrieval: { count: 2, hits: 1, empty: 1 } },
    });
    for (const who of ["ada", "bob", "anyone"] as const)
      expect(await as(who, "/health/rag")).toMatchObject({ status: 403, json: { error: { code: "access-denied" } } });
    expect((await as(null, "/health/rag")).status).toBe(401);
    // The log names who was turned away, where that is known; a line comes after its answer.
    const lines = (): string[] =>
      log.filter(({ path }) => path === "/health/rag").map(({ status, caller }) => `${status} ${caller}`);
    await expect.poll(() => lines().length).toBe(5);
    expect(lines().toSorted()).toEqual(["200 operator", "401 undefined", "403 ada", "403 anyone", "403 bob"]);
  });

  it("shows a page that loads nothing from elsewhere, and no data without a key", async () => {
    const { as } = await startWorld();
    const page = await as(null, "/");
    expect(page.status).toBe(200);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]*)"/gu)].map(([, address = ""]) => address);
    expect(loaded).toEqual(["data:,", "page.css", "page.js", "openapi.json"]);
    const script = await as(null, "/page.js");
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(`${script.text}${(await as(null, "/page.css")).text}`).not.toMatch(/innerHTML/u);
    const html = { headers: { accept: "text/html,*/*;q=0.8" } };
    expect((await as(null, "/search", html)).text).toBe(page.text);
    const without = await startWorld({ page: false });
    expect((await without.as(null, "/")).status).toBe(404);
  });

  it("answers HEAD and OPTIONS, names the methods there are, and keeps a request's id", async () => {
    const { as } = await startWorld();
    const head = await as("anyone", "/documents", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, text: "" });
    const options = await as(null, "/document", { method: "OPTIONS" });
    expect(options).toMatchObject({ status: 204, headers: { allow: "GET, PUT, DELETE, HEAD, OPTIONS" } });
    const wrong = await as("anyone", "/search");
    expect(wrong).toMatchObject({ status: 405, headers: { allow: "POST, OPTIONS" } });
    const own = await as("anyone", "/documents", { headers: { "x-request-id": "trace-7" } });
    expect(own.headers["x-request-id"]).toBe("trace-7");
    const forged = await as("anyone", "/nowhere", { headers: { "x-request-id": "a b" } });
    expect(forged.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/u);
    expect(forged.json.error.requestId).toBe(forged.headers["x-request-id"]);
  });

  it("refuses in one shape: JSON with code, message, hint and the uri that was sent", async () => {
    const { as, service } = await startWorld();
    const refusals: readonly (readonly [status: number, code: string, ask: () => Promise<Answered>, uri?: string])[] = [
      [400, "invalid-argument", () => as("ada", "/search", { body: { query: "x", top_k: 3 } })],
      [400, "invalid-argument", () => as("ada", "/search?x=1", { body: { query: "x" } })],
      [400, "invalid-filter", () => as("ada", "/search", { body: { query: "x", filter: { a: { near: 1 } } } })],
      [400, "invalid-argument", () => send(service.url, "/", { headers: { host: "]bad[" } })],
      [401, "unauthenticated", () => as(null, "/documents")],
      [403, "access-denied", () => as("bob", "/documents", { body: { uri: "x", text: "x" } })],
      [403, "forbidden-origin", () => as("ada", "/documents", { headers: { origin: "https://evil.example" } })],
      [404, "not-found", () => as("ada", "/nowhere")],
      [404, "not-found", () => as("ada", "/document?uri=gone.md"), "gone.md"],
      [404, "not-found", () => as("ada", "/outline?uri=gone.md"), "gone.md"],
      [404, "not-found", () => as("ada", "/document?uri=gone.md", { method: "DELETE" }), "gone.md"],
      [405, "method-not-allowed", () => as("ada", "/search")],
      [415, "unsupported-media", () => as("ada", "/search", { body: "query=x" })],
      [
        422,
        "binary",
        () => as("ada", "/document?uri=x.bin", { method: "PUT", body: new Uint8Array([0, 1, 2, 0]) }),
        "x.bin",
      ],
    ];
    for (const [status, code, ask, uri] of refusals) {
      const { json, headers, ...rest } = await ask();
      expect({ status: rest.status, code: json?.error.code, uri: json?.error.uri }).toEqual({ status, code, uri });
      const names = ["code", "message", "hint", "uri", "requestId"].filter((name) => name !== "uri" || uri);
      expect(Object.keys(json.error)).toEqual(names);
      expect(json.error.message).toMatch(/^\S.*\.$/u);
      expect(json.error.hint).toMatch(/^[A-Z].*[.?]$/u);
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    }
  });

  it.each([
    [
      { query: "x", topK: 1000 },
      "topK is 1000; it must be a whole number from 1 to 100.",
      "The fields are query, topK",
    ],
    [{ query: "x", topK: "3" }, 'topK is "3"; it must be a whole number', "The fields are query, topK"],
    [{ query: "x", top_k: 3 }, '"top_k" is unknown.', 'Did you mean "topK"?'],
    [{ query: "x", mode: "vector" }, 'mode is "vector"; it must be one of hybrid, dense', "The fields"],
    [{ query: " " }, "query must not be blank.", "The fields"],
    [{ query: "x", filter: [] }, "filter is []; it must be an object.", "The fields"],
    [
      { query: "x", scopes: ["team:"] },
      'scopes is ["team:"]; it must be a list, each platform, deployment, team:<id> or user:<id>',
      "The fields",
    ],
    [{ q: "x" }, 'query is missing; "q" is unknown.', "The fields are query"],
  ])("names value and rule of a wrong body: %j", async (body, message, hint) => {
    const { as } = await startWorld();
    const { status, json } = await as("ada", "/search", { body });
    expect(status).toBe(400);
    expect(json.error.message).toContain(message);
    expect(json.error.hint).toContain(hint);
  });

  it("answers 500 when the application throws what is no error", async () => {
    const log: unknown[] = [];
    const handler = createHandler(await openWorld(), {
      authenticate: () => Promise.reject("a secret"),
      log: (entry) => log.push(entry),
    });
    const response = await handler(new Request("http://app.example/documents"));
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: "internal" } });
    expect(text).not.toContain("secret");
    expect(log).toMatchObject([{ status: 500, path: "/documents", failure: { message: "a secret" } }]);
  });

  it("asks the application who asks, where it knows", async () => {
    const kb = await openWorld();
    const handler = createHandler(kb, {
      authenticate: (request) =>
        request.headers.get("cookie") === "session=7" ? { name: "ada", access: { userId: "ada" } } : undefined,
    });
    const list = (cookie: string) => handler(new Request("http://app.example/documents", { headers: { cookie } }));
    const listed = (await (await list("session=7")).json()) as { documents: { uri: string }[] };
    expect(listed.documents.map(({ uri }) => uri)).toEqual(["deployment.md", "user-ada.md"]);
    expect((await list("session=8")).status).toBe(401);
    // A host that hands over something of its own by mistake opens nothing.
    const open = createHandler(kb);
    const request = () => new Request("http://localhost/documents");
    expect((await open(request())).status).toBe(403);
    expect((await open(request(), { env: {} } as object)).status).toBe(403);
    expect((await open(request(), { remoteAddress: "127.0.0.1" })).status).toBe(200);
  });
});
