import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { IbidError } from "../contracts/errors.ts";

/** Models that made the vectors of a knowledge base, under the names that the user gave. The store knows only provider and model, without an address. */
export interface RememberedModels {
  readonly embeddingModel?: string;
  /** Former models, as long as a scope may search by their vectors. */
  readonly formerEmbeddingModels: readonly string[];
}

const nothing: RememberedModels = { formerEmbeddingModels: [] };

/** The file beside the database. It holds names only, never a key. */
const fileOf = (folder: string): string => join(folder, "models.json");

/** **Shape** empty if nothing is remembered. **Errors** `store-corrupt` for an invalid file. */
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
    // Refused below.
  }
  throw new IbidError("store-corrupt", `${fileOf(folder)} is not a valid list of models.`, {
    uri: fileOf(folder),
    hint: "Delete the file, and name the model once more with --embedding-model.",
  });
}

/** Writes changed names. A folder that is read-only fails at the next write of the store. */
export async function rememberModels(folder: string, models: RememberedModels): Promise<void> {
  const before = await readRememberedModels(folder).catch(() => nothing);
  if (JSON.stringify(before) === JSON.stringify(models)) return;
  await writeFile(fileOf(folder), `${JSON.stringify(models, undefined, 2)}\n`);
}

/**
 * Chooses the models of a command: those of the options, else the remembered ones.
 *
 * **Shape** a new model turns the one before into a former one; `none` is the store's own.
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

/** The name that vectors carry: vectors of `ollama:m@http://box` belong to `ollama/m`. */
export function versionName(name: string): string {
  return name.replace(/^([^/:]+)[/:]/u, "$1/").replace(/@[a-z][a-z+.-]*:\/\/.*$/isu, "");
}
