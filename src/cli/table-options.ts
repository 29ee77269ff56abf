import { type Command, InvalidArgumentError, Option } from "commander";
import { flagOf, readOptionText } from "../runtime/describe-options.ts";
import { acceptsOption, describeOption, type OptionRule, type OptionTable } from "../runtime/plan-options.ts";

/** Adds the options of a table to a command, except those in `own`, which the command adds itself. */
export function addTableOptions(command: Command, table: OptionTable, own: readonly string[] = []): Command {
  for (const [name, rule] of Object.entries(table)) {
    if (rule.kind.type === "group") addTableOptions(command, rule.kind.options, own);
    else if (rule.for.includes("cli") && !own.includes(name)) command.addOption(toOption(name, rule));
  }
  return command;
}

function toOption(name: string, rule: OptionRule): Option {
  const { doc, default: preset, otherwise, kind } = rule;
  const said =
    otherwise ??
    (preset === undefined || typeof preset === "boolean" ? undefined : JSON.stringify(preset).replaceAll('"', ""));
  const help = `${doc.replaceAll("`", "").replace(/\.$/u, "")}${said === undefined ? "" : ` (default: ${said})`}`;
  const option = new Option(flagOf(name, rule), help.charAt(0).toLowerCase() + help.slice(1));
  if (kind.type === "boolean") return option;
  if (kind.type === "choice") option.choices(Object.keys(kind.values));
  return option.argParser((text: string) => readTableOption(rule, text));
}

/** Reads one value. **Errors** commander's, for a value that the table refuses. */
export function readTableOption(rule: OptionRule, text: string): unknown {
  const value = readOptionText(rule, text);
  if (acceptsOption(rule, "cli", value)) return value;
  throw new InvalidArgumentError(
    `It must be ${rule.kind.type === "object" ? "a JSON object" : describeOption(rule, "cli")}.`,
  );
}

/** Options that a command hands on to the library. */
export type OptionsFor<Options> = { readonly [Name in keyof Options]?: Options[Name] };

/** The options of a table among those that a command was given. */
export function pickTableOptions<Options>(table: OptionTable, given: object): OptionsFor<Options> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => table[name]?.for.includes("cli") === true && value !== undefined),
  ) as OptionsFor<Options>;
}
