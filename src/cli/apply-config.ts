import type { Command } from "commander";
import { loadConfig } from "./load-config.ts";
import type { Context } from "./open.ts";
import { neutralise } from "./text-layout.ts";

/** Flags that name a model, with the option of the configuration. Only a command with the flag uses the model. */
const modelFlags = [
  ["model", "chat"],
  ["judge", "judge"],
  ["embeddingModel", "embedding"],
  ["formerEmbeddingModel", "formerEmbeddings"],
  ["reranker", "reranker"],
] as const;

/** Loads the configuration of a command, and gives the command what its flags leave open. */
export async function applyConfig(program: Command, command: Command, context: Context): Promise<void> {
  const { kb, config } = program.opts<{ readonly kb: string; readonly config?: string }>();
  const isChosen = program.getOptionValueSource("kb") !== "default";
  const settings = await loadConfig({
    cwd: process.cwd(),
    env: process.env,
    ...(isChosen && { kb }),
    ...(config !== undefined && { config }),
  });
  for (const each of settings.passedOver) context.stderr.write(`ibid: passed over ${neutralise(each)}.\n`);
  program.setOptionValueWithSource("kb", settings.kb, isChosen ? "cli" : "config");
  program.setOptionValue("settings", settings);
  const { models, quality, access } = settings.values;
  const fill = (name: string, value: unknown): void => {
    const owner = [command, program].find(({ options }) => options.some((each) => each.attributeName() === name));
    if (value === undefined || value === null || owner === undefined) return;
    const source = owner.getOptionValueSource(name);
    if (source === undefined || source === "default") owner.setOptionValueWithSource(name, value, "config");
  };
  for (const [flag, name] of modelFlags) {
    const value = models?.[name];
    // The command line remembers models by name; a model of code is passed on as it is.
    const isNamed =
      typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
    if (isNamed || flag === "model" || flag === "judge") fill(flag, value);
  }
  fill("quality", quality);
  for (const [name, value] of Object.entries(access ?? {})) fill(name, value);
}
