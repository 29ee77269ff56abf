import { mkdtempSync, rmSync, statSync } from "node:fs";
import { request as startRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { evaluateQuestions } from "../../src/eval/evaluate-questions.ts";
import { parseQuestions } from "../../src/eval/questions.ts";
import { createPrometheusMeter } from "../../src/integrations/opentelemetry/prometheus-meter.ts";
import { findClientAddress, readNetworks } from "../../src/server/client-address.ts";
import {
  type AccessKey,
  createServiceMetrics,
  type RequestLogEntry,
  startService,
} from "../../src/server/index.node.ts";
import { createActivity } from "../../src/server/activity.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openPartSizes } from "../../src/knowledge-base/open/open-files.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { keys, openWorld, send, type Sent, startWorld } from "./service.ts";

const trusted = readNetworks("trustedProxies", ["10.0.0.0/8", "fd00::/8", "127.0.0.1"]);

describe("the address of a client", () => {
  it("is the nearest hop that is no trusted proxy, and never one that the client wrote", () => {
    const find = (socket: string, header?: string) => findClientAddress(socket, header, trusted);
    expect(find("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
    expect(find("10.1.2.3", "198.51.100.1")).toBe("198.51.100.1");
    expect(find("::ffff:10.1.2.3", "6.6.6.6, 198.51.100.1, 10.9.9.9")).toBe("198.51.100.1");
    expect(find("fd00::1", "[2001:db8::7]:443")).toBe("2001:db8::7");
    expect(find("10.1.2.3", "198.51.100.1:5000")).toBe("198.51.100.1");
    expect(find("10.1.2.3", "unknown")).toBe("10.1.2.3");
    expect(find("10.1.2.3")).toBe("10.1.2.3");
    expect(findClientAddress(undefined, "6.6.6.6", trusted)).toBeUndefined();
    const address = fc.ipV4();
    fc.assert(
      fc.property(fc.array(address), address, (written, client) => {
        fc.pre(!trusted(client));
        // A proxy appends the address that it saw.
        expect(find("10.0.0.1", [...written, client].join(", "))).toBe(client);
        expect(find(client, written.join(","))).toBe(client);
      }),
    );
  });

  it("needs networks that are some", () => {
    for (const wrong of ["10.0.0.0/33", "example.com", "10.0.0.0/8/8", "fd00::/200", ""])
      expect(() => readNetworks("trustedProxies", [wrong])).toThrow("trustedProxies contains");
  });

  it("stands in the log and is counted by, from a trusted proxy alone", async () => {
    const headers = { "x-forwarded-for": "6.6.6.6, 198.51.100.1" };
    for (const [trustedProxies, seen] of [
      [["127.0.0.1"], "198.51.100.1"],
      [[], "127.0.0.1"],
    ] as const) {
      const { as, log } = await startWorld({ trustedProxies });
      await as("ada", "/documents", { headers });
      expect(log.map(({ address }) => address)).toEqual([seen]);
    }
  });
});

describe("activity", () => {
  it("tells operators the latencies of the last hour and what models have used, and names nobody", async () => {
    const kb = await openWorld(createScriptedChatModel(() => "Everybody rotates a key with keyctl rotate [1]."));
    const { as } = await startWorld({}, kb);
    await as("ada", "/search", { body: { query: "rotates a key" } });
    await as("ada", "/search", { body: { query: "" } });
    await as("ada", "/ask", { body: { question: "How is a key rotated?" } });
    await as("bob", "/ask", {
      body: { question: "How is a key rotated?" },
      headers: { accept: "text/event-stream" },
    });
    expect((await as("ada", "/activity")).status).toBe(403);
    const { text, json } = await as("operator", "/activity");
    expect(json).toMatchObject({
      windowSeconds: 3600,
      requests: { count: 5, refused: 2, failed: 0 },
      searches: { count: 1 },
      answers: { count: 2 },
      models: [{ model: expect.stringContaining("scripted"), calls: 2 }],
    });
    for (const { p50Ms, p99Ms } of [json.requests, json.searches, json.answers]) {
      expect(p50Ms).toBeGreaterThanOrEqual(0);
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
    }
    expect(text).not.toMatch(/ada|bob|rotate/u);
  });

  it("tells operators the bytes on the disk by part, and nobody else [page 32]", async () => {
    const files = createMemoryBlobStore();
    for (const [key, size] of Object.entries({ "originals/a": 5, "places/a": 3, "threads/a.json": 2, "strange/a": 1 }))
      await files.put(key, new Uint8Array(size));
    const { as } = await startWorld({ files, partSizes: async () => ({ database: 70, events: 1 }) });
    expect((await as("ada", "/disk")).status).toBe(403);
    expect((await as("operator", "/disk")).json).toEqual({
      bytes: 82,
      parts: [
        { part: "database", bytes: 70 },
        { part: "originals", bytes: 8 },
        { part: "threads", bytes: 2 },
        { part: "events", bytes: 1 },
        { part: "others", bytes: 1 },
      ],
    });
  });

  it("says that the disk is full, where it is, and goes on searching", async () => {
    const full = new IbidError("store-failed", "No room at /srv/data.", { details: { isFull: true } });
    const files = { ...createMemoryBlobStore(), put: () => Promise.reject(full) };
    const { as } = await startWorld({ files });
    const sent = [
      await as("ada", "/document?uri=a.txt", { method: "PUT", body: "A text." }),
      await as("ada", "/jobs?uri=a.txt", { body: "A text.", headers: { "content-type": "text/plain" } }),
    ];
    for (const { status, json, text } of sent) {
      expect([status, json.error.code, text.includes("/srv")]).toEqual([507, "disk-full", false]);
      expect(json.error.message).toBe("The disk of the service is full.");
    }
    expect((await as("ada", "/search", { body: { query: "rotates a key" } })).status).toBe(200);
  });

  it("gives the sizes of the files of a base in a folder, and none of one in a database", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-parts-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const kb = await openKnowledgeBase(folder);
    await kb.ingest({ uri: "a.txt", text: "A text." });
    await kb.close();
    const sizes = await openPartSizes(folder)!();
    expect(sizes["database"]).toBeGreaterThan(statSync(join(folder, "ibid.sqlite")).size - 1);
    expect(sizes["events"]).toBe(statSync(join(folder, "events.sqlite")).size);
    expect(openPartSizes("postgres://host/base")).toBeUndefined();
  });

  it("forgets requests after an hour, and takes percentiles that are measurements", () => {
    let now = 0;
    const activity = createActivity(() => now);
    for (let ms = 1; ms <= 200; ms++) activity.request({ path: "/search", status: 200, ms });
    activity.spend("acme/one", { inputTokens: 3, outputTokens: 4, cost: 0.5 });
    activity.spend("acme/one", { inputTokens: 1, cost: 0.25 });
    activity.spend(null, {});
    expect(activity.show()).toMatchObject({
      searches: { count: 200, p50Ms: 100, p99Ms: 198 },
      models: [{ model: "acme/one", calls: 2, inputTokens: 4, outputTokens: 4, cost: 0.75 }, { calls: 1 }],
    });
    now = 3_600_000;
    expect(activity.show()).toMatchObject({ requests: { count: 0, p50Ms: 0 }, models: [{ calls: 2 }, { calls: 1 }] });
  });
});

describe("keys over HTTP", () => {
  const openKeys = async () => {
    let list: readonly AccessKey[] = [
      ...Object.values(keys),
      { ...keys.operator, name: "reader", key: "reader-reader-reader", write: false },
    ];
    const world = await startWorld({
      keys: () => list,
      changeKeys: async (change) => void (list = change(list)),
    });
    const by = (key: string, path: string, sent: Sent = {}) => send(world.service.url, path, { ...sent, key });
    return { ...world, by, names: () => list.map(({ name }) => name) };
  };

  it("are listed to operators, without a key or a hash", async () => {
    const { as, by } = await openKeys();
    await as("ada", "/documents");
    const { text, json } = await as("operator", "/keys");
    expect(json.mayChange).toBe(true);
    expect(json.keys[0]).toMatchObject({ name: "ada", userId: "ada", write: true, isExpired: false });
    expect(Date.parse(json.keys[0].lastUsedAt)).toBeGreaterThan(Date.now() - 60_000);
    expect(json.keys[1]).not.toHaveProperty("lastUsedAt");
    expect(text).not.toMatch(/ada-ada|sha256|[0-9a-f]{64}/u);
    for (const who of ["ada", "anyone"] as const) expect((await as(who, "/keys")).status).toBe(403);
    expect((await by("reader-reader-reader", "/keys")).json.mayChange).toBe(false);
  });

  it("are made, replaced and revoked by operators who may write, and by nobody else", async () => {
    const { as, by, names } = await openKeys();
    const wanted = { name: "eve", userId: "eve", teams: ["acme"], expiresAt: "2999-01-01T00:00:00Z" };
    const made = (await as("operator", "/keys", { body: wanted })).json;
    expect(made).toMatchObject({ name: "eve", expiresAt: wanted.expiresAt });
    expect((await by(made.key, "/session")).json).toMatchObject({ name: "eve", operator: false, write: false });
    expect((await as("operator", "/keys", { body: wanted })).json.error.code).toBe("invalid-argument");
    const again = (await as("operator", "/keys/rotate", { body: { name: "eve", overlapHours: 0 } })).json;
    expect([(await by(made.key, "/session")).status, (await by(again.key, "/session")).status]).toEqual([401, 200]);
    for (const [key, path, sent] of [
      [keys.ada.key, "/keys", { body: wanted }],
      ["reader-reader-reader", "/keys", { body: { ...wanted, name: "mallory" } }],
      ["reader-reader-reader", "/keys/rotate", { body: { name: "operator" } }],
      ["reader-reader-reader", "/key?name=ada", { method: "DELETE" }],
    ] as const)
      expect([path, (await by(key, path, sent)).status]).toEqual([path, 403]);
    const own = await as("operator", "/key?name=operator", { method: "DELETE" });
    expect(own.json.error.message).toContain("your own request");
    expect((await as("operator", "/key?name=nobody", { method: "DELETE" })).status).toBe(404);
    const two = { name: "two", operator: true, userId: "x" };
    expect((await as("operator", "/keys", { body: two })).status).toBe(400);
    expect((await as("operator", "/key?name=eve", { method: "DELETE" })).json).toEqual({ revoked: "eve" });
    expect((await by(again.key, "/session")).status).toBe(401);
    expect(names()).toEqual(["ada", "bob", "anyone", "operator", "reader"]);
  });

  it("are not changed where nothing writes them", async () => {
    const { as } = await startWorld();
    expect((await as("operator", "/keys")).json.mayChange).toBe(false);
    expect((await as("operator", "/keys", { body: { name: "eve" } })).status).toBe(403);
    const keyless = await startWorld({ keyless: true });
    expect((await keyless.as(null, "/keys")).status).toBe(404);
  });
});

describe("metrics", () => {
  it("are for operators, count requests by route and status, and name nobody", async () => {
    const metrics = createServiceMetrics();
    onTestFinished(() => metrics.close());
    const { as } = await startWorld({ metrics });
    await as("ada", "/search", { body: { query: "rotates a key" } });
    await as("ada", "/search", { body: {} });
    await as(null, "/documents");
    expect((await as("ada", "/metrics")).status).toBe(403);
    const { status, headers, text } = await as("operator", "/metrics");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const count = (labels: string) => `http_server_request_duration_seconds_count{${labels}} 1\n`;
    expect(text).toContain(count('http_request_method="POST",http_response_status_code="200",http_route="/search"'));
    expect(text).toContain(
      count(
        'error_type="invalid-argument",http_request_method="POST",http_response_status_code="400",http_route="/search"',
      ),
    );
    expect(text).toContain("ibid_documents 4\n");
    expect(text).not.toMatch(/ada|rotates|\.md/u);
    expect(readExposition(text)).toBeGreaterThan(20);
  });

  it("give how late a timer comes, which is nothing in an idle process", async () => {
    const metrics = createServiceMetrics();
    onTestFinished(() => metrics.close());
    const kb = await openKnowledgeBase();
    onTestFinished(() => kb.close());
    const median = async (): Promise<number> => {
      await wait(150);
      return Number(/^nodejs_eventloop_delay_p50_seconds (\S+)$/mu.exec(await metrics.text(kb))?.[1]);
    };
    await median();
    // Node measures from timer to timer: ten milliseconds, if none is late. A busy machine has a quiet moment.
    for (let tries = 0; tries < 20; tries++) if ((await median()) < 0.009) return;
    expect.fail("Every median is as long as the timer.");
  });

  it("have a port of their own, which serves nothing else", async () => {
    const metrics = createServiceMetrics();
    onTestFinished(() => metrics.close());
    const kb = await openWorld();
    const service = await startService(kb, { port: 0, metricsPort: 0, metrics, keys: Object.values(keys) });
    onTestFinished(() => service.stop());
    const own = `http://127.0.0.1:${service.metricsPort}/`;
    expect((await send(own, "/metrics")).text).toContain("# TYPE ibid_documents gauge\n");
    expect((await send(own, "/documents")).status).toBe(404);
    await expect(startService(kb, { port: 0, metricsPort: 0 })).rejects.toThrow("metricsPort is given without metrics");
  });

  it("are the same over a meter of OpenTelemetry", async () => {
    const seen: [name: string, value: number][] = [];
    const instrument = (name: string) => ({
      add: (value: number) => void seen.push([name, value]),
      record: (value: number) => void seen.push([name, value]),
    });
    const meter = { createCounter: instrument, createGauge: instrument, createHistogram: instrument };
    const metrics = createServiceMetrics({ meter });
    onTestFinished(() => metrics.close());
    const kb = await openWorld();
    metrics.request({ at: "", id: "", method: "GET", path: "/documents", status: 200, ms: 1500 });
    metrics.telemetry.event?.({ name: "KnowledgeQueued", at: 0, scopes: [], data: { depth: 5, rejected: 2 } });
    const text = await metrics.text(kb);
    expect(seen).toContainEqual(["http.server.request.duration", 1.5]);
    expect(seen).toContainEqual(["ibid.queue.rejected", 2]);
    expect(seen).toContainEqual(["ibid.documents", 4]);
    for (const line of ["ibid_queue_rejected_total 2", "ibid_queue_depth 5", "ibid_documents 4"])
      expect(text).toContain(`${line}\n`);
  });

  it("are histograms whose buckets add up, with labels that need quoting", () => {
    const meter = createPrometheusMeter();
    const times = meter.createHistogram("a.b", {
      description: "x",
      unit: "s",
      advice: { explicitBucketBoundaries: [1, 2] },
    });
    for (const value of [0.5, 1, 1.5, 99]) times.record(value, { "the.name": 'a"b\\c\nd' });
    const label = 'the_name="a\\"b\\\\c\\nd"';
    expect(meter.text()).toBe(
      `# HELP a_b_seconds x\n# TYPE a_b_seconds histogram\na_b_seconds_bucket{${label},le="1"} 2\na_b_seconds_bucket{${label},le="2"} 3\n` +
        `a_b_seconds_bucket{${label},le="+Inf"} 4\na_b_seconds_sum{${label}} 102\na_b_seconds_count{${label}} 4\n`,
    );
  });

  it("are one for the same labels in any order, and different ones for others [20]", () => {
    const meter = createPrometheusMeter();
    const counter = meter.createCounter("n", { description: "x", unit: "1" });
    for (const attributes of [{ a: "1", b: "2" }, { b: "2", a: "1" }, { a: "1" }, { b: "2" }, {}, { a: "1", b: "2" }])
      counter.add(1, attributes);
    counter.add(1, { a: "11:b1:2" });
    counter.add(1, { a: 1 });
    counter.add(1, { a: Number.NaN });
    counter.add(1, { a: Infinity });
    const samples = meter
      .text()
      .split("\n")
      .filter((line) => line.startsWith("n_total"));
    expect(samples.toSorted()).toEqual(
      [
        'n_total{a="1",b="2"} 3',
        'n_total{a="1"} 2',
        'n_total{b="2"} 1',
        "n_total 1",
        'n_total{a="11:b1:2"} 1',
        'n_total{a="NaN"} 1',
        'n_total{a="Infinity"} 1',
      ].toSorted(),
    );
  });
});

/** Reads the text format strictly. **Shape** the number of samples. **Errors** for a line that Prometheus refuses. */
function readExposition(text: string): number {
  const sample =
    /^[a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (?:[-+]?[\d.]+(?:e[-+]?\d+)?|[-+]Inf|NaN)$/u;
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Error("The last line has no end.");
  const typed = new Set<string>();
  let samples = 0;
  let kind: string | undefined;
  for (const line of lines) {
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/u.exec(line) ?? [];
    if (name !== undefined && typed.has(name)) throw new Error(`${name} stands twice.`);
    kind = type ?? kind;
    // Two rules of `promtool check metrics`.
    if (/[{,]quantile="/u.test(line)) throw new Error(`A quantile belongs to a summary: ${line}`);
    if (kind !== "histogram" && /[{,]le="/u.test(line)) throw new Error(`A bucket belongs to a histogram: ${line}`);
    if (name !== undefined && name.endsWith("_total") !== (type === "counter"))
      throw new Error(`Only a counter ends with _total: ${line}`);
    if (name !== undefined) typed.add(name);
    else if (!line.startsWith("# HELP ")) {
      if (!sample.test(line)) throw new Error(`This is no sample: ${line}`);
      samples += 1;
    }
  }
  return samples;
}

describe("logs", () => {
  it("go to a logger of pino's shape, by severity", async () => {
    const lines: [level: string, message: string, entry: RequestLogEntry][] = [];
    const write = (level: string) => (entry: object, message: string) =>
      void lines.push([level, message, entry as RequestLogEntry]);
    const { as } = await startWorld({ logger: { info: write("info"), warn: write("warn"), error: write("error") } });
    await as("ada", "/documents", { headers: { "x-request-id": "r-1" } });
    await as(null, "/documents");
    expect(lines.map(([level, message]) => [level, message])).toEqual([
      ["info", "GET /documents 200"],
      ["warn", "GET /documents 401"],
    ]);
    expect(lines[0]?.[2]).toMatchObject({ id: "r-1", caller: "ada", address: "127.0.0.1", status: 200 });
  });

  it("say 499 for an answer that its client gave up, streamed or whole", async () => {
    for (const accept of ["text/event-stream", "application/json"]) {
      const asked = Promise.withResolvers<void>();
      const wait = (signal?: AbortSignal): Promise<never> => {
        asked.resolve();
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("left"))));
      };
      const kb = await openWorld({
        provider: "fake",
        model: "slow",
        chat: (_, options) => wait(options?.signal),
        async *stream(_, options) {
          yield await wait(options?.signal);
        },
      });
      const { service, log } = await startWorld({}, kb);
      const request = startRequest(new URL("/ask", service.url), {
        method: "POST",
        headers: { authorization: `Bearer ${keys.ada.key}`, "content-type": "application/json", accept },
      });
      request.on("error", () => {});
      request.end(JSON.stringify({ question: "Who rotates a key?" }));
      await asked.promise;
      request.destroy();
      await expect.poll(() => log.map(({ status }) => status)).toEqual([499]);
    }
  });
});

describe("a base path", () => {
  it("holds the page, the interface and agents, and sends a bare one to its slash", async () => {
    const { service, as } = await startWorld({ basePath: "/kb" });
    expect(service.url).toMatch(/:\d+\/kb\/$/u);
    const page = await as(null, "/kb/");
    expect(page.status).toBe(200);
    // Every address of the page is relative, so it stays below the base path.
    for (const [, address] of page.text.matchAll(/(?:src|href)="([^"]+)"/gu)) {
      if (address!.startsWith("data:")) continue;
      expect(address).not.toMatch(/^(?:\/|[a-z]+:)/u);
      expect((await as(null, `/kb/${address}`)).status).toBe(200);
    }
    expect((await as("ada", "/kb/search", { body: { query: "key" } })).json.hits.length).toBeGreaterThan(0);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
    expect((await as("ada", "/kb/mcp", { body: message, headers })).status).toBe(200);
    const bare = await as(null, "/kb?a=1");
    expect([bare.status, bare.headers.location]).toEqual([308, "/kb/?a=1"]);
    for (const path of ["/", "/search", "/kbx/", "/other/kb/"]) expect((await as("ada", path)).status).toBe(404);
    for (const path of ["/livez", "/readyz", "/kb/livez", "/kb/readyz"])
      expect((await as(null, path)).status).toBe(200);
  });

  it("stands in the addresses that agents get, with the protocol that a trusted proxy was asked by", async () => {
    const call = { name: "search", arguments: { query: "Who rotates a key?" } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
    const headers = {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      host: "kb.example",
      "x-forwarded-proto": "https",
    };
    const options = { basePath: "/kb", authorizationServers: ["https://login.example"] };
    for (const [trustedProxies, home] of [
      [["127.0.0.1", "::1"], "https://kb.example/kb/"],
      [[], "http://kb.example/kb/"],
    ] as const) {
      const { as } = await startWorld({ ...options, trustedProxies });
      const { text } = await as("ada", "/kb/mcp", { body: message, headers });
      const data = JSON.parse(/\{"(?:jsonrpc|result).*/u.exec(text)![0]) as {
        readonly result: { readonly structuredContent: { readonly results: readonly { readonly url: string }[] } };
      };
      const [first] = data.result.structuredContent.results;
      expect(first?.url.startsWith(`${home}#uri=`)).toBe(true);
      const refused = await as(null, "/kb/mcp", { body: message, headers });
      const metadata = `${home}.well-known/oauth-protected-resource/mcp`;
      expect(refused.headers["www-authenticate"]).toBe(`Bearer resource_metadata="${metadata}"`);
      const found = await as(null, new URL(metadata).pathname, { headers });
      expect(found.json).toMatchObject({ resource: `${home}mcp` });
    }
  });

  it("is a path", async () => {
    const kb = await openWorld();
    for (const basePath of ["kb", "/k b", "/kb?x", "//"])
      await expect(startService(kb, { port: 0, basePath })).rejects.toThrow("The base path is");
  });
});

describe("an evaluation", () => {
  const questions = [
    { question: "How long is a key valid?", uri: "deployment.md", quote: "valid for ninety days", kind: "fact" },
    { question: "Where does Ada rotate her key?", uri: "user-ada.md", quote: "under the mat", kind: "fact" },
    { question: "Who rotates a key?", uri: "nobody.md", kind: "stale" },
    { question: "Which colour has the xylophone of the choir?", answerable: false },
  ];

  it("[page 21.2] is a route of operators, and gives the figures of the library", async () => {
    const { as, kb } = await startWorld();
    const lines = questions.map((question) => JSON.stringify(question)).join("\n");
    const own = await evaluateQuestions(kb, parseQuestions(lines), { metrics: ["success@1", "mrr@10", "refused"] });
    const body = { questions, metrics: ["success@1", "mrr@10", "refused"] };
    const { status, json } = await as("operator", "/evaluate", { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({ questions: 4, metrics: own.metrics, lost: [3], stale: [3], answeredWrongly: [] });
    expect(json.metrics["success@1"].mean).toBeCloseTo(2 / 3, 12);
    expect(json.kinds.fact).toEqual({ questions: 2, metrics: own.kinds.get("fact")!.metrics });
    expect((await as("ada", "/evaluate", { body })).status).toBe(403);
  });

  it("[page 21.2] names the wrong question of a set, and no words of it stand in the log", async () => {
    const { as, log } = await startWorld();
    const body = { questions: [questions[0], { question: "Where is the secret pineapple?" }] };
    const { status, json } = await as("operator", "/evaluate", { body });
    expect([status, json.error.message]).toEqual([422, expect.stringContaining("questions, line 2")]);
    expect(JSON.stringify(log)).not.toContain("pineapple");
    const wrong = await as("operator", "/evaluate", { body: { questions, metrics: ["best@3"] } });
    expect([wrong.status, wrong.json.error.message]).toEqual([400, expect.stringContaining("best@3")]);
  });
});

describe("memory", () => {
  it("is within 2 MB of the start after a thousand requests and one collection, without waiting", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { as, log } = await startWorld({ limits: { requestsPerMinute: 100_000 } });
    const ask = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i += 8)
        await Promise.all(
          Array.from({ length: 8 }, (_, at) =>
            at % 2 === 0
              ? as("ada", "/search", { body: { query: "Who rotates a key?" } })
              : as("ada", "/document?uri=deployment.md"),
          ),
        );
      (log as RequestLogEntry[]).length = 0;
    };
    await ask(400);
    collect();
    const before = process.memoryUsage().heapUsed;
    await ask(1000);
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
  });
});
