import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  fileOfModels,
  lastingName,
  nothingRemembered,
  readRememberedModels,
  type RememberedModels,
} from "../knowledge-base/open/remembered-models.ts";

/** Writes changed names. A folder that is read-only fails at the next write of the store. */
export async function rememberModels(folder: string, models: RememberedModels): Promise<void> {
  const before = await readRememberedModels(folder).catch(() => nothingRemembered);
  if (JSON.stringify(before) === JSON.stringify(models)) return;
  const file = fileOfModels(folder);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(models, undefined, 2)}\n`);
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
  const chosen = named.embeddingModel === undefined ? remembered.embeddingModel : lastingName(named.embeddingModel);
  if (chosen === undefined || chosen === "none") return { formerEmbeddingModels: named.formerEmbeddingModel ?? [] };
  const before = [remembered.embeddingModel, ...remembered.formerEmbeddingModels].filter((name) => name !== undefined);
  const formerEmbeddingModels = (named.formerEmbeddingModel?.map(lastingName) ?? before).filter(
    (name) => name !== chosen && name !== "none",
  );
  return { embeddingModel: chosen, formerEmbeddingModels: [...new Set(formerEmbeddingModels)] };
}
