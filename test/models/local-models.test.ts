import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { DownloadProgress } from "../../src/contracts/download-progress.ts";
import { localModels } from "../../src/models/local-models.ts";
import {
  type LocalModelOptions,
  openLocalEmbeddingModel,
  openLocalReranker,
} from "../../src/models/transformers/local-model.ts";
import { resolveEmbeddingModel, resolveReranker } from "../../src/models/choose-models.ts";
import { type HubServer, pinFolder, startHub } from "../support/hub-server.ts";
import { projectWithTransformers } from "../support/plain-transformers.ts";
import { type TinyModel, writeTinyModel } from "../support/tiny-onnx.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-local-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const packageFolder = projectWithTransformers(join(root, "project"));

const words: TinyModel = {
  words: ["[unk]", "sea", "town"],
  rows: [
    [0, 0, 1],
    [3, 0, 0],
    [0, 2, 0],
  ],
};
const shelf = join(root, "shelf");
writeTinyModel(shelf, words, "embedding");
const model = pinFolder(shelf, { name: "tiny", kind: "embedding", maxTokens: 8 });
const weights = "onnx/model.onnx";
const before = model.files.slice(0, 3).reduce((sum, { bytes }) => sum + bytes, 0);
const total = model.files.reduce((sum, { bytes }) => sum + bytes, 0);

let turn = 0;
let hub: HubServer;
let cacheFolder: string;
let kept: string;
beforeEach(async () => {
  hub = await startHub(shelf, model);
  cacheFolder = join(root, `cache-${++turn}`);
  kept = join(cacheFolder, "tests", "tiny", model.revision);
});

async function embed(options: LocalModelOptions & { readonly signal?: AbortSignal } = {}): Promise<readonly number[]> {
  const { signal, ...rest } = options;
  const local = await openLocalEmbeddingModel(model, {
    hub: hub.address,
    cacheFolder,
    packageFolder,
    env: {},
    ...rest,
  });
  const { embeddings } = await local.embed(["sea"], { purpose: "document", ...(signal && { signal }) });
  return Array.from(embeddings[0] as Float32Array);
}
/** Calls something each time when the weights have arrived up to one of these bytes. */
const at =
  (bytes: readonly number[], call: () => void) =>
  ({ received }: DownloadProgress): void => {
    if (bytes.includes(received - before)) call();
  };
const dropAt = (...bytes: readonly number[]) => at(bytes, () => hub.drop());
const requested = (path: string) => hub.requests.filter((one) => one.path === path);

describe("a local model's download", () => {
  it("brings every file once, with progress to the last byte, and asks nobody afterwards", async () => {
    const seen: DownloadProgress[] = [];
    expect(await embed({ onDownload: (progress) => seen.push(progress) })).toEqual([1, 0, 0]);
    expect(hub.requests.map(({ path }) => path)).toEqual(model.files.map(({ path }) => path));
    expect(seen[0]).toEqual({ model: "tiny", received: 0, total });
    expect(seen.at(-1)).toEqual({ model: "tiny", received: total, total });
    expect(seen.map(({ received }) => received)).toEqual(
      seen.map(({ received }) => received).toSorted((a, b) => a - b),
    );
    expect(readFileSync(join(kept, weights))).toEqual(readFileSync(join(shelf, weights)));
    expect(existsSync(join(kept, `${weights}.part`))).toBe(false);
    await embed({ hub: "http://127.0.0.1:9" });
    expect(hub.requests.length).toBe(model.files.length);
  });

  it("is shared by calls at one time", async () => {
    const local = await openLocalEmbeddingModel(model, { hub: hub.address, cacheFolder, packageFolder, env: {} });
    await Promise.all([1, 2, 3].map(() => local.embed(["sea"], { purpose: "query" })));
    expect(requested(weights).length).toBe(1);
  });

  it("asks for bytes as they are, because a compressed answer has other positions", async () => {
    await embed();
    expect(new Set(hub.requests.map(({ encoding }) => encoding))).toEqual(new Set(["identity"]));
  });

  it("that breaks off goes on where it stopped", async () => {
    hub.fail(weights, { kind: "stall", after: 7 }, { kind: "stall", after: 5 });
    expect(await embed({ onDownload: dropAt(7, 12) })).toEqual([1, 0, 0]);
    expect(requested(weights).map(({ range }) => range)).toEqual([undefined, "bytes=7-", "bytes=12-"]);
  });

  it("starts again from a server that ignores ranges", async () => {
    hub.fail(weights, { kind: "stall", after: 9 }, { kind: "ignores-ranges" });
    expect(await embed({ onDownload: dropAt(9) })).toEqual([1, 0, 0]);
    expect(requested(weights).map(({ range }) => range)).toEqual([undefined, "bytes=9-"]);
  });

  it("that breaks off without a byte says how far it came, and the next call goes on from there", async () => {
    hub.fail(weights, { kind: "stall", after: 9 }, { kind: "status", status: 503 });
    await expect(embed({ onDownload: dropAt(9) })).rejects.toMatchObject({ code: "model-failed" });
    expect(await embed()).toEqual([1, 0, 0]);
    expect(requested(weights).at(-1)?.range).toBe("bytes=9-");
  });

  it("waits for bytes as long as it is told", async () => {
    hub.fail(weights, { kind: "stall", after: 9 });
    await expect(embed({ idleMs: 1000 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("sent nothing for 1 seconds") as string,
      details: { retryable: true },
    });
  });

  it("arrives one byte at a time", async () => {
    hub.fail(weights, { kind: "slow" });
    expect(await embed()).toEqual([1, 0, 0]);
  });

  it.each([
    ["other bytes", { kind: "other-bytes" }, /has the checksum [0-9a-f]{64}; it must have/u],
    ["more bytes", { kind: "longer" }, /is longer than the \d+ bytes/u],
  ] as const)("with %s is refused, and nothing of the file is kept", async (_, fault, message) => {
    hub.fail(weights, fault);
    await expect(embed()).rejects.toMatchObject({
      code: "invalid-response",
      message: expect.stringMatching(message) as string,
    });
    expect(existsSync(join(kept, weights))).toBe(false);
    expect(await embed()).toEqual([1, 0, 0]);
  });

  it.each([
    [404, false, "HF_ENDPOINT"],
    [503, true, "Try again later"],
  ])("that is answered %d says so, with the address", async (status, retryable, hint) => {
    hub.fail(weights, { kind: "status", status });
    await expect(embed()).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining(`the server answered ${status}`) as string,
      hint: expect.stringContaining(hint) as string,
      uri: `${hub.address}/tests/tiny/resolve/${model.revision}/${weights}`,
      details: { status, retryable, provider: "local", model: "tiny" },
    });
  });

  it("from a server that cannot be reached names it", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(free.address() as AddressInfo).port}`;
    await new Promise((resolve) => free.close(resolve));
    await expect(embed({ hub: `http://${host}` })).rejects.toMatchObject({
      code: "model-failed",
      message: `The model tiny cannot be downloaded: ${host} cannot be reached (ECONNREFUSED).`,
    });
  });

  it("stops when the last caller does, and the next one goes on from there [W13]", async () => {
    hub.fail(weights, { kind: "stall", after: 9 });
    const stop = new AbortController();
    const stopped = embed({ signal: stop.signal, onDownload: at([9], () => stop.abort()) });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    expect(await embed()).toEqual([1, 0, 0]);
    expect(requested(weights).at(-1)?.range).toBe("bytes=9-");
  });

  it("goes on for the others when one caller stops", async () => {
    hub.fail(weights, { kind: "stall", after: 9 });
    const local = await openLocalEmbeddingModel(model, {
      hub: hub.address,
      cacheFolder,
      packageFolder,
      env: {},
      onDownload: at([9], () => stop.abort()),
    });
    const stop = new AbortController();
    const calls = [stop.signal, undefined].map((signal) =>
      local.embed(["sea"], { purpose: "document", ...(signal && { signal }) }),
    );
    await expect(calls[0]).rejects.toMatchObject({ code: "aborted" });
    hub.drop();
    expect((await calls[1])?.embeddings.length).toBe(1);
    expect(requested(weights).map(({ range }) => range)).toEqual([undefined, "bytes=9-"]);
  });

  it("replaces a file that was damaged on the disk", async () => {
    await embed();
    writeFileSync(join(kept, weights), readFileSync(join(kept, weights)).fill(7, 3, 9));
    expect(await embed()).toEqual([1, 0, 0]);
    expect(requested(weights).length).toBe(2);
  });

  it("says that a folder cannot be written", async () => {
    const file = join(root, `file-${turn}`);
    writeFileSync(file, "");
    await expect(embed({ cacheFolder: file })).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining("cannot be kept at") as string,
      hint: expect.stringContaining("IBID_MODELS") as string,
    });
  });
});

describe("a local model without a network", () => {
  it("is found in the folder of IBID_MODELS, and in HF_ENDPOINT's place", async () => {
    await embed({ env: { IBID_MODELS: join(root, "moved"), HF_ENDPOINT: hub.address }, ...bare });
    await embed({ env: { IBID_MODELS: join(root, "moved"), IBID_ALLOW_DOWNLOAD: "0" }, ...bare });
    expect(requested(weights).length).toBe(1);
  });

  it.each([
    ["IBID_ALLOW_DOWNLOAD", { env: { IBID_ALLOW_DOWNLOAD: "0" } }],
    ["allowDownload", { allowDownload: false }],
  ])("says which files belong where, forbidden by %s", async (_, forbidden) => {
    await expect(embed(forbidden)).rejects.toMatchObject({
      code: "configuration-missing",
      message: expect.stringContaining("The model tiny is not on this machine") as string,
      hint: `Put ${model.files.map(({ path }) => path).join(", ")} of ${hub.address}/tests/tiny at revision ${model.revision} into ${kept}.`,
    });
    expect(hub.requests).toEqual([]);
  });

  it("is a folder behind local:, whose files decide about the fingerprint and not its place", async () => {
    const options = { packageFolder, env: {} };
    const here = await openLocalEmbeddingModel(`local:${shelf}`, options);
    expect([here.provider, here.model, here.dimensions]).toEqual(["local", "shelf", undefined]);
    const { embeddings } = await here.embed(["sea town"], { purpose: "query" });
    expect(Array.from(embeddings[0] as Float32Array, (value) => Math.round(value * 1000))).toEqual([832, 555, 0]);
    const moved = join(root, "elsewhere", "shelf");
    await cp(shelf, moved, { recursive: true });
    const there = await openLocalEmbeddingModel(`local:${moved}`, options);
    expect([there.model, there.fingerprint]).toEqual([here.model, here.fingerprint]);

    for (const change of [
      () =>
        writeTinyModel(moved, { ...words, rows: words.rows.map((row) => row.map((value) => value + 1)) }, "embedding"),
      () => writeTinyModel(moved, { ...words, maxTokens: 5 }, "embedding"),
      () => writeFileSync(join(moved, "sentence_bert_config.json"), '{ "max_seq_length": 3 }'),
    ]) {
      const before = (await openLocalEmbeddingModel(`local:${moved}`, options)).fingerprint;
      change();
      expect((await openLocalEmbeddingModel(`local:${moved}`, options)).fingerprint).not.toBe(before);
    }
  });

  it("pools as its own configuration says", async () => {
    const folder = join(root, "pooled");
    await cp(shelf, folder, { recursive: true });
    const first = async () => {
      const local = await openLocalEmbeddingModel(`local:${folder}`, { packageFolder });
      return Array.from((await local.embed(["sea town"], { purpose: "query" })).embeddings[0] as Float32Array);
    };
    expect((await first())[1]).toBeGreaterThan(0);
    mkdirSync(join(folder, "1_Pooling"));
    writeFileSync(join(folder, "1_Pooling", "config.json"), '{ "pooling_mode_cls_token": true }');
    expect(await first()).toEqual([1, 0, 0]);
  });

  it.each([
    ["config.json", "there is no config.json in it"],
    [weights, "there is no onnx/model_quantized.onnx and no onnx/model.onnx in it"],
  ])("names %s where a folder lacks it", async (file, message) => {
    const folder = join(root, `lacking-${turn}`);
    await cp(shelf, folder, { recursive: true });
    rmSync(join(folder, file));
    await expect(openLocalEmbeddingModel(`local:${folder}`, { packageFolder })).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining(message) as string,
    });
  });
});

const bare = { hub: undefined, cacheFolder: undefined };

describe("the names of local models", () => {
  it("are the recommended ones, and their own", async () => {
    for (const name of ["local", "local/all-MiniLM-L6-v2"]) {
      const found = await openLocalEmbeddingModel(name, { packageFolder });
      expect([found.provider, found.model, found.dimensions]).toEqual(["local", "all-MiniLM-L6-v2", 384]);
    }
    expect((await openLocalReranker("local", { packageFolder })).name).toBe("local/ms-marco-MiniLM-L-6-v2");
    await expect(openLocalEmbeddingModel("local/MiniLM", { packageFolder })).rejects.toMatchObject({
      code: "not-found",
      hint: expect.stringContaining("local/all-MiniLM-L6-v2") as string,
    });
    await expect(openLocalReranker("local/all-MiniLM-L6-v2", { packageFolder })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  it("need the package, and say the command that installs it", async () => {
    const missing = {
      code: "dependency-missing",
      hint: "npm install --ignore-scripts @huggingface/transformers@^4.0.0",
    };
    const nowhere = { packageFolder: join(root, "nowhere") };
    await expect(openLocalEmbeddingModel("local", nowhere)).rejects.toMatchObject(missing);
    await expect(openLocalReranker("local", nowhere)).rejects.toMatchObject(missing);
    await expect(resolveEmbeddingModel("local")).rejects.toMatchObject(missing);
    await expect(resolveReranker("local/ms-marco-MiniLM-L-6-v2")).rejects.toMatchObject(missing);
    await expect(resolveReranker("local", { temperature: 1 } as object)).rejects.toThrow(/no option/u);
  });

  it("stand for files that are fixed to the byte", () => {
    for (const one of localModels) {
      expect(one.revision).toMatch(/^[0-9a-f]{40}$/u);
      expect(one.licence).toBe("Apache-2.0");
      expect(one.files.map(({ path }) => path)).toEqual([
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "onnx/model_quantized.onnx",
      ]);
      for (const { sha256, bytes } of one.files) {
        expect(sha256).toMatch(/^[0-9a-f]{64}$/u);
        expect(bytes).toBeGreaterThan(0);
      }
    }
  });
});
