import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { IbidError } from "../contracts/errors.ts";

/** Which models made the vectors of a knowledge base, as a person named them: the store knows them by what they call themselves, which says no address. */
export interface RememberedModels {
  readonly embeddingModel?: string;
  /** Those before it, as long as some scope may be searched by their vectors. */
  readonly formerEmbeddingModels: readonly string[];
}

const nothing: RememberedModels = { formerEmbeddingModels: [] };

/** Beside the database. Names alone, never a key. */
const fileOf = (folder: string): string => join(folder, "models.json");

/** **Shape** nothing where nothing was remembered. **Errors** `store-corrupt` for a file that says something else. */
export async function readRememberedModels(folder: string): Promise<RememberedModels> {
  let text: string;
  try {
    text = await readFile(fileOf(folder), "utf8");
  } catch {
    return nothing;
  }
  try {
    const { embeddingModel, formerEmbeddingModels = [] } = JSON.parse(text) as Partial<RememberedModels>;
    const names = [...(embeddingModel === undefined ? [] : [embeddingModel]), ...formerEmbeddingModels];
    if (names.every((name) => typeof name === "string"))
      return { ...(embeddingModel === undefined ? {} : { embeddingModel }), formerEmbeddingModels };
  } catch {
    // Said below.
  }
  throw new IbidError("store-corrupt", `${fileOf(folder)} does not say which models were used.`, {
    uri: fileOf(folder),
    hint: "Delete the file, and name the model once more with --embedding-model.",
  });
}

/** Writes down what is new; a folder that cannot be written to is an error of whatever comes next. */
export async function rememberModels(folder: string, models: RememberedModels): Promise<void> {
  const before = await readRememberedModels(folder).catch(() => nothing);
  if (JSON.stringify(before) === JSON.stringify(models)) return;
  await writeFile(fileOf(folder), `${JSON.stringify(models, undefined, 2)}\n`);
}

/**
 * Which models a command opens the knowledge base with: those it names, else those that are remembered.
 *
 * **Shape** a model that takes another's place makes that a former one; `none` is the store's own.
 */
export function chooseModels(
  remembered: RememberedModels,
  named: {
    readonly embeddingModel?: string | undefined;
    readonly formerEmbeddingModel?: readonly string[] | undefined;
  },
): RememberedModels {
  const chosen = named.embeddingModel ?? remembered.embeddingModel;
  const before = [remembered.embeddingModel, ...remembered.formerEmbeddingModels].filter((name) => name !== undefined);
  const formerEmbeddingModels = (named.formerEmbeddingModel ?? before).filter(
    (name) => name !== chosen && name !== "none",
  );
  return chosen === undefined || chosen === "none"
    ? { formerEmbeddingModels: [] }
    : { embeddingModel: chosen, formerEmbeddingModels: [...new Set(formerEmbeddingModels)] };
}

/** A name as vectors are known by it: `ollama:m@http://box` made those of `ollama/m`. */
export function versionName(name: string): string {
  return name.replace(/^([^/:]+)[/:]/u, "$1/").replace(/@[a-z][a-z+.-]*:\/\/.*$/isu, "");
}
