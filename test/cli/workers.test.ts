import { spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openSearchPool, serveSearches } from "../../src/server/index.node.ts";
import { searcherFlags } from "../../src/cli/serve.ts";
import { openWorld, send } from "../server/service.ts";
import { callIbid, makeFolder, startIbid } from "./run-ibid.ts";

let folder = "";
const ada = "ada-ada-ada-ada-ada";
const bob = "bob-bob-bob-bob-bob";
beforeAll(async () => {
  folder = await makeFolder({
    "docs/keys.md": "# Keys\n\nA key is valid for ninety days.\n",
    "acme.md": "# Acme\n\nThe spare key hangs in the cellar.\n",
    "keys.json": JSON.stringify({
      keys: [
        { name: "ada", key: ada, userId: "ada", teamId: "acme", write: true },
        { name: "bob", key: bob, userId: "bob", requestsPerDay: 20 },
        { name: "ops", key: "operator-operator-op", operator: true },
      ],
    }),
  });
  await callIbid(folder, ["ingest", "docs"]);
  await callIbid(folder, ["ingest", "acme.md", "--team", "acme"]);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function serve({ where = folder, workers = "2" } = {}) {
  const child = startIbid(where, ["serve", "--port", "0", "--workers", workers, "--keys", "keys.json", "--json"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { listening: url } = JSON.parse(line) as { listening: string };
  // Without a child, ps fails.
  const children = (): number[] =>
    (spawnSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" }).stdout ?? "")
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
  const search = async (key: string, query = "key") => {
    const { status, json } = await send(url, "/search", { key, body: { query } });
    const hits = (json as { hits?: { source: { uri: string } }[] }).hits ?? [];
    return { status, uris: hits.map(({ source }) => source.uri) };
  };
  return { child, url, children, search, log: () => log };
}

describe("ibid serve --workers", () => {
  it("bounds the young objects of its processes, unless an operator did", () => {
    expect(searcherFlags(["--x"], undefined)).toEqual(["--x", "--max-semi-space-size=16"]);
    expect(searcherFlags([], "--enable-source-maps")).toEqual(["--max-semi-space-size=16"]);
    expect(searcherFlags(["--max-semi-space-size=4"], undefined)).toEqual(["--max-semi-space-size=4"]);
    expect(searcherFlags([], "--enable-source-maps --max_semi_space_size=64")).toEqual([]);
  });

  it("searches and answers in processes of their own, each caller in their scopes, and sees what is written", async () => {
    const { child, url, children, search } = await serve();
    expect(children()).toHaveLength(2);
    for (const pid of children()) {
      const { stdout } = spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
      expect(stdout).toContain("--max-semi-space-size=16");
    }
    const many = await Promise.all(Array.from({ length: 8 }, () => search(ada)));
    for (const each of many) expect(each.uris.toSorted()).toEqual(["acme.md", "docs/keys.md"]);
    expect((await search(bob)).uris).toEqual(["docs/keys.md"]);

    const headers = { "content-type": "text/plain" };
    const put = { method: "PUT", key: ada, body: "A zebra guards the key.", headers };
    expect((await send(url, "/document?uri=zebra.txt", put)).status).toBe(201);
    for (let i = 0; i < 4; i++) expect((await search(ada, "zebra")).uris).toEqual(["zebra.txt"]);

    const body = { question: "How long is a key valid?" };
    const asked = await send(url, "/ask", { key: bob, body });
    expect(asked.json).toMatchObject({ kind: "quotes", text: expect.stringContaining("ninety days") });
    const streamed = await send(url, "/ask", { key: bob, body, headers: { accept: "text/event-stream" } });
    expect(streamed.text).toMatch(/^id: .*\nevent: hits\n[^]*event: answer\n/u);
    expect((await send(url, "/search", { key: bob, body: { query: "(", mode: "regex" } })).json).toMatchObject({
      error: { code: "invalid-regex" },
    });
    const searched = async (): Promise<number> => {
      const { json: health } = await send(url, "/health/rag", { key: "operator-operator-op" });
      return (health as { retrieval: { count: number } }).retrieval.count;
    };
    // Events are written once a second.
    await expect.poll(searched, { timeout: 10_000 }).toBeGreaterThan(10);
    // The figures of the service count the searches of its processes too, and name none.
    const figures = async () => (await send(url, "/metrics", { key: "operator-operator-op" })).text;
    const hits = /^ibid_retrieval_count_total\{ibid_retrieval_outcome="hit"\} (\d+)$/mu;
    const counted = async () => Number(hits.exec(await figures())?.[1]);
    await expect.poll(counted).toBeGreaterThan(10);
    const timed = /^gen_ai_client_operation_duration_seconds_count\{gen_ai_operation_name="retrieval"\} [1-9]/mu;
    expect(await figures()).toMatch(timed);
    expect(await figures()).not.toContain("zebra");

    const ended = once(child, "close");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect(children()).toEqual([]);
  });

  it("answers a search with the bytes of one process alone: hits, groups, warnings, and public names for readers [20]", async () => {
    const far = await makeFolder({ "far/spare.md": "# Spare\n\nThe far key lies under a stone.\n" });
    const where = await makeFolder({
      "keys.json": JSON.stringify({
        keys: [
          { name: "bob", key: bob, userId: "bob" },
          { name: "ops", key: "operator-operator-op", operator: true },
        ],
      }),
    });
    onTestFinished(() => Promise.all([rm(far, { recursive: true }), rm(where, { recursive: true })]).then(() => {}));
    await callIbid(where, ["ingest", join(far, "far"), join(folder, "docs")]);
    const services = [await serve({ where, workers: "0" }), await serve({ where })];
    const asked = [
      { query: "key", topK: 3, explain: true },
      { query: "key", groupBy: "document" },
      { query: "stone", under: "far/" },
      { query: "ké\u0000y “quoted” 😀" },
      { query: "key", mode: "nonsense" },
    ];
    for (const key of [bob, "operator-operator-op"]) {
      for (const body of asked) {
        const [alone, shared] = await Promise.all(
          services.map(async ({ url }) => {
            const { status, headers, text } = await send(url, "/search", { key, body });
            const said = text.replace(/"ms":\d+/u, "").replace(/"requestId":"[^"]*"/u, "");
            return { status, type: headers["content-type"], said };
          }),
        );
        expect(shared).toEqual(alone);
        expect(shared!.said.includes(far)).toBe(key !== bob && shared!.status === 200 && shared!.said.includes("far"));
      }
    }
    // A packed body has a length: it was packed in one go, and by the process that searched.
    const packed = async ({ url }: { readonly url: string }, query: string) => {
      const response = await fetch(`${url}search`, {
        method: "POST",
        body: JSON.stringify({ query, explain: true }),
        headers: { authorization: `Bearer ${bob}`, "content-type": "application/json", "accept-encoding": "gzip" },
      });
      const text = await response.text();
      const length = Number(response.headers.get("content-length"));
      expect(length).toBeGreaterThan(0);
      return { how: response.headers.get("content-encoding"), isSmaller: length < text.length, text };
    };
    for (const [query, how] of [
      ["key", "gzip"],
      ["nowhere", null],
    ] as const) {
      const [alone, shared] = await Promise.all(services.map((service) => packed(service, query)));
      const said = ({ text }: { readonly text: string }): string => text.replace(/"ms":\d+/u, "");
      expect([alone!.how, shared!.how]).toEqual([how, how]);
      expect([alone!.isSmaller, shared!.isSmaller]).toEqual([how !== null, how !== null]);
      expect(said(shared!)).toBe(said(alone!));
    }
  });

  it("counts a caller over all processes", async () => {
    const { search } = await serve();
    const all = await Promise.all(Array.from({ length: 30 }, () => search(bob)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  it("has one list of jobs: each is seen, streamed and cancelled by any connection, also after a process was killed [20]", async () => {
    const { url, children, search } = await serve();
    const begin = async (name: string, length: number): Promise<string> => {
      const made = await fetch(`${url}uploads`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${ada}`,
          "tus-resumable": "1.0.0",
          "upload-length": String(length),
          "upload-metadata": `filename ${btoa(name)}`,
          connection: "close",
        },
      });
      return new URL(made.headers.get("location")!, url).searchParams.get("id")!;
    };
    const text = "An otter keeps the seventh key.";
    const [left, right] = [await begin("left.txt", 100), await begin("right.txt", text.length)];
    // Each stream has a connection of its own, and ends with its job.
    const streams = [left, right].map((id) => send(url, `/jobs/events?id=${id}`, { key: ada }));
    process.kill(children()[0]!, "SIGKILL");
    const { json: seen } = await send(url, "/jobs", { key: ada });
    expect((seen as { jobs: { id: string; state: string }[] }).jobs.map(({ id, state }) => [id, state])).toEqual([
      [right, "receiving"],
      [left, "receiving"],
    ]);
    expect((await send(url, "/jobs/cancel", { key: bob, body: { ids: [left] } })).status).toBe(403);
    const cancelled = await send(url, "/jobs/cancel", { key: ada, body: { ids: [left] } });
    expect(cancelled.json).toEqual({ ids: [left] });
    const sent = await send(url, `/upload?id=${right}`, {
      method: "PATCH",
      key: ada,
      body: text,
      headers: {
        "tus-resumable": "1.0.0",
        "upload-offset": "0",
        "content-type": "application/offset+octet-stream",
      },
    });
    expect(sent.status).toBe(204);
    const [ofLeft, ofRight] = await Promise.all(streams);
    const last = (stream: string): unknown => stream.match(/"state":"(\w+)"/gu)?.at(-1);
    expect([last(ofLeft!.text), last(ofRight!.text)]).toEqual(['"state":"cancelled"', '"state":"indexed"']);
    for (const each of [ofLeft!, ofRight!]) expect(each.text).toMatch(/event: end\ndata: \{"reason":"over"\}/u);
    // Every process finds the document at once.
    for (let n = 0; n < 4; n++) expect((await search(ada, "otter")).uris).toContain("right.txt");
  });

  it("goes on when its processes are killed", async () => {
    const { children, search, log } = await serve();
    for (const pid of children()) process.kill(pid, "SIGKILL");
    const all = await Promise.all(Array.from({ length: 6 }, () => search(ada)));
    for (const { status, uris } of all) expect([status, uris.includes("acme.md")]).toEqual([200, true]);
    // Each line is JSON: a request, or the notice of a process that ended after some seconds.
    const lines = log()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly status?: number; readonly message?: string });
    const said = ({ status, message }: (typeof lines)[number]) => status ?? message;
    const notice = "A process that searches ended (SIGKILL). Another takes its place.";
    expect(lines.filter((line) => said(line) !== notice).map(said)).toEqual(Array.from({ length: 6 }, () => 200));
  });
});

describe("a pool", () => {
  it("refuses a size that is none, and a process that nobody started", async () => {
    const start = (): never => {
      throw new Error("not reached");
    };
    for (const size of [0, 1.5, 1000]) await expect(openSearchPool({ size, start })).rejects.toThrow("The pool has");
    const channel = { on: () => {}, once: () => {} };
    await expect(serveSearches({} as never, channel)).rejects.toThrow("was not started by a pool");
  });

  it("packs a body in the process that searched, where the client takes gzip [20]", async () => {
    const kb = await openWorld();
    const events = new EventEmitter();
    const channel = Object.assign(events, { send: (message: unknown) => void events.emit("sent", message) });
    const over = serveSearches(kb, channel);
    await once(events, "sent");
    const make = async (choices: object) => {
      const given = ["key", { explain: true, topK: 3 }, choices];
      const sent = once(events, "sent");
      events.emit("message", { id: 1, verb: "searchBody", access: "operator", given });
      const [{ result }] = (await sent) as [
        { readonly result: { readonly bytes: Uint8Array; readonly isPacked: boolean } },
      ];
      return result;
    };
    const [plain, packed] = [await make({}), await make({ mayPack: true })];
    expect([plain.isPacked, packed.isPacked]).toEqual([false, true]);
    const hits = (bytes: Uint8Array): unknown =>
      (JSON.parse(new TextDecoder().decode(bytes)) as { hits: unknown }).hits;
    expect(hits(gunzipSync(packed.bytes))).toEqual(hits(plain.bytes));
    events.emit("disconnect");
    await over;
  });
});
