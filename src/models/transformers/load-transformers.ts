import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { IbidError } from "../../contracts/errors.ts";

/** Numbers in a shape, as far as we use one. */
export interface NativeTensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number | bigint>;
}

/** Output of a tokenizer, and input of a model. */
export type NativeInputs = Readonly<Record<string, NativeTensor>>;

/** A text, or the two of a pair, as tokens; cut where the model's length ends if that is wished. */
export type NativeTokenizer = (
  texts: readonly string[],
  options: { readonly text_pair?: readonly string[]; readonly padding: boolean; readonly truncation: boolean },
) => NativeInputs;

/** A model that is loaded. */
export type NativeModel = (inputs: NativeInputs) => Promise<Readonly<Record<string, NativeTensor | undefined>>>;

/** Load options of the package's classes, under the package's names. */
export interface NativeSettings {
  readonly local_files_only: boolean;
  readonly dtype: string;
  readonly device?: string;
  readonly cache_dir?: string;
  readonly revision?: string;
}

interface Pretrained<Value> {
  from_pretrained(name: string, settings: NativeSettings): Promise<Value>;
}

/** The part of the package `@huggingface/transformers` (4.0 or later) that is used here. */
export interface TransformersLibrary {
  /** Where it keeps what it downloads, and where it looks for models that were put there. */
  readonly env: { readonly cacheDir?: string | null; readonly localModelPath?: string | null };
  readonly AutoTokenizer: Pretrained<NativeTokenizer & { readonly model_max_length?: number }>;
  readonly AutoModel: Pretrained<NativeModel>;
  readonly AutoModelForSequenceClassification: Pretrained<NativeModel>;
}

/**
 * How a model is loaded into this process.
 *
 * @experimental
 */
export interface TransformersOptions {
  /** Whether the model may be fetched from the Hugging Face Hub where it is not on this machine. Default false: nothing is downloaded unless you say so. */
  readonly allowDownload?: boolean;
  /** Where downloads are kept. Default: the package's own cache. */
  readonly cacheFolder?: string;
  /** The numbers that it calculates with, each a file of its own: `fp32` (default), `fp16`, `q8`, `q4`, … */
  readonly dtype?: string;
  /** Where it calculates: `cpu` (default), `webgpu`, `cuda`, … as the package has them. */
  readonly device?: string;
  /** A branch, tag or commit at the Hub. Default `main`. */
  readonly revision?: string;
  /** Gives the package. Default: loaded from where ibid is installed, then from the current folder's project. */
  readonly load?: () => Promise<TransformersLibrary>;
}

/** The options' names, for those who hand them on. */
export const transformersOptionNames = {
  allowDownload: true,
  cacheFolder: true,
  dtype: true,
  device: true,
  revision: true,
  load: true,
} as const;

/** A tokenizer with its model. */
export interface LoadedModel {
  readonly tokenizer: NativeTokenizer;
  readonly model: NativeModel;
  /** Longest input. **Units** tokens. */
  readonly maxTokens: number;
}

/**
 * Loads a model into this process, once: later calls get the same one. A failed load is tried again by the next call.
 *
 * Without permission to download, the package gets a folder and never an id. With an id it asks the Hub about the tokenizer even when local files only are allowed.
 *
 * **Shape** `name` is an id at the Hub, or a folder; a folder is never looked for at the Hub.
 * **Errors** `dependency-missing` without the package; `configuration-missing` for a model that is not on this machine and may not be downloaded;
 * `model-failed` around any other failure to load.
 */
export function createLoading(
  name: string,
  kind: "AutoModel" | "AutoModelForSequenceClassification",
  options: TransformersOptions,
): () => Promise<LoadedModel> {
  const { allowDownload = false, cacheFolder, dtype = "fp32", device, revision, load = loadTransformers } = options;
  let loading: Promise<LoadedModel> | undefined;
  const start = async (): Promise<LoadedModel> => {
    const library = await load();
    const folder = isPath(name) ? checkFolder(name, resolve(name)) : findCached(name, library, options);
    if (folder === undefined && !allowDownload) throw notHere(name);
    const settings: NativeSettings = {
      local_files_only: folder !== undefined,
      dtype,
      ...(device === undefined ? {} : { device }),
      ...(cacheFolder === undefined ? {} : { cache_dir: resolve(cacheFolder) }),
      ...(revision === undefined ? {} : { revision }),
    };
    try {
      const place = folder ?? name;
      const tokenizer = await library.AutoTokenizer.from_pretrained(place, settings);
      const model = await library[kind].from_pretrained(place, settings);
      return { tokenizer, model, maxTokens: tokenizer.model_max_length ?? Number.POSITIVE_INFINITY };
    } catch (cause) {
      throw cannotLoad(name, "", cause);
    }
  };
  return () => {
    loading ??= start().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** A path says that it is one. Ids at the Hub have one slash at most, and nothing before it but a name. */
function isPath(name: string): boolean {
  return /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/iu.test(name) || name.split("/").length > 2;
}

const neededFiles = ["config.json", "tokenizer.json", "tokenizer_config.json"];

function checkFolder(name: string, folder: string): string {
  const missing = neededFiles.find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined) throw cannotLoad(name, `: there is no ${missing} in it`, undefined);
  return folder;
}

/** Folder of a model that was downloaded before. **Source** the package's `buildResourcePaths`. */
function findCached(name: string, { env }: TransformersLibrary, options: TransformersOptions): string | undefined {
  const { cacheFolder = env.cacheDir, revision = "main", allowDownload = false, dtype = "fp32" } = options;
  const places = [
    ...(cacheFolder == null ? [] : [join(resolve(cacheFolder), name, revision === "main" ? "" : revision)]),
    ...(env.localModelPath == null ? [] : [join(resolve(env.localModelPath), name)]),
  ];
  // Where it may download what is missing, only what is whole will do.
  const suffix = dtype === "fp32" ? "" : dtype === "q8" ? "_quantized" : `_${dtype}`;
  const model = join("onnx", `model${suffix}.onnx`);
  const needed = allowDownload ? [...neededFiles, model] : neededFiles;
  return places.find((place) => needed.every((file) => existsSync(join(place, file))));
}

function notHere(name: string): IbidError {
  return new IbidError(
    "configuration-missing",
    `The model ${name} is not on this machine, and nothing may be downloaded.`,
    {
      hint: "Allow the download with allowDownload: true (for a model by name, IBID_ALLOW_DOWNLOAD=1), or give the folder that holds the model.",
      details: { provider: "transformers", model: name },
    },
  );
}

function cannotLoad(name: string, why: string, cause: unknown): IbidError {
  return new IbidError("model-failed", `The model ${name} cannot be loaded${why}.`, {
    hint: "A model's folder holds config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx (or the file of its dtype).",
    details: { provider: "transformers", model: name },
    cause,
  });
}

/**
 * Loads the optional package `@huggingface/transformers`: as Node finds it from where ibid is installed, else from the project in `folder`.
 *
 * **Errors** `dependency-missing` when it is nowhere, or there and cannot be loaded.
 */
export async function loadTransformers(folder: string = process.cwd()): Promise<TransformersLibrary> {
  const path = [import.meta.url, join(folder, "package.json")].map(resolveFrom).find((found) => found !== undefined);
  if (path === undefined) throw missing("is not installed");
  try {
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Partial<TransformersLibrary> & {
      readonly default?: Partial<TransformersLibrary>;
    };
    const { env, AutoTokenizer, AutoModel, AutoModelForSequenceClassification } = { ...loaded.default, ...loaded };
    if (!env || !AutoTokenizer || !AutoModel || !AutoModelForSequenceClassification)
      throw new TypeError("It does not export the classes that load models.");
    return { env, AutoTokenizer, AutoModel, AutoModelForSequenceClassification };
  } catch (error) {
    throw missing("is installed but cannot be loaded", error);
  }
}

const packageName = "@huggingface/transformers";

function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve(packageName);
  } catch {
    return undefined;
  }
}

function missing(what: string, cause?: unknown): IbidError {
  return new IbidError(
    "dependency-missing",
    `The package ${packageName}, which runs models in this process, ${what}.`,
    {
      // Its runtime's install script downloads from elsewhere and fails where that is not allowed; processors need nothing of what it brings.
      hint: `ONNXRUNTIME_NODE_INSTALL=skip npm install ${packageName}@^4.0.0`,
      details: { package: packageName },
      cause,
    },
  );
}
