import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import { hashParts } from "../../runtime/hash.ts";
import { defaultReplicas } from "../../stores/postgres/default-replicas.ts";
import { folderOf, showLocation } from "./location.ts";
import { nameLocalModel } from "../../models/local-models.ts";

/** Models that made the vectors of a knowledge base, under the names that the user gave. The store knows only provider and model, without an address. */
export interface RememberedModels {
  readonly embeddingModel?: string;
  /** Former models, as long as a scope may search by their vectors. */
  readonly formerEmbeddingModels: readonly string[];
}

/** Checks the forms of names of models. **Errors** `invalid-argument`. **Cost** the list of providers is loaded, where there is a name. */
export async function checkModelNames(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const { checkModelName } = await import("../../models/hosted/model-name.ts");
  for (const name of names) checkModelName(name);
}

export const nothingRemembered: RememberedModels = { formerEmbeddingModels: [] };

/** The file beside the database, or this machine's own for a database that has no folder. It holds names only, never a key. */
export function fileOfModels(location: string): string {
  const folder = folderOf(location);
  if (folder !== undefined) return join(location, "models.json");
  return join(defaultReplicas(), `${hashParts("models", showLocation(location)).slice(0, 32)}.models.json`);
}

/** **Shape** empty if nothing is remembered. **Errors** `store-corrupt` for an invalid file. */
export async function readRememberedModels(folder: string): Promise<RememberedModels> {
  let text: string;
  try {
    text = await readFile(fileOfModels(folder), "utf8");
  } catch {
    return nothingRemembered;
  }
  try {
    const { embeddingModel, formerEmbeddingModels = [] } = JSON.parse(text) as Partial<RememberedModels>;
    const names = [...(embeddingModel === undefined ? [] : [embeddingModel]), ...formerEmbeddingModels];
    if (names.every((name) => typeof name === "string"))
      return { ...(embeddingModel === undefined ? {} : { embeddingModel }), formerEmbeddingModels };
  } catch {
    // Refused below.
  }
  throw new IbidError("store-corrupt", `${fileOfModels(folder)} is not a valid list of models.`, {
    uri: fileOfModels(folder),
    hint: "Delete the file, and name the model once more with --embedding-model.",
  });
}

/** The name that vectors carry: vectors of `ollama:m@http://box` belong to `ollama/m`, and those of `local:models/m` to `local/m`. */
export function versionName(name: string): string {
  const folder = /^local:(.+)$/su.exec(name)?.[1];
  if (folder !== undefined) return `local/${basename(resolve(folder))}`;
  return nameLocalModel(name, "embedding")
    .replace(/^([^/:]+)[/:]/u, "$1/")
    .replace(/@[a-z][a-z+.-]*:\/\/.*$/isu, "");
}

/** A name that means the same model from every folder and in later versions. **Shape** the recommended model's own for `local`; whole paths for folders. */
export function lastingName(name: string): string {
  const folder = /^local:(.+)$/su.exec(name)?.[1];
  return folder === undefined ? nameLocalModel(name, "embedding") : `local:${resolve(folder)}`;
}

/**
 * Finds the name under which a folder records a model, for messages: an address without user, password and query.
 *
 * **Shape** `undefined` without a record, and for a record that cannot be read: a message needs the name, no search does.
 */
export async function findRecordedName(folder: string, model: string): Promise<string | undefined> {
  const { embeddingModel, formerEmbeddingModels } = await readRememberedModels(folder).catch(() => nothingRemembered);
  return [embeddingModel, ...formerEmbeddingModels]
    .find((name) => name !== undefined && versionName(name) === model)
    ?.replace(/(@[a-z][a-z+.-]*:\/\/)(?:[^/]*@)?([^?#]*).*$/isu, "$1$2");
}
