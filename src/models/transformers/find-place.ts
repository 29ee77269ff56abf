import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import type { NativeSettings, TransformersLibrary } from "./load-transformers.ts";

/** Options that decide which files of a model are loaded. */
export interface PlaceOptions {
  /** Whether the model may be fetched from the Hugging Face Hub where it is not on this machine. Default false: nothing is downloaded unless you say so. */
  readonly allowDownload?: boolean | undefined;
  /** Folder of downloads. Default: the package's own cache. */
  readonly cacheFolder?: string | undefined;
  /** Precision of its numbers, each a file of its own: `fp32` (default), `fp16`, `q8`, `q4`, … */
  readonly dtype?: string | undefined;
  /** Device that calculates: `cpu` (default), `webgpu`, `cuda`, … as the package has them. */
  readonly device?: string | undefined;
  /** A branch, tag or commit at the Hub. Default `main`. */
  readonly revision?: string | undefined;
}

/** A folder that holds a model, or its id at the Hub, with the load options of the package. */
export interface ModelPlace {
  readonly place: string;
  readonly native: NativeSettings;
}

/**
 * Finds the folder of a model, or the id that the package may download.
 *
 * Without permission to download, the package gets a folder and never an id. With an id it asks the Hub about the tokenizer even when local files only are allowed.
 *
 * **Shape** `name` is an id at the Hub, or a folder; a folder is never looked for at the Hub.
 * **Errors** `configuration-missing` for a model that is not on this machine and may not be downloaded; `model-failed` for a folder that is not a model's.
 */
export function findPlace(name: string, { env }: TransformersLibrary, options: PlaceOptions): ModelPlace {
  const { allowDownload = false, cacheFolder, dtype = "fp32", device, revision } = options;
  const folder = isPath(name) ? checkFolder(name, resolve(name)) : findCached(name, env, options);
  if (folder === undefined && !allowDownload) throw notHere(name);
  const native: NativeSettings = {
    local_files_only: folder !== undefined,
    dtype,
    ...(device === undefined ? {} : { device }),
    ...(cacheFolder === undefined ? {} : { cache_dir: resolve(cacheFolder) }),
    ...(revision === undefined ? {} : { revision }),
  };
  return { place: folder ?? name, native };
}

/** A path says that it is one. Ids at the Hub have one slash at most, and nothing before it but a name. */
function isPath(name: string): boolean {
  return /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/iu.test(name) || name.split("/").length > 2;
}

const neededFiles = ["config.json", "tokenizer.json", "tokenizer_config.json"];

/** Checks a folder of a model. **Errors** `model-failed`, with the first file that is missing. */
export function checkFolder(name: string, folder: string): string {
  const missing = neededFiles.find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined)
    throw cannotLoad({ provider: "transformers", model: name }, `: there is no ${missing} in it`, undefined);
  return folder;
}

/** Folder of a model that was downloaded before. **Source** the package's `buildResourcePaths`. */
function findCached(name: string, env: TransformersLibrary["env"], options: PlaceOptions): string | undefined {
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

/** Error for a model that does not load; `why` continues the sentence. */
export function cannotLoad(
  { provider, model }: { readonly provider: string; readonly model: string },
  why: string,
  cause: unknown,
): IbidError {
  return new IbidError("model-failed", `The model ${model} cannot be loaded${why}.`, {
    hint: "A model's folder holds config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx (or the file of its dtype).",
    details: { provider, model },
    cause,
  });
}
