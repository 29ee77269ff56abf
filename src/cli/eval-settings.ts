import { type Command, InvalidArgumentError, Option } from "commander";
import type { RetrieveOptions } from "../contracts/retriever.ts";
import { flagOf } from "../runtime/describe-options.ts";
import { searchOptions } from "../search/search-options.ts";
import type { EvalCommandOptions } from "./eval-report.ts";
import { addTableOptions, type OptionsFor, pickTableOptions, readTableOption } from "./table-options.ts";

const { fusion, weights, rerank, minScore, copies } = searchOptions;

/** Options of a search that an evaluation takes too. */
const measured = { fusion, weights, rerank, minScore, copies };

/** Settings of `--versus` that are no option of a search. */
const others: Readonly<Record<string, keyof EvalCommandOptions>> = {
  "embedding-model": "embeddingModel",
  reranker: "reranker",
  variant: "variant",
};

/** The options of a search, and `--versus`. */
export function addSettings(command: Command): Command {
  return addTableOptions(command, measured).addOption(
    new Option(
      "--versus <name=value>",
      `compare with a search that has this setting (${names().join(", ")}); repeatable`,
    )
      .argParser((text: string, before: readonly string[] | undefined) => {
        readSetting(text);
        return [...(before ?? []), text];
      })
      .conflicts(["against", "saveBaseline", "readRun"]),
  );
}

/** The options of a search among those that the command was given. */
export const settingsOf = (options: EvalCommandOptions): OptionsFor<RetrieveOptions> =>
  pickTableOptions<RetrieveOptions>(measured, options);

/** The other configuration of `--versus`: the same options with its settings. `undefined` without one. */
export function readVersus(options: EvalCommandOptions): EvalCommandOptions | undefined {
  const { versus, ...rest } = options;
  return versus === undefined ? undefined : Object.assign({}, rest, ...versus.map(readSetting));
}

/** The settings of a configuration in words; `""` for the defaults. */
export function describeSettings(options: EvalCommandOptions): string {
  const presets: Readonly<Record<string, unknown>> = { rerank: rerank.default, copies: copies.default };
  return Object.entries(settingsOf(options))
    .filter(([name, value]) => value !== presets[name])
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** **Errors** commander's, for a name or a value that is none. */
function readSetting(text: string): Partial<EvalCommandOptions> {
  const [, name = "", value = ""] = /^([^=\s]+)=(.+)$/u.exec(text) ?? [];
  if (name === "mode") {
    if (!/^(?:hybrid|dense|lexical)$/u.test(value)) throw new InvalidArgumentError("mode is hybrid, dense or lexical.");
    return { mode: value as "hybrid" | "dense" | "lexical" };
  }
  const other = others[name];
  if (other !== undefined && value.trim() !== "") return { [other]: value };
  const [key, rule] = Object.entries(measured).find(([own, one]) => nameOf(own, one) === name) ?? [];
  if (key === undefined || rule === undefined || value === "")
    throw new InvalidArgumentError(`It must be name=value, with one of these names: ${names().join(", ")}.`);
  const flag = new Option(flagOf(key, rule)).attributeName();
  if (rule.kind.type === "boolean") {
    if (value !== "true" && value !== "false") throw new InvalidArgumentError(`${name} is true or false.`);
    return { [flag]: value === "true" };
  }
  return { [flag]: readTableOption(rule, value) };
}

const names = (): readonly string[] => [
  "mode",
  ...Object.keys(others),
  ...Object.entries(measured).map(([key, rule]) => nameOf(key, rule)),
];

/** `min-score` for `--min-score <x>`, `rerank` for `--no-rerank`. */
function nameOf(key: string, rule: (typeof measured)[keyof typeof measured]): string {
  return new Option(flagOf(key, rule)).long!.replace(/^--(?:no-)?/u, "");
}
