import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { DownloadProgress } from "../../contracts/download-progress.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Reranker } from "../../contracts/retriever.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { purposesOf } from "../hosted/model-purposes.ts";
import { findLocalModel, type LocalModel } from "../local-models.ts";
import { checksum, downloadModel, findMissingFiles } from "./download-model.ts";
import { checkFolder, type ModelPlace } from "./find-place.ts";
import { findTransformers } from "./load-transformers.ts";
import { createRunnerOpening, type OpenRunner, type PackageOptions } from "./open-runner.ts";
import type { Pooling } from "./run-model.ts";
import { createEmbeddingModelOver, poolingOf, type Prefixes } from "./transformers-embedding-model.ts";
import { createRerankerOver } from "./transformers-reranker.ts";

/**
 * How a local model is found, and brought to this machine.
 *
 * @experimental
 */
export interface LocalModelOptions extends PackageOptions {
  /** Folder of downloads. Default: `IBID_MODELS`, else `ibid/models` in the user's folder for caches. */
  readonly cacheFolder?: string | undefined;
  /** Whether missing files are downloaded. Default true, unless `IBID_ALLOW_DOWNLOAD` is `0`. */
  readonly allowDownload?: boolean | undefined;
  /** Address of the Hub, or of a mirror in its shape. Default: `HF_ENDPOINT`, else `https://huggingface.co`. */
  readonly hub?: string | undefined;
  /** Receives the state of a download, some hundreds of times. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
  /** Longest wait for the next bytes of a download. **Units** milliseconds. Default 30 seconds. */
  readonly idleMs?: number | undefined;
  /** Variables of the environment. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

const optionNames = {
  cacheFolder: true,
  allowDownload: true,
  hub: true,
  onDownload: true,
  idleMs: true,
  env: true,
  packageFolder: true,
  load: true,
} as const;

/** Files of weights, with the precision of each, in the order in which they are chosen. */
const weights = [
  ["onnx/model_quantized.onnx", "q8"],
  ["onnx/model.onnx", "fp32"],
] as const;

/** Files of a model that is on this machine, and all that changes its results. */
interface ModelFolder {
  readonly name: string;
  readonly native: ModelPlace["native"];
  readonly maxTokens: number | undefined;
  readonly pooling: Pooling;
  readonly prefixes: Prefixes;
  readonly dimensions: number | undefined;
  /** Checksums of the files that make a result. */
  readonly content: readonly string[];
  readonly prepare: (signal: AbortSignal) => Promise<string>;
}

/**
 * Opens an embedding model that runs in a thread of this process.
 *
 * **Shape** `model` is `local` for the recommended one, `local/<name>` for one of `localModels`, or `local:<folder>` for a folder that holds a model. A model with
 * files of your own choice is given as such. The fingerprint covers the files, the runtime, the precision, the pooling, the longest input and the prefixes.
 * **Errors** `dependency-missing` without `@huggingface/transformers`; `not-found` for another name; `model-failed` for a folder that is not a model's. When
 * called, also `configuration-missing` where files are missing and may not be downloaded, errors of the download, `embedding-failed`, `aborted`.
 * **Cost** opening reads the files of a folder for their checksums. The first call downloads, checks and loads.
 *
 * @experimental
 */
export async function openLocalEmbeddingModel(
  model: string | LocalModel = "local",
  options: LocalModelOptions = {},
): Promise<EmbeddingModel> {
  const { open, folder } = await openLocal("openLocalEmbeddingModel", model, "embedding", options);
  const { name, prefixes, pooling, maxTokens, dimensions, content, native } = folder;
  return createEmbeddingModelOver(open, {
    provider: "local",
    model: name,
    prefixes,
    dimensions,
    fingerprint: hashParts(
      "onnxruntime-node",
      native.dtype,
      pooling,
      maxTokens === undefined ? "" : `${maxTokens} tokens`,
      prefixes.query ?? "",
      prefixes.document ?? "",
      ...content,
    ),
  });
}

/**
 * Opens a reranker that runs in a thread of this process.
 *
 * **Shape** as {@link openLocalEmbeddingModel}. Scores are from 0 to 1; 32 candidates are read beside the query, one after the other.
 * **Errors** as {@link openLocalEmbeddingModel}, with `model-failed` where that has `embedding-failed`.
 *
 * @experimental
 */
export async function openLocalReranker(
  model: string | LocalModel = "local",
  options: LocalModelOptions = {},
): Promise<Reranker> {
  const { open, folder } = await openLocal("openLocalReranker", model, "reranker", options);
  return createRerankerOver(open, `local/${folder.name}`);
}

async function openLocal(
  caller: string,
  wanted: string | LocalModel,
  kind: LocalModel["kind"],
  options: LocalModelOptions,
): Promise<{ readonly open: OpenRunner; readonly folder: ModelFolder }> {
  checkOptions(caller, options, optionNames);
  const { load, packageFolder } = options;
  // A package that is missing is said before anything is read or downloaded.
  if (load === undefined) findTransformers(packageFolder);
  const path = typeof wanted === "string" ? /^local:(.+)$/su.exec(wanted)?.[1] : undefined;
  const pinned = (): ModelFolder =>
    describePinned(typeof wanted === "string" ? findLocalModel(wanted, kind) : wanted, options);
  const folder = path === undefined ? pinned() : await readFolder(path);
  const { name: model, maxTokens, pooling, native } = folder;
  const runs = kind === "embedding" ? "AutoModel" : "AutoModelForSequenceClassification";
  const settings = { provider: "local", model, kind: runs, maxTokens, pooling } as const;
  const open = createRunnerOpening(settings, { load, packageFolder }, async (signal) => ({
    place: await folder.prepare(signal),
    native,
  }));
  return { open, folder };
}

/** A model whose files are known before they are there. */
function describePinned(model: LocalModel, options: LocalModelOptions): ModelFolder {
  const { env = process.env } = options;
  const { cacheFolder = env["IBID_MODELS"] ?? defaultCacheFolder(env) } = options;
  const { allowDownload = env["IBID_ALLOW_DOWNLOAD"] !== "0", hub = env["HF_ENDPOINT"] ?? "https://huggingface.co" } =
    options;
  const folder = join(resolve(cacheFolder), model.repository, model.revision);
  return {
    name: model.name,
    native: {
      local_files_only: true,
      dtype: weights.find(([path]) => model.files.some((file) => file.path === path))?.[1] ?? "fp32",
    },
    maxTokens: model.maxTokens,
    pooling: model.pooling ?? "mean",
    prefixes: model.prefixes ?? {},
    dimensions: model.dimensions,
    content: contentOf(model.files),
    async prepare(signal) {
      const missing = await findMissingFiles(model, folder);
      if (missing.length === 0) return folder;
      if (!allowDownload) throw notHere(model, folder, hub);
      const { onDownload: onProgress, idleMs } = options;
      await downloadModel(model, missing, { folder, hub, signal, onProgress, idleMs });
      return folder;
    },
  };
}

const contentOf = (files: LocalModel["files"]): readonly string[] =>
  files.filter(({ path }) => path !== "config.json" && path !== "tokenizer_config.json").map(({ sha256 }) => sha256);

/** **Source** the XDG Base Directory Specification; Apple, File System Programming Guide; Microsoft, Known Folders. */
function defaultCacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const caches =
    process.platform === "win32"
      ? (env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"))
      : process.platform === "darwin"
        ? join(homedir(), "Library", "Caches")
        : (env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"));
  return join(caches, "ibid", "models");
}

function notHere({ name, repository, revision, files }: LocalModel, folder: string, hub: string): IbidError {
  return new IbidError(
    "configuration-missing",
    `The model ${name} is not on this machine, and IBID_ALLOW_DOWNLOAD=0 or allowDownload: false forbids its download.`,
    {
      hint: `Put ${files.map(({ path }) => path).join(", ")} of ${hub}/${repository} at revision ${revision} into ${folder}.`,
      details: { provider: "local", model: name },
    },
  );
}

/**
 * Reads the settings of a folder with a model of one's own.
 *
 * **Shape** `onnx/model_quantized.onnx` comes before `onnx/model.onnx`. The longest input is the least of the limits that `config.json`,
 * `tokenizer_config.json` and `sentence_bert_config.json` name. The pooling is that of `1_Pooling/config.json`, else that of the model's family by its name.
 */
async function readFolder(path: string): Promise<ModelFolder> {
  const folder = checkFolder(path, resolve(path));
  const name = basename(folder);
  const [file, dtype] = weights.find(([one]) => existsSync(join(folder, one))) ?? [undefined, "fp32"];
  if (file === undefined) {
    throw new IbidError(
      "model-failed",
      `The model ${path} cannot be loaded: there is no ${weights[0][0]} and no ${weights[1][0]} in it.`,
      {
        hint: "Convert the model to ONNX, for instance with the package optimum, and put the file there.",
        details: { provider: "local", model: name },
      },
    );
  }
  const read = async (part: string): Promise<Readonly<Record<string, unknown>>> =>
    existsSync(join(folder, part))
      ? (JSON.parse(await readFile(join(folder, part), "utf8")) as Record<string, unknown>)
      : {};
  const [config, tokenizer, sentences, pools] = await Promise.all(
    ["config.json", "tokenizer_config.json", "sentence_bert_config.json", "1_Pooling/config.json"].map(read),
  );
  const limits = [config?.["max_position_embeddings"], tokenizer?.["model_max_length"], sentences?.["max_seq_length"]];
  // Tokenizers without a limit state 1e30.
  const known = limits.filter((limit): limit is number => Number.isSafeInteger(limit) && (limit as number) > 0);
  const pooling =
    pools?.["pooling_mode_cls_token"] === true
      ? "cls"
      : pools?.["pooling_mode_lasttoken"] === true
        ? "last"
        : pools?.["pooling_mode_mean_tokens"] === true
          ? "mean"
          : poolingOf(name);
  return {
    name,
    native: { local_files_only: true, dtype },
    maxTokens: known.length === 0 ? undefined : Math.min(...known),
    pooling,
    prefixes: purposesOf("transformers", name).prefixes,
    dimensions: undefined,
    content: await Promise.all(["tokenizer.json", file].map((one) => checksum(join(folder, one)))),
    prepare: async () => folder,
  };
}
