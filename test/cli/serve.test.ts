import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makePdf } from "../readers/make-pdf.ts";
import { send } from "../server/service.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { callIbid, jsonLines, makeFolder, startIbid, writeFiles } from "./run-ibid.ts";

let folder = "";
beforeAll(async () => {
  folder = await makeFolder({
    "docs/keys.md": "# Keys\n\nA key is valid for ninety days.\n",
    "acme.md": "# Acme\n\nThe spare key hangs in the cellar.\n",
    "keys.json": JSON.stringify({
      keys: [
        { name: "ops", key: "operator-operator-op", operator: true },
        { name: "ada", key: "ada-ada-ada-ada-ada", userId: "ada", teamId: "acme", write: true },
      ],
    }),
  });
  expect((await callIbid(folder, ["ingest", "docs"])).code).toBe(0);
  expect((await callIbid(folder, ["ingest", "acme.md", "--team", "acme"])).code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A real process that serves on a free port. */
async function startServing(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = startIbid(folder, ["serve", "--port", "0", ...args, "--json"], env);
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, "line"),
    closed.then(() => Promise.reject(new Error(`It ended: ${log}`))),
  ])) as [string];
  const { listening } = JSON.parse(line) as { listening: string };
  return {
    url: listening,
    log: () => log,
    stop: async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      return (await closed)[0];
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    closed,
  };
}

/** A service is ending when it takes no request any more. */
async function isEnding(url: string): Promise<void> {
  const status = () =>
    send(url, "/documents").then(
      ({ status }) => status,
      () => "closed",
    );
  await expect.poll(status).toBe(503);
}

describe("ibid mcp --port", () => {
  it("serves agents over HTTP by their keys, and nothing else [L3]", async () => {
    const child = startIbid(folder, ["mcp", "--port", "0", "--keys", "keys.json", "--json"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { listening } = JSON.parse(line) as { listening: string };
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: "Bearer ada-ada-ada-ada-ada" } };
    await client.connect(new StreamableHTTPClientTransport(new URL(listening), { requestInit }));
    const { structuredContent } = await client.callTool({ name: "search", arguments: { query: "spare key" } });
    expect(JSON.stringify(structuredContent)).toContain("acme.md");
    await client.close();
    expect((await send(new URL(listening).origin, "/search", { body: { query: "key" } })).status).toBe(404);
  });

  it("is what --host and --keys are for", async () => {
    const { code, stderr } = await callIbid(folder, ["mcp", "--keys", "keys.json"]);
    expect([code, stderr]).toEqual([
      2,
      "error: --keys needs --port: it is an option of MCP over HTTP.\n  Add --port, or leave it out.\n",
    ]);
  });
});

describe("ibid serve", () => {
  it("answers this machine as the operator who reads, and its log has everything but what was asked [B46 T54 L10]", async () => {
    const { url, stop, log } = await startServing([]);
    const searches = async (): Promise<number> => (await send(url, "/health/rag")).json.retrieval.count as number;
    await expect.poll(async () => (await send(url, "/readyz")).status).toBe(200);
    const before = await searches();
    const answered = await send(url, "/rag/query", { body: { query: "How long is a key valid?" } });
    expect(answered.json).toEqual({ response: "A key is valid for ninety days." });
    expect(await searches()).toBe(before + 1);
    expect((await send(url, "/search", { body: { query: "spare cellar" } })).json.hits).toHaveLength(1);
    expect((await send(url, "/documents", { body: { uri: "x", text: "x" } })).status).toBe(403);
    expect((await send(url, "/search?q=spare+cellar")).status).toBe(405);
    expect((await send(url, "/spare-cellar")).status).toBe(404);
    expect(await stop("SIGTERM")).toBe(0);
    const entries = jsonLines(log()).slice(0, 7);
    expect(entries).toMatchObject([
      { status: 200, path: "/health/rag" },
      { status: 200, method: "POST", path: "/rag/query", caller: "local", address: "127.0.0.1" },
      { status: 200, path: "/health/rag" },
      { status: 200, path: "/search" },
      { status: 403, path: "/documents", refused: "access-denied" },
      { status: 405, path: "/search", refused: "method-not-allowed" },
      { status: 404, path: null, refused: "not-found" },
    ]);
    expect(log()).not.toMatch(/valid|cellar/u);
  });

  it("prints hits and answers as the command line does", async () => {
    const { url, stop } = await startServing([]);
    const [found] = jsonLines((await callIbid(folder, ["search", "valid key", "--json"])).stdout);
    const [told] = jsonLines((await callIbid(folder, ["ask", "How long is a key valid?", "--json"])).stdout);
    const { ms: _s, query: _q, ...hits } = found as Record<string, unknown>;
    const { ms: _a, ...answer } = told as Record<string, unknown>;
    expect((hits["hits"] as unknown[]).length).toBeGreaterThan(0);
    expect((await send(url, "/search", { body: { query: "valid key" } })).json).toMatchObject(hits);
    const asked = (await send(url, "/ask", { body: { question: "How long is a key valid?" } })).json as object;
    expect(Object.keys(asked)).toEqual(Object.keys(told as object));
    expect(asked).toMatchObject(answer);
    await stop("SIGTERM");
  });

  it("--keys: each key is somebody; what they take in is there for the command line, and the other way round [L3 L8]", async () => {
    const { url, stop } = await startServing(["--keys", "keys.json"]);
    const ada = "ada-ada-ada-ada-ada";
    expect((await send(url, "/documents")).status).toBe(401);
    expect((await send(url, "/documents", { key: ada })).json.documents).toHaveLength(2);
    const text = { uri: "note.txt", text: "The lamp is in the attic." };
    expect((await send(url, "/documents", { key: ada, body: text })).status).toBe(201);
    const shown = await callIbid(folder, ["show", "note.txt", "--as-user", "ada", "--as-team", "acme"]);
    expect(shown.stdout).toBe(text.text);
    await writeFiles(folder, { "late.md": "# Late\n\nThe ladder stands outside.\n" });
    expect((await callIbid(folder, ["ingest", "late.md"])).code).toBe(0);
    expect((await send(url, "/search", { key: ada, body: { query: "ladder" } })).json.hits).toHaveLength(1);
    expect((await send(url, "/health/rag", { key: ada })).status).toBe(403);
    expect((await send(url, "/health/rag", { key: "operator-operator-op" })).status).toBe(200);
    expect(await stop("SIGINT")).toBe(130);
  });

  it("shows the files that lie beside the knowledge base, and where a quotation stands on their pages", async () => {
    const pdf = makePdf([[{ text: "The lift stands still on Sundays.", x: 50, y: 700 }]]);
    await mkdir(join(folder, "plans"));
    await writeFile(join(folder, "plans", "lift.pdf"), pdf);
    expect((await callIbid(folder, ["ingest", "plans"])).code).toBe(0);
    const { url, stop } = await startServing(["--keys", "keys.json"]);
    const key = "ada-ada-ada-ada-ada";
    expect((await send(url, "/documents?under=plans", { key })).json).toMatchObject({
      documents: [{ uri: "plans/lift.pdf" }],
    });
    const original = await send(url, "/original?uri=plans/lift.pdf", { key });
    expect([original.status, original.headers["content-length"]]).toEqual([200, String(pdf.length)]);
    const { json } = await send(url, "/geometry?uri=plans/lift.pdf&start=0&end=8", { key });
    expect(json).toMatchObject({ pages: [{ boxes: [{}] }] });
    await stop("SIGTERM");
    await rm(join(folder, "plans"), { recursive: true });
    expect((await callIbid(folder, ["delete", "plans/lift.pdf"])).code).toBe(0);
  });

  it("--write begins without a knowledge base: it takes the first document and answers from it", async () => {
    const { url, stop } = await startServing(["--write", "--kb", join(folder, "fresh", "kb")]);
    await expect.poll(async () => (await send(url, "/readyz")).status).toBe(200);
    expect((await send(url, "/documents")).json).toMatchObject({ documents: [] });
    const put = await send(url, "/document?uri=bells.md", {
      method: "PUT",
      body: "# Bells\n\nThe bell rings at noon.\n",
    });
    expect([200, 201]).toContain(put.status);
    const asked = await send(url, "/ask", { body: { question: "When does the bell ring?" } });
    expect(asked.json).toMatchObject({ citations: [{ uri: "bells.md" }] });
    const { documentId } = (await send(url, "/view?uri=bells.md")).json as { documentId: string };
    const places = [{ marker: "[1]", uri: "bells.md", documentId, start: 0, end: 7 }];
    const sentences = [{ text: "Zorbles ring at noon.", verdict: "supported", places }];
    const thread = { title: "Noon", turns: [{ question: "When?", kind: "written", sentences }] };
    expect((await send(url, "/threads", { body: thread })).status).toBe(200);
    expect(await stop("SIGTERM")).toBe(0);

    // The service kept the upload and the thread; the command line's purge knows of both.
    const kept = join(folder, "fresh", "kb", "files");
    const holding = async (word: string): Promise<readonly string[]> => {
      const names = await readdir(kept, { recursive: true, withFileTypes: true });
      const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
      const texts = await Promise.all(files.map((file) => readFile(file, "latin1")));
      return files.filter((_, index) => texts[index]!.includes(word));
    };
    expect([(await holding("bell rings")).length, (await holding("Zorbles")).length]).toEqual([1, 1]);
    const deleted = await callIbid(folder, ["delete", "bells.md", "--kb", join("fresh", "kb")]);
    expect([deleted.code, (await holding("bell rings")).length, (await holding("Zorbles")).length]).toEqual([0, 1, 1]);
    const purged = await callIbid(folder, ["delete", "bells.md", "--purge", "--kb", join("fresh", "kb")]);
    expect([purged.code, await holding("bell rings"), await holding("Zorbles")]).toEqual([0, [], []]);
  });

  it("--as-user without keys: this machine asks as somebody; --write lets it write", async () => {
    const { url, stop } = await startServing(["--as-user", "bob", "--write"]);
    expect((await send(url, "/search", { body: { query: "spare cellar" } })).json.hits).toEqual([]);
    expect((await send(url, "/health/rag")).status).toBe(403);
    const added = await send(url, "/documents", { body: { uri: "bob.txt", text: "Mine." } });
    expect(added).toMatchObject({ status: 201, json: { scope: "user:bob" } });
    await stop("SIGTERM");
  });

  it("told to end in the middle of an answer, it finishes that and takes nothing more", async () => {
    let asked: () => void = () => {};
    const wasAsked = new Promise<void>((resolve) => (asked = resolve));
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const model = await startOpenAiServer({
      chat: async () => {
        asked();
        await released;
        return "A key is valid for ninety days [1].";
      },
    });
    onTestFinished(() => model.close());
    const serving = await startServing(["--model", "openai-compatible/slow"], {
      OPENAI_COMPATIBLE_BASE_URL: model.url,
    });
    const plain = send(serving.url, "/rag/query", { body: { query: "How long is a key valid?" } });
    await wasAsked;
    serving.kill("SIGTERM");
    await isEnding(serving.url);
    release();
    expect(await plain).toMatchObject({ status: 200, json: { response: "A key is valid for ninety days." } });
    expect((await serving.closed)[0]).toBe(0);
    // What was asked to see whether it is ending may have come in before it was.
    const entries = jsonLines(serving.log()).filter((entry) => (entry as { path?: string }).path !== "/documents");
    expect(entries).toMatchObject([{ path: "/rag/query", status: 200 }]);
  });

  it("SIGHUP reads the keys again: a new key opens, a removed one does not, and a broken file changes nothing", async () => {
    const entry = (name: string) => ({ name, key: `${name}-`.repeat(6), userId: name });
    const write = (content: unknown) => writeFiles(folder, { "turning.json": JSON.stringify(content) });
    await write({ keys: [entry("ada")] });
    const { url, kill, log, stop } = await startServing(["--keys", "turning.json"]);
    const status = async (name: string) => (await send(url, "/documents", { key: entry(name).key })).status;
    expect([await status("ada"), await status("bob")]).toEqual([200, 401]);
    await write({ keys: [entry("bob")] });
    kill("SIGHUP");
    await expect.poll(() => status("bob")).toBe(200);
    expect(await status("ada")).toBe(401);
    await write({ keys: [{ ...entry("eve"), operator: true }] });
    kill("SIGHUP");
    await expect.poll(log).toContain("The keys stay as they were.");
    expect([await status("bob"), await status("eve")]).toEqual([200, 401]);
    expect((await callIbid(folder, ["keys", "revoke", "eve", "--keys", "turning.json"])).code).toBe(2);
    await write({ keys: [entry("bob")] });
    expect((await callIbid(folder, ["keys", "revoke", "bob", "--keys", "turning.json"])).code).toBe(0);
    kill("SIGHUP");
    await expect.poll(() => status("bob")).toBe(401);
    await stop("SIGTERM");
  });

  it("with --json each line of standard error is JSON, also those of SIGHUP", async () => {
    await writeFiles(folder, { "lines.json": JSON.stringify({ keys: [{ name: "ada", key: "ada-".repeat(6) }] }) });
    const { kill, log, stop } = await startServing(["--keys", "lines.json"]);
    kill("SIGHUP");
    await expect.poll(log).toContain("read again: 1.");
    await writeFiles(folder, { "lines.json": "{" });
    kill("SIGHUP");
    await expect.poll(log).toContain("stay as they were.");
    for (const line of log().trim().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
    await stop("SIGTERM");
  });

  it("--keys: an operator who may write makes keys over HTTP; the file has their hashes, and one written beside stays", async () => {
    const root = { name: "root", key: "root-root-root-root", operator: true, write: true };
    await writeFiles(folder, { "made.json": JSON.stringify({ keys: [root] }) });
    const { url, stop } = await startServing(["--keys", "made.json"]);
    const post = (path: string, body: object) => send(url, path, { key: root.key, body });
    const statusOf = async (key: string) => (await send(url, "/session", { key })).status;
    expect((await callIbid(folder, ["keys", "add", "beside", "--keys", "made.json"])).code).toBe(0);
    const made = await Promise.all(["eve", "mallory"].map((name) => post("/keys", { name, userId: name })));
    const file = await readFile(join(folder, "made.json"), "utf8");
    for (const { json } of made) {
      expect(await statusOf(json.key)).toBe(200);
      expect(file).not.toContain(json.key);
    }
    expect((JSON.parse(file) as { keys: { name: string }[] }).keys.map(({ name }) => name)).toEqual([
      "root",
      "beside",
      "eve",
      "mallory",
    ]);
    const { json } = await send(url, "/key?name=mallory", { method: "DELETE", key: root.key });
    expect(json).toEqual({ revoked: "mallory" });
    expect(await statusOf(made[1]!.json.key)).toBe(401);
    expect((await send(url, "/manual", { method: "POST", key: root.key })).json.documents).toBeGreaterThan(20);
    expect(await stop("SIGTERM")).toBe(0);
  });

  it("a second signal ends it at once", async () => {
    let asked: () => void = () => {};
    const wasAsked = new Promise<void>((resolve) => (asked = resolve));
    const model = await startOpenAiServer({
      chat: () => {
        asked();
        return { fault: "silence" };
      },
    });
    onTestFinished(() => model.close());
    const serving = await startServing(["--model", "openai-compatible/mute"], {
      OPENAI_COMPATIBLE_BASE_URL: model.url,
    });
    const cut = send(serving.url, "/rag/query", { body: { query: "How long is a key valid?" } }).catch(() => "cut");
    await wasAsked;
    serving.kill("SIGTERM");
    await isEnding(serving.url);
    expect(await serving.stop("SIGTERM")).toBe(143);
    expect(await cut).toBe("cut");
  });

  it("says what it cannot do, in one sentence, before it listens", async () => {
    const taken = createServer();
    taken.listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const port = String((taken.address() as AddressInfo).port);
    await writeFiles(folder, { "bad.json": '{"keys":[{"name":"a","key":"topsecret"}]}' });
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [["--port", port], 2, "another program listens there"],
      [["--port", "70000"], 2, "from 0 to 65535"],
      [["--host", "0.0.0.0"], 2, "without keys every machine"],
      [["--keys", "nowhere.json"], 1, "There is no nowhere.json."],
      [["--keys", "bad.json"], 2, "must have at least 16 characters"],
      [["--keys", "keys.json", "--write"], 2, "each key has its own caller"],
      [["--allow-origin", "app.example"], 2, 'the origin "app.example" is invalid'],
      [["--kb", join(folder, "elsewhere")], 1, "There is no knowledge base"],
    ];
    for (const [args, code, said] of cases) {
      const ended = await callIbid(folder, ["serve", ...args]);
      expect({ args, code: ended.code, stderr: ended.stderr }).toEqual({
        args,
        code,
        stderr: expect.stringContaining(said) as string,
      });
      expect(ended.stderr).not.toContain("topsecret");
      expect(ended.stdout).toBe("");
    }
  });
});
