import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createHandler } from "../../src/server/index.node.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";

const model = (name: string): EmbeddingModel =>
  createFixedEmbeddingModel({}, { model: name, dimensions: 2, otherwise: (text) => [text.length, 1] });
const [old, later] = [model("old"), model("new")];

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ibid-other-model-"));
  const kb = await openKnowledgeBase(join(folder, "kb"), { models: { embedding: old } });
  await kb.ingest({ uri: "heron.txt", text: "The heron waits in the reeds." });
  await kb.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function withModels<Result>(
  models: NonNullable<Parameters<typeof openKnowledgeBase>[1]>["models"],
  use: (kb: Awaited<ReturnType<typeof openKnowledgeBase>>) => Promise<Result>,
): Promise<Result> {
  const kb = await openKnowledgeBase(join(folder, "kb"), { models });
  try {
    return await use(kb);
  } finally {
    await kb.close();
  }
}

describe("a knowledge base with vectors of another model", () => {
  it.each([
    ["another model", { embedding: later }, "testing/new", "kb.reembed()"],
    ["no model", {}, "no embedding model", "--embedding-model"],
  ])("opened with %s warns in hits, answers and status", async (_, models, own, hint) => {
    await withModels(models, async (kb) => {
      const warning = {
        code: "other-embedding-model",
        message: `The vectors of deployment are of testing/old; the knowledge base is open with ${own}.`,
        hint: expect.stringContaining(hint) as string,
        model: "testing/old",
        scopes: ["deployment"],
      };
      const hits = await kb.search("heron");
      expect(hits.length).toBe(1);
      expect(hits.warnings).toEqual([warning]);
      // A second search warns again: only scopes in order are remembered.
      expect((await kb.search("heron")).warnings).toEqual([warning]);
      expect((await kb.as({ userId: "ada" }).search("heron")).warnings).toEqual([warning]);
      expect((await kb.ask("Where does the heron wait?")).warnings).toEqual([warning]);
      expect((await kb.status()).warnings).toEqual([warning]);
      const handler = createHandler(kb);
      const post = async (path: string, body: object) => {
        const request = new Request(`http://127.0.0.1${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        return (await handler(request, { remoteAddress: "127.0.0.1" })).json();
      };
      expect(await post("/search", { query: "heron" })).toMatchObject({ warnings: [warning] });
      expect(await post("/ask", { question: "Where does the heron wait?" })).toMatchObject({ warnings: [warning] });
      expect(await post("/search", { query: "heron", mode: "dense" })).toMatchObject({
        error: { code: "unsupported", hint: expect.stringContaining("testing/old") as string },
      });
    });
  });

  it.each([
    ["another model", { embedding: later }],
    ["no model", {}],
  ])("opened with %s refuses a dense search, and says what to do", async (_, models) => {
    await withModels(models, async (kb) => {
      const refused = {
        code: "unsupported",
        message: expect.stringContaining("testing/old") as string,
        hint: expect.stringMatching(/^Open it with .*"testing\/old".* \(2 dimensions\)/u) as string,
      };
      await expect(kb.search("heron", { mode: "dense" })).rejects.toMatchObject(refused);
      await expect((async () => kb.ask("heron", { mode: "dense" }))()).rejects.toMatchObject(refused);
      for (const mode of ["lexical", "regex"] as const)
        expect(await kb.search("heron", { mode })).not.toHaveProperty("warnings");
    });
  });

  it("is in order with the model, with a former one, by words alone on request, and once it is embedded anew", async () => {
    for (const models of [{ embedding: old }, { embedding: later, formerEmbeddings: [old] }, { embedding: null }])
      await withModels(models, async (kb) => {
        expect(await kb.search("heron")).not.toHaveProperty("warnings");
        expect(await kb.status()).not.toHaveProperty("warnings");
      });
    await withModels({ embedding: later }, async (kb) => {
      expect(await kb.search("heron")).toHaveProperty("warnings");
      await kb.reembed();
      expect(await kb.search("heron")).not.toHaveProperty("warnings");
      expect((await kb.search("heron", { mode: "dense" })).length).toBe(1);
    });
  });

  it("says nothing of scopes that the caller may not read", async () => {
    await withModels({ embedding: old }, async (kb) => {
      await kb.ingest({ uri: "own.txt", text: "Ada's heron." }, { scope: "user:ada" });
    });
    await withModels({ embedding: later }, async (kb) => {
      const { warnings = [] } = await kb.as({ userId: "bob" }).search("heron");
      expect(warnings.flatMap(({ scopes }) => scopes)).toEqual(["deployment"]);
    });
  });
});
