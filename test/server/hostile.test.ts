import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { createHandler, startService } from "../../src/server/index.node.ts";
import { keys, openWorld, send, startWorld } from "./service.ts";

const search = { query: "rotate key" };

/** Requests are counted as if all came at once, however long they take. **Units** of `later` milliseconds. */
function stopClock(later = 0): void {
  const now = Date.now() + later;
  vi.spyOn(Date, "now").mockReturnValue(now);
}

/** Speaks to a port in bytes, and gives back all that is said until it hangs up. */
async function speak(port: number, ...parts: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let said = "";
  socket.setEncoding("latin1").on("data", (part: string) => (said += part));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  await once(socket, "connect");
  for (const part of parts) socket.write(part);
  await closed;
  return said;
}

describe("hostile requests", () => {
  it.each([101, 5_000])("JSON that is nested %i levels deep is refused by every route", async (levels) => {
    const { as } = await startWorld();
    const deep = '{"in":'.repeat(levels - 1) + "{}" + "}".repeat(levels - 1);
    const list = "[".repeat(levels) + "]".repeat(levels);
    for (const [path, body] of [
      ["/documents", `{"uri":"deep.md","text":"A text.","metadata":${deep}}`],
      ["/documents", `{"uri":"deep.md","text":"A text.","metadata":{"in":${list}}}`],
      ["/search", `{"query":"key","filter":${deep}}`],
      ["/ask", `{"question":"key","filter":${deep}}`],
      ["/ask", `{"question":"key","history":${list}}`],
      ["/verify", `{"answer":${deep}}`],
      ["/chat", `{"messages":[${deep}]}`],
    ] as const) {
      const { status, json } = await as("ada", path, { body, headers: { "content-type": "application/json" } });
      expect({ path, status, code: json.error.code }).toEqual({ path, status: 400, code: "invalid-argument" });
    }
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":${deep}}}`;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    expect((await as("ada", "/mcp", { body: call, headers })).status).toBeLessThan(500);
  });

  it("bodies: too large, whatever they announce; too slow; broken; compressed; of another kind", async () => {
    const { as, service } = await startWorld({ limits: { maxJsonBytes: 1000, maxUploadBytes: 2000 } });
    const large = await as("ada", "/search", { body: { query: "x".repeat(1000) } });
    expect(large).toMatchObject({ status: 413, json: { error: { code: "too-large" } } });
    const put = { method: "PUT", body: "x".repeat(2001), headers: { "content-type": "text/plain" } };
    expect((await as("ada", "/document?uri=x.txt", put)).status).toBe(413);
    expect((await as("ada", "/document?uri=x.txt", { ...put, body: "x".repeat(2000) })).status).toBe(201);

    const head = `POST /search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada.key}\r\nContent-Type: application/json\r\n`;
    // Chunked: nothing is announced.
    const chunk = `400\r\n${" ".repeat(1024)}\r\n`;
    const chunked = await speak(service.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`);
    expect(chunked).toContain("HTTP/1.1 413 ");
    const impatient = await startWorld({ limits: { bodyTimeoutMs: 300 } });
    const slow = await speak(impatient.service.port, `${head}Content-Length: 100\r\n\r\n{"que`);
    expect(slow).toContain("HTTP/1.1 408 ");

    const raw = (body: string | Uint8Array, type = "application/json", more = {}) =>
      as("ada", "/search", { body, headers: { "content-type": type, ...more } });
    for (const body of [
      "",
      "{",
      "[]",
      "null",
      '"x"',
      "{'query':1}",
      new Uint8Array([0x22, 0xff, 0x22]),
      "[".repeat(900),
    ])
      expect((await raw(body)).status).toBe(400);
    expect((await raw(JSON.stringify(search), "text/plain")).status).toBe(415);
    expect((await raw(JSON.stringify(search), "application/x-www-form-urlencoded")).status).toBe(415);
    expect((await raw(JSON.stringify(search), "application/json; charset=utf-16")).status).toBe(415);
    expect((await raw(JSON.stringify(search), "application/json; charset=utf-8")).status).toBe(200);
    expect((await raw("x", "application/json", { "content-encoding": "gzip" })).status).toBe(415);
  });

  it("fields and parameters that nobody knows, of a wrong kind, or twice", async () => {
    const { as } = await startWorld();
    const wrong: readonly object[] = [
      { ...search, includeEmbeddings: true },
      { query: 7 },
      { query: " \n" },
      { query: null },
      { ...search, topK: 101 },
      { ...search, topK: "all" },
      { ...search, minScore: "0" },
      { ...search, scopes: ["team:"] },
      { ...search, strategy: "everything" },
      { ...search, filter: [] },
      { ...search, signal: {} },
      { query: "x".repeat(100_000) },
    ];
    for (const body of wrong)
      expect({ body, status: (await as("ada", "/search", { body })).status }).toEqual({ body, status: 400 });
    const deep = `${'{"not":'.repeat(40)}{}${"}".repeat(40)}`;
    const nested = await as("ada", "/search", {
      body: `{"query":"x","filter":${deep}}`,
      headers: { "content-type": "application/json" },
    });
    expect(nested).toMatchObject({ status: 400, json: { error: { code: "invalid-filter" } } });
    // A key of the prototype is a key like any other: dropped, it would find everything.
    const proto = await as("ada", "/search", {
      body: '{"query":"rotate key","filter":{"__proto__":"x"}}',
      headers: { "content-type": "application/json" },
    });
    expect(proto).toMatchObject({ status: 200, json: { hits: [] } });
    for (const path of [
      "/documents?limit=0",
      "/documents?limit=5&limit=6",
      "/documents?page=2",
      "/document",
      "/document?uri=",
      "/outline?uri=x&scope=everybody",
      "/openapi.json?x=1",
    ])
      expect({ path, status: (await as("ada", path)).status }).toEqual({ path, status: 400 });
    const { json } = await as("ada", "/document");
    expect(json).toMatchObject({ error: { message: "uri is missing." } });
  });

  it("paths: only those that there are, as they stand", async () => {
    const { as, log } = await startWorld();
    const tricks = [
      "/search/",
      "//search",
      "/SEARCH",
      "/%73earch",
      "/page.css/../../package.json",
      "/..%2fpackage.json",
      "/document/deployment.md",
      "/rag/query;x",
      "/__proto__",
      "/constructor",
    ];
    for (const path of tricks) expect({ path, status: (await as("ada", path)).status }).toEqual({ path, status: 404 });
    // What was asked for may say anything, and is not written down.
    expect(new Set(log.map(({ path }) => path))).toEqual(new Set([null]));
    for (const uri of ["../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "C:\\x"])
      expect((await as("operator", `/document?uri=${encodeURIComponent(uri)}`)).status).toBe(404);
    // A name is a name: nothing is read from the disk, and nothing is fetched.
    const named = await as("ada", "/documents", { body: { uri: "/etc/passwd", text: "Only this." } });
    expect(named).toMatchObject({ status: 201 });
    expect((await as("ada", "/document?uri=/etc/passwd")).json.text).toBe("Only this.");
  });

  it("what is not HTTP, or only half of it, ends with a status or a closed connection", async () => {
    const { service, as } = await startWorld();
    expect(await speak(service.port, "\u0000\u0001\r\n\r\n")).toContain("HTTP/1.1 400 ");
    expect(await speak(service.port, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 [45]/u,
    );
    expect(await speak(service.port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(100_000)}\r\n\r\n`)).toContain(
      "HTTP/1.1 431 ",
    );
    expect(await speak(service.port, "GET / HTTP/1.1\r\nHost: ]bad[\r\nConnection: close\r\n\r\n")).toContain(
      "HTTP/1.1 400 ",
    );
    expect((await as("ada", "/documents")).status).toBe(200);
  });

  it("without keys: other names, other pages and other machines are turned away", async () => {
    const { service, log } = await startWorld({ keyless: true });
    const get = (headers: Record<string, string>, path = "/documents") => send(service.url, path, { headers });
    for (const host of ["localhost", "localhost:9090", "127.0.0.1", "[::1]:9090", "wiki.localhost", "LOCALHOST."])
      expect({ host, status: (await get({ host })).status }).toEqual({ host, status: 200 });
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.0.7", "0.0.0.0"])
      expect({ host, status: (await get({ host })).status }).toEqual({ host, status: 421 });
    const host = "localhost:9090";
    expect((await get({ host, origin: "http://localhost:9090" })).status).toBe(200);
    for (const origin of ["http://evil.example", "null", "http://localhost:9091", "http://localhost:9090.evil.example"])
      expect({ origin, status: (await get({ host, origin })).status }).toEqual({ origin, status: 403 });
    // What a page loads across without an origin: pictures, scripts. A link that is followed is none.
    expect((await get({ host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).status).toBe(403);
    expect((await get({ host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, "/")).status).toBe(200);
    // A proxy on this machine would bring everybody.
    expect((await get({ host, "x-forwarded-for": "203.0.113.9" })).status).toBe(403);
    // Nobody on this machine writes unless that was said.
    const text = { method: "POST", body: { uri: "a.txt", text: "x" } };
    expect((await send(service.url, "/documents", text)).status).toBe(403);
    expect(log.every(({ path }) => path === "/documents" || path === "/")).toBe(true);

    const handler = createHandler(await openWorld());
    const from = async (remoteAddress: string) =>
      (await handler(new Request("http://localhost/documents"), { remoteAddress })).status;
    expect(await from("::ffff:127.0.0.1")).toBe(200);
    for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "fe80::1", "127.evil", ""])
      expect(await from(address)).toBe(403);
    await expect(startService(await openWorld(), { port: 0, host: "0.0.0.0" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  it("with keys: only allowed names and pages, where names and pages are given", async () => {
    const origins = ["https://app.example"];
    const { as } = await startWorld({ hosts: ["search.example"], origins });
    const ask = (headers: Record<string, string>, method = "GET") => as("ada", "/documents", { method, headers });
    expect((await ask({ host: "Search.Example:8443" })).status).toBe(200);
    expect((await ask({ host: "127.0.0.1" })).status).toBe(421);
    const host = "search.example";
    const allowed = await ask({ host, origin: "https://app.example" });
    expect(allowed).toMatchObject({ status: 200, headers: { "access-control-allow-origin": "https://app.example" } });
    const preflight = await ask(
      { host, origin: "https://app.example", "access-control-request-method": "POST" },
      "OPTIONS",
    );
    expect(preflight).toMatchObject({
      status: 204,
      headers: { "access-control-allow-methods": "GET,POST,HEAD,OPTIONS" },
    });
    const other = await ask({ host, origin: "https://evil.example" }, "OPTIONS");
    expect(other.status).toBe(403);
    expect(other.headers["access-control-allow-origin"]).toBeUndefined();
    expect(
      (await ask({ host, origin: "https://search.example" })).headers["access-control-allow-origin"],
    ).toBeUndefined();
  });

  it("keys that nobody has: the same answer to every one, and after many of them none", async () => {
    stopClock();
    const { service, as, log } = await startWorld();
    const tried = ["", "x", `${keys.ada.key}x`, keys.ada.key.slice(1), "ä", "x".repeat(5000)];
    const answers = await Promise.all(
      tried.map((key) => send(service.url, "/documents", { headers: { authorization: `Bearer ${encodeURI(key)}` } })),
    );
    for (const { status, json, headers } of answers) {
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toBe("Bearer");
      expect(json.error).toEqual({ ...answers[0]!.json.error, requestId: json.error.requestId });
    }
    expect(
      (await send(service.url, "/documents", { headers: { authorization: `Basic ${keys.ada.key}` } })).status,
    ).toBe(401);
    const many = await Promise.all(
      Array.from({ length: 100 }, () => send(service.url, "/documents", { key: "wrong-wrong-wrong-wrong" })),
    );
    const refused = many.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(0);
    // Whoever has a key is not locked out by whoever has none.
    expect((await as("ada", "/documents")).status).toBe(200);
    expect(JSON.stringify(log)).not.toMatch(/wrong-wrong|ada-ada/u);
  });

  it("too many requests of one key are told when to come back, and nobody else is", async () => {
    stopClock();
    const { as } = await startWorld({
      keys: [keys.ada, { ...keys.bob, requestsPerMinute: 3 }],
      limits: { requestsPerMinute: 10 },
    });
    const statuses = async (who: "ada" | "bob", count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => as(who, "/documents")));
      return answers.map(({ status }) => status).toSorted((a, b) => a - b);
    };
    expect(await statuses("bob", 5)).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses("ada", 10)).toEqual(Array.from({ length: 10 }, () => 200));
    const late = await as("bob", "/documents");
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(10);
    // Both sides are told what is left of the minute; a request without a caller is not.
    const left = { ratelimit: '"minute";r=0', "ratelimit-policy": '"minute";q=3;w=60' };
    expect(late.headers).toMatchObject(left);
    stopClock(60_000);
    expect((await as("bob", "/documents")).headers).toMatchObject({ ...left, ratelimit: '"minute";r=2' });
    expect((await as(null, "/livez")).headers).not.toHaveProperty("ratelimit");
  });

  it("ten thousand at once: so many are worked on, so many wait, the rest is told so, and none is lost", async () => {
    const kb = await openWorld();
    let [now, most, done] = [0, 0, 0];
    const slow = {
      ...kb,
      async search(): Promise<never[]> {
        most = Math.max(most, (now += 1));
        await new Promise((resolve) => setTimeout(resolve, 1));
        now -= 1;
        done += 1;
        return [];
      },
    } as unknown as KnowledgeBase;
    const handler = createHandler(slow, { limits: { concurrent: 4, waiting: 100, requestsPerMinute: 100_000 } });
    const one = async () => {
      const request = new Request("http://localhost/search", {
        method: "POST",
        body: '{"query":"x"}',
        headers: { "content-type": "application/json" },
      });
      const { status } = await handler(request, { remoteAddress: "127.0.0.1" });
      return status;
    };
    const statuses = await Promise.all(Array.from({ length: 10_000 }, one));
    const counts = Map.groupBy(statuses, (status) => status);
    expect(most).toBe(4);
    expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([200, 503]);
    expect(counts.get(200)).toHaveLength(done);
    expect(done).toBeGreaterThanOrEqual(104);
    expect(now).toBe(0);
    // And afterwards all is as before.
    expect(await one()).toBe(200);
  });

  it("five hundred connections at once are all answered", async () => {
    const { as } = await startWorld({ limits: { waiting: 1000 } });
    const answers = await Promise.all(Array.from({ length: 500 }, () => as("ada", "/outline?uri=deployment.md")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it("what takes too long is given up, its work is stopped, and its slot comes back", async () => {
    const kb = await openWorld();
    const signals: AbortSignal[] = [];
    const never = {
      ...kb,
      search: (_: string, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signals.push(signal);
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    } as unknown as KnowledgeBase;
    const handler = createHandler(never, { limits: { concurrent: 1, waiting: 1, timeoutMs: 500 } });
    const ask = (signal?: AbortSignal) =>
      handler(
        new Request("http://localhost/search", {
          method: "POST",
          body: '{"query":"x"}',
          headers: { "content-type": "application/json" },
          ...(signal && { signal }),
        }),
        { remoteAddress: "127.0.0.1" },
      );
    const [working, waiting, refused] = [ask(), ask(), ask()];
    expect((await refused).status).toBe(503);
    await expect.poll(() => signals.length).toBe(1);
    expect([(await working).status, (await waiting).status]).toEqual([504, 504]);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    const left = new AbortController();
    const asking = ask(left.signal);
    left.abort();
    expect((await asking).status).toBe(499);
    expect((await handler(new Request("http://localhost/documents"), { remoteAddress: "127.0.0.1" })).status).toBe(200);
  });

  it("whoever leaves a stream in the middle stops the model, and gives the slot back", async () => {
    let [said, stopped] = [0, 0];
    const kb = await openWorld({
      provider: "testing",
      model: "endless",
      multimodal: false,
      chat: () => Promise.reject(new Error("not asked")),
      async *stream(_messages: unknown, { signal }: { signal?: AbortSignal } = {}) {
        try {
          for (;;) {
            signal?.throwIfAborted();
            said += 1;
            yield { type: "text" as const, delta: "and so on " };
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } finally {
          stopped += 1;
        }
      },
    } as never);
    const { service, log } = await startWorld({ limits: { concurrent: 1, resumeMs: 50 } }, kb);
    const left = new AbortController();
    onTestFinished(() => left.abort());
    const response = await fetch(`${service.url}ask`, {
      method: "POST",
      signal: left.signal,
      headers: {
        authorization: `Bearer ${keys.ada.key}`,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ question: "How long is a key valid?" }),
    });
    const reader = response.body!.getReader();
    await reader.read();
    await expect.poll(() => said).toBeGreaterThan(2);
    left.abort();
    expect((await send(service.url, "/documents", { key: keys.ada.key })).status).toBe(200);
    // The slot is free as soon as the reader has not come back in time; the model hears of it at its next word.
    await expect.poll(() => stopped).toBe(1);
    await expect.poll(() => new Set(log.map(({ path }) => path))).toEqual(new Set(["/ask", "/documents"]));
  });
});
