import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { findTransformers } from "../../src/models/transformers/load-transformers.ts";
import {
  createTransformersEmbeddingModel as createBare,
  type TransformersEmbeddingOptions,
} from "../../src/models/transformers/transformers-embedding-model.ts";
import { createTransformersReranker } from "../../src/models/transformers/transformers-reranker.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import {
  createTransformersEmbeddingModel,
  resolveEmbeddingModel,
  resolveReranker,
} from "../../src/models/choose-models.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createEmbeddingModelPack } from "../../src/testing/embedding-model-pack.ts";
import { openTransformers, projectWithTransformers } from "../support/plain-transformers.ts";
import { type TinyModel, writeTinyModel } from "../support/tiny-onnx.ts";
import { runPack } from "./run-pack.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-onnx-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Three dimensions: the sea, the town, and unknown words. */
const words: TinyModel = {
  words: ["[unk]", "sea", "ship", "town", "street", "query:", "passage:"],
  rows: [
    [0, 0, 1],
    [3, 0, 0],
    [4, 0, 3],
    [0, 2, 0],
    [0, 1, 0],
    [1, 1, 0],
    [0, 0, 5],
  ],
  maxTokens: 6,
};
const weights: TinyModel = {
  words: ["[unk]", "sea", "ship", "town"],
  rows: [[0], [2], [0.5], [-3]],
};

function write(name: string, tiny: TinyModel, kind: "embedding" | "reranking"): string {
  const folder = join(root, name);
  writeTinyModel(folder, tiny, kind);
  return folder;
}
const embeddingFolder = write("tiny-embedding", words, "embedding");
const rerankingFolder = write("tiny-reranking", weights, "reranking");
const load = openTransformers;
const open = (options: TransformersEmbeddingOptions = {}): EmbeddingModel =>
  createBare(embeddingFolder, { load, ...options });
const embed = async (model: EmbeddingModel, texts: readonly string[], purpose: "query" | "document" = "document") =>
  (await model.embed(texts, { purpose })).embeddings.map((vector) => Array.from(vector as Float32Array));

describe("an embedding model in this process", () => {
  runPack(
    createEmbeddingModelPack({ create: () => open(), texts: ["sea", "ship", "town", "sea town", "ship street sea"] }),
  );

  it("pools tokens as it is told, to length 1 [W14 T36]", async () => {
    const texts = ["ship", "sea town"];
    const near = (vectors: readonly (readonly number[])[]) =>
      vectors.map((one) => one.map((value) => expect.closeTo(value, 6) as number));
    const diagonal = Math.hypot(3, 2);
    expect(await embed(open(), texts)).toEqual(
      near([
        [0.8, 0, 0.6],
        [3 / diagonal, 2 / diagonal, 0],
      ]),
    );
    expect(await embed(open({ pooling: "cls" }), texts)).toEqual(
      near([
        [0.8, 0, 0.6],
        [1, 0, 0],
      ]),
    );
    expect(await embed(open({ pooling: "last" }), texts)).toEqual(
      near([
        [0.8, 0, 0.6],
        [0, 1, 0],
      ]),
    );
  });

  it("writes prefixes before documents and queries, and counts tokens [T36]", async () => {
    const model = open({ prefixes: { query: "query: ", document: "passage: " }, pooling: "cls" });
    const [asQuery] = await embed(model, ["sea"], "query");
    const [asDocument] = await embed(model, ["sea"], "document");
    expect(asQuery?.[0]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(asDocument).toEqual([0, 0, 1]);
    expect((await model.embed(["sea ship", "town"], { purpose: "query" })).tokens).toBe(5);
  });

  it("tells models by what changes their vectors [T39]", () => {
    const prints = [
      open(),
      open({ pooling: "cls" }),
      open({ dtype: "q8" }),
      open({ prefixes: { query: "q: " } }),
      open({ revision: "a" }),
    ];
    expect(new Set(prints.map(({ fingerprint }) => fingerprint)).size).toBe(5);
  });

  it("cuts what is longer than the model takes, or refuses it", async () => {
    const long = "sea sea sea sea sea sea town town town town town town";
    const cut = open();
    expect((await cut.embed([long], { purpose: "document" })).tokens).toBe(6);
    expect(await embed(cut, [long])).toEqual([[1, 0, 0]]);
    await expect(embed(open({ tooLong: "error" }), [long])).rejects.toMatchObject({
      code: "embedding-failed",
      details: { tokens: 12, maxTokens: 6 },
    });
  });

  it("stops between two texts [W13]", async () => {
    const stop = new AbortController();
    const model = open();
    await embed(model, ["sea"]);
    const call = model.embed(
      Array.from({ length: 200 }, () => "sea"),
      { purpose: "document", signal: stop.signal },
    );
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });

  it("answers questions in a knowledge base", async () => {
    const kb = await openKnowledgeBase({
      models: { embedding: open(), reranker: createTransformersReranker(rerankingFolder, { load }) },
    });
    await kb.ingest([
      { uri: "a.txt", text: "ship" },
      { uri: "b.txt", text: "street" },
    ]);
    const [hit] = await kb.search("sea", { mode: "dense", rerank: false });
    expect(hit?.source.uri).toBe("a.txt");
    const [best] = await kb.search("town", { mode: "dense", explain: true });
    expect(best?.explain?.rerank?.reranker).toBe(`transformers/${rerankingFolder}`);
    await kb.close();
  });
});

describe("a model in a thread", () => {
  const packageFolder = projectWithTransformers(join(root, "threads"));
  const inThread = (options: TransformersEmbeddingOptions = {}): EmbeddingModel =>
    createBare(embeddingFolder, { packageFolder, ...options });

  it("gives the vectors and the errors of the same model in this thread [W14]", async () => {
    const texts = ["ship", "sea town", "street"];
    expect(await embed(inThread(), texts)).toEqual(await embed(open(), texts));
    const long = "sea ".repeat(20);
    await expect(embed(inThread({ tooLong: "error" }), [long])).rejects.toMatchObject({
      code: "embedding-failed",
      details: { tokens: 20, maxTokens: 6 },
    });
  });

  it("leaves this thread free, and stops between two texts, at once for the caller [W13]", async () => {
    const model = inThread();
    await embed(model, ["sea"]);
    const stop = new AbortController();
    const many = Array.from({ length: 5000 }, () => "sea ship town");
    const call = model.embed(many, { purpose: "document", signal: stop.signal });
    // Timers of this thread run while the other one is at work.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "aborted" });
    expect(await embed(model, ["sea"])).toEqual([[1, 0, 0]]);
  });

  it("reranks", async () => {
    const reranker = createTransformersReranker(rerankingFolder, { packageFolder });
    const [sea, town] = await reranker.rerank("ship", ["sea", "town"]);
    expect(sea).toBeGreaterThan(town!);
  });

  it("says that a folder holds no model, and loads it once it does", async () => {
    const model = createBare(join(root, "thread-later"), { packageFolder });
    await expect(embed(model, ["sea"])).rejects.toMatchObject({ code: "model-failed" });
    write("thread-later", words, "embedding");
    expect(await embed(model, ["sea"])).toEqual([[1, 0, 0]]);
  });
});

describe("a quantised model", () => {
  const folder = write(
    "quantised",
    { ...words, rows: words.rows.map((row, at) => (at === 4 ? [0, 90, 0.4] : row)), quantised: true },
    "embedding",
  );

  it("gives a text the same vector alone and beside others, which its runtime does not [W14]", async () => {
    const library = await openTransformers();
    const settings = { local_files_only: true, dtype: "fp32" };
    const tokenizer = await library.AutoTokenizer.from_pretrained(folder, settings);
    const native = await library.AutoModel.from_pretrained(folder, settings);
    const rows = async (...texts: string[]) => {
      const { last_hidden_state: found } = await native(tokenizer(texts, { padding: true, truncation: true }));
      return Array.from(found?.data ?? [], Number).slice(0, 3);
    };
    expect(await rows("ship", "street")).not.toEqual(await rows("ship"));

    const [alone] = await embed(createBare(folder, { load }), ["ship"]);
    const [together] = await embed(createBare(folder, { load }), ["ship", "street"]);
    expect(together).toEqual(alone);
  });
});

describe("a limit of tokens", () => {
  const closed: TinyModel = {
    ...words,
    words: [...words.words, "[sep]"],
    rows: [...words.rows, [0, 0, 9]],
    ending: "[sep]",
  };

  it("cuts below the tokenizer's own, and is part of the fingerprint [T39]", async () => {
    const folder = write("limit", words, "embedding");
    const model = createBare(folder, { load, maxTokens: 2 });
    const { tokens, embeddings } = await model.embed(["sea sea town town"], { purpose: "document" });
    expect([tokens, embeddings]).toEqual([2, [Float32Array.of(1, 0, 0)]]);
    expect(model.fingerprint).not.toBe(createBare(folder, { load }).fingerprint);
    expect(() => createBare(folder, { maxTokens: 0 })).toThrow(/maxTokens is 0/u);
  });

  it("keeps the token that ends every text, which the package drops", async () => {
    const folder = write("closed", closed, "embedding");
    expect(await embed(createBare(folder, { load, maxTokens: 2, pooling: "last" }), ["sea town town"])).toEqual([
      [0, 0, 1],
    ]);
    // Two of the four tokens with the ending.
    expect(await embed(createBare(folder, { load, maxTokens: 2, pooling: "cls" }), ["sea town town"])).toEqual([
      [1, 0, 0],
    ]);
    expect((await createBare(folder, { load, maxTokens: 2 }).embed(["town"], { purpose: "query" })).tokens).toBe(2);
  });
});

describe("a cross-encoder in this process", () => {
  it("reads each text beside the query, and scores between 0 and 1 [T28 B33]", async () => {
    const reranker = createTransformersReranker(rerankingFolder, { load });
    const scores = await reranker.rerank("ship", ["sea", "town", "nothing", "sea sea"]);
    const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));
    expect(scores).toEqual([2.5, -2.5, 0.5, 4.5].map((logit) => expect.closeTo(logistic(logit), 6) as number));
    expect(await reranker.rerank("ship", [])).toEqual([]);
    await expect(reranker.rerank("ship", ["sea"], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });
});

describe("what is missing is said, with the hint", () => {
  it("a model that is not here, where nothing may be downloaded", async () => {
    const model = createBare("nobody/has-this", { load, cacheFolder: join(root, "cache") });
    await expect(embed(model, ["sea"])).rejects.toMatchObject({
      code: "configuration-missing",
      message: "The model nobody/has-this is not on this machine, and nothing may be downloaded.",
      hint: expect.stringContaining("allowDownload: true") as string,
    });
  });

  it("a model that was downloaded before is found where downloads are kept, and nobody is asked for it", async () => {
    const cacheFolder = join(root, "kept");
    write("kept/somebody/tiny", words, "embedding");
    write("kept/somebody/tiny/v2", words, "embedding");
    for (const revision of [undefined, "v2"]) {
      const model = createBare("somebody/tiny", { load, cacheFolder, ...(revision && { revision }) });
      expect(await embed(model, ["sea"])).toEqual([[1, 0, 0]]);
    }
    const other = createBare("somebody/tiny", { load, cacheFolder, revision: "v3" });
    await expect(embed(other, ["sea"])).rejects.toMatchObject({ code: "configuration-missing" });
  });

  it("a folder without a model in it; and once it is there, it is loaded", async () => {
    const folder = join(root, "later");
    const model = createBare(folder, { load });
    await expect(embed(model, ["sea"])).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining("there is no config.json in it") as string,
    });
    write("later", words, "embedding");
    expect(await embed(model, ["sea"])).toEqual([[1, 0, 0]]);
  });

  it("the package", async () => {
    const nowhere = join(root, "project");
    await expect((async () => findTransformers(nowhere))()).rejects.toMatchObject({
      code: "dependency-missing",
      message: "The package @huggingface/transformers, which runs models in this process, is not installed.",
      hint: "npm install --ignore-scripts @huggingface/transformers@^4.0.0",
    });
  });

  it("an option that nobody reads, and values that are none", () => {
    expect(() => createBare("a/b", { normalise: true } as object)).toThrow(/no option/u);
    expect(() => createBare("a/b", { pooling: "max" as never })).toThrow(/pooling is "max"/u);
    expect(() => createBare("a/b", { tooLong: "never" as never })).toThrow(/tooLong is "never"/u);
    expect(() => createBare(" ")).toThrow(/name of the model is " "/u);
    expect(() => createTransformersReranker("a/b", { maxBatchSize: 0 })).toThrow(/maxBatchSize/u);
  });

  it("a runtime that fails, without a word of what it was sent", async () => {
    const broken = async () => ({
      ...(await load()),
      AutoModel: { from_pretrained: async () => () => Promise.reject(new Error("bad shape")) },
    });
    const failed: unknown = await embed(open({ load: broken }), ["sea"]).catch((error: unknown) => error);
    expect(IbidError.isInstance(failed, "embedding-failed")).toBe(true);
    expect((failed as Error).message).not.toContain("sea ");
  });
});

describe("by name", () => {
  it("transformers/… is a model in this process, with the prefixes that it is known to want", async () => {
    const model = await resolveEmbeddingModel("transformers/Xenova/multilingual-e5-small", { env: {} });
    expect([model.provider, model.model]).toEqual(["transformers", "Xenova/multilingual-e5-small"]);
    expect(model.fingerprint).toBe(
      createTransformersEmbeddingModel("Xenova/multilingual-e5-small", {
        prefixes: { query: "query: ", document: "passage: " },
      }).fingerprint,
    );
    expect((await resolveReranker("transformers:Xenova/ms-marco-MiniLM-L-6-v2", { env: {} })).name).toBe(
      "transformers/Xenova/ms-marco-MiniLM-L-6-v2",
    );
    await expect(resolveEmbeddingModel("transformers/a/b", { dimensions: 3 })).rejects.toThrow(/no option/u);
  });
});
writeFileSync(join(root, "package.json"), "{}");
