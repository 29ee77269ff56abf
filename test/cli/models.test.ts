import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";

import { type OpenAiScript, type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";
import { startModelServer } from "../support/model-server.ts";
import { callIbid, runIbid } from "./run-ibid.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: OpenAiScript = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(script);
  servers.push(server);
  return server;
}

async function makeProject(): Promise<string> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "ibid-models-")));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await mkdir(join(cwd, "docs"));
  await writeFile(join(cwd, "docs", "keys.md"), "# Keys\n\nKeys rotate every ninety days.\n");
  await writeFile(join(cwd, "docs", "tea.md"), "# Tea\n\nTea is served at five.\n");
  return cwd;
}

const embedded = (server: OpenAiServer): readonly unknown[] =>
  server.requests.filter(({ path }) => path === "/v1/embeddings").map(({ body }) => body["input"]);
const remembered = async (cwd: string): Promise<unknown> =>
  JSON.parse(await readFile(join(cwd, ".ibid", "models.json"), "utf8"));

describe("an embedding model on the command line", () => {
  it("is named once, and used by every command that comes after; prefixes are those it was trained with [W44]", async () => {
    const cwd = await makeProject();
    const server = await serve({ embeddings: 8, chat: "Every ninety days [1]." });
    const env = { OLLAMA_HOST: server.origin };
    const ingested = await callIbid(
      cwd,
      ["ingest", "docs", "--embedding-model", "ollama:nomic-embed-text", "--json"],
      env,
    );
    expect(ingested).toMatchObject({ code: 0, stderr: "" });
    const last = ingested.stdout.trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({
      summary: { added: 2, embedded: 2, usage: { inputTokens: expect.any(Number) as number } },
    });
    expect(await remembered(cwd)).toEqual({ embeddingModel: "ollama:nomic-embed-text", formerEmbeddingModels: [] });
    expect(embedded(server).flat()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^search_document: /u) as string]),
    );

    const searched = await callIbid(cwd, ["search", "rotate keys", "--mode", "dense", "--json"], env);
    expect(JSON.parse(searched.stdout)).toMatchObject({ hits: [{ source: { uri: "docs/keys.md" } }, {}] });
    const asked = await callIbid(cwd, ["ask", "How often do keys rotate?", "--model", "ollama:llama3", "--json"], env);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      model: "ollama/llama3",
      text: "Every ninety days [1].",
      usage: {},
    });
    expect(embedded(server).slice(-2)).toEqual([
      ["search_query: rotate keys"],
      ["search_query: How often do keys rotate?"],
    ]);

    await writeFile(join(cwd, "docs", "new.md"), "# New\n\nSomething new.\n");
    await callIbid(cwd, ["ingest", "docs"], env);
    expect(embedded(server).at(-1)).toEqual([expect.stringMatching(/^search_document: /u)]);
    const status = await callIbid(cwd, ["status", "--json"], env);
    expect(JSON.parse(status.stdout)).toMatchObject({
      embeddingVersions: [{ provider: "ollama", model: "nomic-embed-text", chunks: 3 }],
    });
  });

  it("that cannot be reached is said to be the remembered one; words and documents need none", async () => {
    const cwd = await makeProject();
    const server = await serve();
    const name = `openai-compatible/bge-m3@${server.url}`;
    await callIbid(cwd, ["ingest", "docs", "--embedding-model", name]);
    await server.close();
    const searched = await callIbid(cwd, ["search", "rotate keys"]);
    expect(searched.code).toBe(1);
    expect(searched.stderr).toContain(`openai-compatible/bge-m3 cannot be reached at ${server.origin} (ECONNREFUSED).`);
    expect(searched.stderr).toContain(
      "The knowledge base has vectors of this model. To search without it: ibid search --mode lexical",
    );
    expect(await callIbid(cwd, ["search", "rotate keys", "--mode", "lexical"])).toMatchObject({ code: 0, stderr: "" });
    for (const command of [["list"], ["show", "docs/keys.md"], ["status"]])
      expect(await callIbid(cwd, command)).toMatchObject({ code: 0, stderr: "" });
    // Without the record, the vectors are of another model than the one that searches: none.
    const models = join(cwd, ".ibid", "models.json");
    const record = await readFile(models, "utf8");
    await rm(models);
    const warning = "warning: The vectors of deployment are of openai-compatible/bge-m3;";
    for (const command of [["search", "rotate keys"], ["ask", "How often do keys rotate?"], ["status"]]) {
      const warned = await callIbid(cwd, command);
      expect(warned).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) as string });
      const json = await callIbid(cwd, [...command, "--json"]);
      expect(JSON.parse(json.stdout)).toMatchObject({ warnings: [{ model: "openai-compatible/bge-m3" }] });
    }
    const refused = await callIbid(cwd, ["search", "rotate keys", "--mode", "dense"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--embedding-model") as string });
    await writeFile(models, record);
    // What cannot be embedded keeps its old version.
    await writeFile(join(cwd, "docs", "keys.md"), "# Keys\n\nKeys rotate weekly.\n");
    const changed = await callIbid(cwd, ["ingest", "docs"]);
    expect(changed.stdout + changed.stderr).toContain("cannot be reached");
    expect((await callIbid(cwd, ["show", "docs/keys.md"])).stdout).toContain("ninety days");
  });

  it("that made no vector is not remembered", async () => {
    const cwd = await makeProject();
    const server = await serve({ embeddings: { fault: "status", status: 404, message: "model not found" } });
    const ingested = await callIbid(cwd, ["ingest", "docs", "--embedding-model", "ollama/nomc"], {
      OLLAMA_HOST: server.origin,
    });
    expect(ingested.code).toBe(1);
    expect(ingested.stdout + ingested.stderr).toContain("ollama pull nomc");
    await expect(remembered(cwd)).rejects.toThrow(/ENOENT/u);
    expect((await callIbid(cwd, ["search", "anything"])).code).toBe(0);
  });

  it("takes another's place without losing what that one embedded, until it is re-embedded", async () => {
    const cwd = await makeProject();
    const server = await serve({ embeddings: 8 });
    const env = { OLLAMA_HOST: server.origin };
    await callIbid(cwd, ["ingest", "docs", "--embedding-model", "ollama/old"], env);
    await writeFile(join(cwd, "docs", "new.md"), "# New\n\nSomething new.\n");
    await callIbid(cwd, ["ingest", "docs/new.md", "--embedding-model", "ollama/new"], env);
    expect(await remembered(cwd)).toEqual({ embeddingModel: "ollama/new", formerEmbeddingModels: ["ollama/old"] });
    const searched = await callIbid(cwd, ["search", "rotate keys", "--mode", "dense", "--json"], env);
    expect(JSON.parse(searched.stdout)).toMatchObject({ hits: [{ source: { uri: "docs/keys.md" } }, {}, {}] });
    expect((await callIbid(cwd, ["reembed", "--embedding-model", "ollama/new"], env)).code).toBe(0);
    expect(await remembered(cwd)).toEqual({ embeddingModel: "ollama/new", formerEmbeddingModels: [] });
    await callIbid(cwd, ["search", "rotate keys"], env);
    expect(server.requests.at(-1)?.body["model"]).toBe("new");
  });

  it("none is the store's own, and a broken memory is said", async () => {
    const cwd = await makeProject();
    const server = await serve({ embeddings: 8 });
    await callIbid(cwd, ["ingest", "docs", "--embedding-model", "ollama/m"], { OLLAMA_HOST: server.origin });
    await server.close();
    expect((await callIbid(cwd, ["search", "keys", "--embedding-model", "none"])).code).toBe(0);
    await writeFile(join(cwd, ".ibid", "models.json"), "{");
    const broken = await callIbid(cwd, ["search", "keys"]);
    expect([broken.code, broken.stderr]).toEqual([
      1,
      expect.stringContaining("name the model once more with --embedding-model"),
    ]);
  });
});

describe("a reranker on the command line", () => {
  it("orders what was found, by a server's POST /rerank [T28]", async () => {
    const cwd = await makeProject();
    const server = await startModelServer((request, response) => {
      const documents = request.body["documents"] as readonly string[];
      const results = documents.map((text, index) => ({ index, relevance_score: text.includes("Tea") ? 0.9 : 0.1 }));
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ results: results.toReversed() }));
    });
    onTestFinished(() => server.close());
    await callIbid(cwd, ["ingest", "docs"]);
    const reranker = `openai-compatible/bge-reranker@${server.url}/v1`;
    const searched = await callIbid(cwd, ["search", "keys tea", "--reranker", reranker, "--json"]);
    expect(JSON.parse(searched.stdout)).toMatchObject({
      hits: [
        { source: { uri: "docs/tea.md" }, score: 0.9 },
        { source: { uri: "docs/keys.md" }, score: 0.1 },
      ],
    });
    expect(server.requests).toMatchObject([{ path: "/v1/rerank", body: { model: "bge-reranker", query: "keys tea" } }]);
  });
});

describe("ask and chat with a model", () => {
  it("take a judge, instructions, a budget and the whole corpus, and a chat uses the remembered embedding model", async () => {
    const cwd = await makeProject();
    await writeFile(join(cwd, "voice.txt"), "Answer as the help desk of Acme.");
    const server = await serve({ embeddings: 8, chat: "Every ninety days [1]." });
    const env = { OLLAMA_HOST: server.origin };
    await callIbid(cwd, ["ingest", "docs", "--embedding-model", "ollama:nomic-embed-text"], env);
    const { code, stdout } = await callIbid(
      cwd,
      [
        "ask",
        "How often do keys rotate?",
        "--json",
        "--model",
        "ollama:llama3",
        "--judge",
        "ollama:judge",
        "--instructions",
        "voice.txt",
        "--context-tokens",
        "900",
        "--whole-corpus",
      ],
      env,
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { context: { from: "whole-corpus", maxTokens: 900 } }]);
    const chats = server.requests.filter(({ path }) => path === "/v1/chat/completions").map(({ body }) => body);
    expect(chats.map(({ model }) => model)).toEqual(["llama3", "judge"]);
    expect(JSON.stringify(chats[0])).toContain("Answer as the help desk of Acme.");

    // Its input has ended before it begins.
    expect(await runIbid(cwd, ["chat"], env)).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    ["--judge", "ollama:judge"],
    ["--instructions", "voice.txt"],
    ["--context-tokens", "9"],
    ["--whole-corpus"],
  ])("refuse %s where no model is to answer", async (...option) => {
    const cwd = await makeProject();
    await callIbid(cwd, ["ingest", "docs"]);
    const { code, stderr } = await callIbid(cwd, ["ask", "How often do keys rotate?", ...option]);
    expect([code, stderr]).toEqual([
      2,
      `error: ${option[0] ?? ""} needs --model: it is an option of answers that a model writes.\n  Name a model with --model, or leave the option out.\n`,
    ]);
  });

  it("say when the instructions are not there", async () => {
    const cwd = await makeProject();
    const { code, stderr } = await callIbid(cwd, ["ask", "Keys?", "--model", "ollama:x", "--instructions", "none.txt"]);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no none.txt.");
  });
});
