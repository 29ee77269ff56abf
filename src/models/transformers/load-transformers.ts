import { join } from "node:path";
import { findPackage, loadModule } from "../../runtime/packages.ts";
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
  options: {
    readonly text_pair?: readonly string[];
    readonly padding: boolean;
    readonly truncation: boolean;
    readonly max_length?: number;
  },
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
 * Finds the optional package `@huggingface/transformers`: as Node finds it from where ibid is installed, else from the project in `folder`.
 *
 * **Shape** the path of its main module. **Errors** `dependency-missing`. **Cost** nothing is loaded.
 */
export function findTransformers(folder: string = process.cwd()): string {
  const found = findPackage(packageName, [import.meta.url, join(folder, "package.json")]);
  if (found === undefined) throw missing("is not installed");
  return found;
}

/** Loads the package that {@link findTransformers} found. **Errors** `dependency-missing` for one that cannot be loaded. */
export async function importTransformers(path: string): Promise<TransformersLibrary> {
  try {
    const loaded = loadModule(path) as Partial<TransformersLibrary> & {
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

function missing(what: string, cause?: unknown): IbidError {
  return new IbidError(
    "dependency-missing",
    `The package ${packageName}, which runs models in this process, ${what}.`,
    {
      // The install script of its runtime downloads parts for graphics cards from another server, and fails without it. A processor needs none of them.
      hint: `npm install --ignore-scripts ${packageName}@^4.0.0`,
      details: { package: packageName },
      cause,
    },
  );
}
