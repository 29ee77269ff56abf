/**
 * Speed and memory of a local embedding model, and how far its vectors depend on their batch and on the runtime.
 *
 *     IBID_TRANSFORMERS=<folder> npx node bench/local-models.ts --data <folder> [--texts 500]
 *
 * The model is `<data>/models/all-minilm-l6-v2`, the texts are the first documents of `<data>/retrieval/vaswani`. Processor time counts every thread, so other
 * work on the machine changes it little. Each line is a process of its own.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Vector } from "../src/contracts/embedding.ts";
import { openLocalEmbeddingModel } from "../src/models/index.node.ts";
import { readItems } from "./beir.ts";

const { values } = parseArgs({
  options: { data: { type: "string" }, texts: { type: "string", default: "500" }, only: { type: "string" } },
});
const runtime = process.env["IBID_TRANSFORMERS"] ?? join(import.meta.dirname, "..", "compat", "transformers");
if (values.data === undefined) throw new Error("usage: npx node bench/local-models.ts --data <folder>");
const folder = join(values.data, "models", "all-minilm-l6-v2");
const texts = readItems(join(values.data, "retrieval", "vaswani", "corpus.jsonl"))
  .slice(0, Number(values.texts))
  .map(({ title = "", text }) => `${title}\n${text}`);

/** The parts of ONNX Runtime and transformers.js that the measurement calls itself. */
interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}
interface Runtime {
  readonly env: { readonly wasm: { numThreads: number } };
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: object,
    ): Promise<{ readonly inputNames: readonly string[]; run(feeds: object): Promise<Record<string, Tensor>> }>;
  };
  readonly Tensor: new (type: "int64", data: unknown, dims: readonly number[]) => object;
}
type Tokens = Readonly<Record<string, { readonly data: BigInt64Array; readonly dims: readonly number[] }>>;

const measurements: Readonly<Record<string, () => Promise<readonly Vector[]>>> = {
  async "ibid, in its thread"() {
    const model = await openLocalEmbeddingModel(`local:${folder}`, { packageFolder: runtime });
    const embed = async (some: readonly string[]) => (await model.embed(some, { purpose: "document" })).embeddings;
    await embed(texts.slice(0, 5));
    return (await timed(() => embed(texts))) as readonly Vector[];
  },
  "onnxruntime-node, one thread, one text": () => direct("onnxruntime-node", 1),
  "onnxruntime-web, one thread, one text": () => direct("onnxruntime-web", 1),
  "onnxruntime-node, one thread, batches of 64": () => direct("onnxruntime-node", 64),
};

if (values.only !== undefined) {
  const vectors = await measurements[values.only]!();
  // A pipe takes a large text in pieces: the process ends when it has them all.
  const text = JSON.stringify(vectors.map((vector) => Array.from(vector)));
  await new Promise((resolve) => process.stdout.write(text, resolve));
  process.exit(0);
}

const found = Object.keys(measurements).map((only) => {
  const args = [import.meta.filename, "--data", values.data!, "--texts", values.texts, "--only", only];
  const printed = execFileSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 30,
  });
  return [only, JSON.parse(printed) as readonly (readonly number[])[]] as const;
});
const alone = found.find(([name]) => name.includes("node, one thread, one text"))![1];
console.log("| cosine with onnxruntime-node, one text | least | median |\n|---|---|---|");
for (const [name, vectors] of found) {
  const cosines = vectors
    .map((vector, at) => vector.reduce((sum, value, i) => sum + value * alone[at]![i]!, 0))
    .toSorted((a, b) => a - b);
  console.log(`| ${name} | ${cosines[0]!.toFixed(4)} | ${cosines[cosines.length >> 1]!.toFixed(4)} |`);
}

async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.cpuUsage();
  const idle = performance.eventLoopUtilization();
  const started = performance.now();
  const result = await work();
  const ms = (performance.now() - started) / texts.length;
  const { user, system } = process.cpuUsage(before);
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  console.error(
    `${values.only}: ${ms.toFixed(1)} ms and ${((user + system) / 1000 / texts.length).toFixed(1)} ms of processor time a text, ${memory} MB, this thread busy for ${Math.round(100 * performance.eventLoopUtilization(idle).utilization)} %`,
  );
  return result;
}

/** The runtime without ibid around it. */
async function direct(name: "onnxruntime-node" | "onnxruntime-web", batch: number): Promise<readonly Vector[]> {
  const find = createRequire(join(runtime, "package.json"));
  const load = async <Module>(path: string): Promise<Module> => {
    const loaded = (await import(pathToFileURL(path).href)) as Module & { readonly default?: Module };
    return { ...loaded.default, ...loaded };
  };
  const { AutoTokenizer } = await load<{
    readonly AutoTokenizer: {
      from_pretrained(path: string, options: object): Promise<(some: readonly string[], options: object) => Tokens>;
    };
  }>(find.resolve("@huggingface/transformers"));
  const ort = await load<Runtime>(find.resolve(name));
  if (name === "onnxruntime-web") ort.env.wasm.numThreads = 1;
  const tokenize = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
  const session = await ort.InferenceSession.create(
    new Uint8Array(readFileSync(join(folder, "onnx", "model_quantized.onnx"))),
    { intraOpNumThreads: 1, executionProviders: [name === "onnxruntime-web" ? "wasm" : "cpu"] },
  );
  const run = async (some: readonly string[]): Promise<readonly Vector[]> => {
    const tokens = tokenize(some, { padding: true, truncation: true, max_length: 256 });
    const feeds = session.inputNames.map((input) => [
      input,
      new ort.Tensor("int64", tokens[input]!.data, tokens[input]!.dims),
    ]);
    const { last_hidden_state: states } = await session.run(Object.fromEntries(feeds) as object);
    const [, rows = 0, width = 0] = states!.dims;
    return some.map((_, at) => {
      const sum = new Float32Array(width);
      for (let row = 0; row < rows; row++) {
        if (tokens["attention_mask"]!.data[at * rows + row] === 0n) continue;
        for (let i = 0; i < width; i++) sum[i]! += states!.data[(at * rows + row) * width + i]!;
      }
      const length = Math.hypot(...sum);
      return sum.map((value) => value / length);
    });
  };
  await run(texts.slice(0, 5));
  return timed(async () => {
    const vectors: Vector[] = [];
    for (let at = 0; at < texts.length; at += batch) vectors.push(...(await run(texts.slice(at, at + batch))));
    return vectors;
  });
}
