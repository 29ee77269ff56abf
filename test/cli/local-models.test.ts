import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { lastingName, versionName } from "../../src/knowledge-base/open/remembered-models.ts";
import { projectWithTransformers } from "../support/plain-transformers.ts";
import { writeTinyModel } from "../support/tiny-onnx.ts";
import { callIbid, runIbid } from "./run-ibid.ts";

async function makeProject(): Promise<string> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "ibid-local-cli-")));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "package.json"), "{}");
  await mkdir(join(cwd, "docs"));
  await writeFile(join(cwd, "docs", "boat.txt"), "ship\n");
  await writeFile(join(cwd, "docs", "house.txt"), "town\n");
  const words = ["[unk]", "sea", "ship", "town"];
  writeTinyModel(
    join(cwd, "tiny"),
    {
      words,
      rows: [
        [0, 0, 1],
        [3, 0, 0],
        [4, 0, 3],
        [0, 2, 0],
      ],
    },
    "embedding",
  );
  return cwd;
}

const missing = "npm install --ignore-scripts @huggingface/transformers@^4.0.0";

describe("a local model on the command line", () => {
  it("from a folder embeds and searches in a process that ends by itself, and is remembered by its whole path", async () => {
    const cwd = await makeProject();
    projectWithTransformers(cwd);
    const ingested = await runIbid(cwd, ["ingest", "docs", "--embedding-model", "local:./tiny"]);
    expect(ingested).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(join(cwd, ".ibid", "models.json"), "utf8"))).toEqual({
      embeddingModel: `local:${join(cwd, "tiny")}`,
      formerEmbeddingModels: [],
    });
    const searched = await callIbid(cwd, ["search", "sea", "--mode", "dense", "--json"]);
    expect(JSON.parse(searched.stdout)).toMatchObject({ hits: [{ source: { uri: "docs/boat.txt" } }, {}] });
    expect((await callIbid(cwd, ["status"])).stdout).toContain("local/tiny, 3 dimensions: 2 chunks");
  });

  it.each([[["--embedding-model", "local"]], [["--reranker", "local"]], [["--quality", "local"]]])(
    "%j without the package says the command that installs it, before anything is read",
    async (flags) => {
      const cwd = await makeProject();
      const ingested = await callIbid(cwd, ["ingest", "docs", ...flags]);
      expect(ingested.code).toBe(1);
      expect(ingested.stderr).toContain(missing);
      expect(ingested.stdout).not.toContain("boat");
    },
  );

  it("shows its download, and says which checksum is wrong", async () => {
    const cwd = await makeProject();
    projectWithTransformers(cwd);
    const server = createServer((_, response) => response.end("not the model"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const env = {
      HF_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      IBID_MODELS: join(cwd, "m"),
    };
    const ingested = await callIbid(cwd, ["ingest", "docs", "--quality", "local"], env);
    expect(ingested.code).toBe(1);
    expect(ingested.stderr).toContain("Downloading all-MiniLM-L6-v2, 23.7 MB, once.");
    expect(ingested.stdout + ingested.stderr).toMatch(
      /config\.json of the model all-MiniLM-L6-v2 (?:has the checksum|broke off after 13 of 650 bytes)/u,
    );
  });
});

describe("the name of a local model", () => {
  it("is recorded as one that means the same from every folder and in later versions", () => {
    const folder = join(process.cwd(), "models", "mine");
    for (const [name, lasting, version] of [
      ["local", "local/all-MiniLM-L6-v2", "local/all-MiniLM-L6-v2"],
      ["local/all-MiniLM-L6-v2", "local/all-MiniLM-L6-v2", "local/all-MiniLM-L6-v2"],
      ["local:models/mine", `local:${folder}`, "local/mine"],
      ["ollama:nomic-embed-text", "ollama:nomic-embed-text", "ollama/nomic-embed-text"],
    ] as const)
      expect([lastingName(name), versionName(name), versionName(lasting)]).toEqual([lasting, version, version]);
  });
});

describe("quality: local", () => {
  it("names the recommended models where none is given, and is checked", async () => {
    const message = { code: "dependency-missing", hint: missing };
    await expect(openKnowledgeBase({ quality: "local" })).rejects.toMatchObject(message);
    await expect(openKnowledgeBase({ quality: "local", models: { embedding: null } })).rejects.toMatchObject(message);
    await (await openKnowledgeBase({ quality: "local", models: { embedding: null, reranker: "proximity" } })).close();
    await expect(openKnowledgeBase({ quality: "best" as "local" })).rejects.toMatchObject({ code: "invalid-argument" });
    expect((await callIbid(await makeProject(), ["list", "--quality", "best"])).code).toBe(2);
  });
});
