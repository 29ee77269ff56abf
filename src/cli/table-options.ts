import { type Command, InvalidArgumentError, Option } from "commander";
import { flagOf, plainDoc, readOptionText } from "../runtime/describe-options.ts";
import {
  acceptsOption,
  defaultFor,
  describeOption,
  type OptionRule,
  type OptionTable,
  type Shorthand,
} from "../runtime/plan-options.ts";
import { readMetadata } from "./read-option.ts";

/** Adds the options of a table to a command, except those in `own`, which the command adds itself. */
export function addTableOptions(command: Command, table: OptionTable, own: readonly string[] = []): Command {
  for (const [name, rule] of Object.entries(table)) {
    if (rule.kind.type === "group") addTableOptions(command, rule.kind.options, own);
    else if (rule.for.includes("cli") && !own.includes(name))
      for (const option of toOptions(name, rule)) command.addOption(option);
  }
  return command;
}

/** The flag of an option and its shorthands; one of them may be given. */
function toOptions(name: string, rule: OptionRule): readonly Option[] {
  const options = [toOption(name, rule), ...(rule.spelling?.shorthands ?? []).map((each) => toShorthand(rule, each))];
  const names = options.map((option) => option.attributeName());
  for (const option of options) option.conflicts(names.filter((other) => other !== option.attributeName()));
  return options;
}

function toOption(name: string, rule: OptionRule): Option {
  const { otherwise, kind, spelling } = rule;
  const preset = defaultFor(rule, "cli");
  const said =
    otherwise?.replaceAll("`", "") ??
    (preset === undefined || typeof preset === "boolean" ? undefined : JSON.stringify(preset).replaceAll('"', ""));
  const expects = spelling?.expects === undefined || spelling.doc !== undefined ? "" : `: ${spelling.expects}`;
  const repeats = spelling?.each === "item" ? "; repeatable" : "";
  const help = `${toHelp(spelling?.doc ?? rule.doc)}${expects}${repeats}${said === undefined ? "" : ` (default: ${said})`}`;
  const option = new Option(flagOf(name, rule), help);
  if (spelling?.env !== undefined) option.env(spelling.env);
  if (kind.type === "boolean") return option;
  if (kind.type === "choice") option.choices(Object.keys(kind.values));
  if (spelling?.each === undefined) return option.argParser((text: string) => readTableOption(rule, text));
  return option.argParser((text: string, before: unknown) => {
    const texts = [...(Array.isArray(before) ? (before as readonly string[]) : []), text];
    checkTableOption(rule, spelling.each === "pair" ? readMetadata(texts) : texts);
    return texts;
  });
}

function toShorthand(rule: OptionRule, { flag, doc, value }: Shorthand): Option {
  const option = new Option(flag, toHelp(doc));
  if (!flag.includes("<")) return option;
  return option.argParser((text: string) => {
    if (text.trim() === "") throw new InvalidArgumentError("It must be a name that is not blank.");
    checkTableOption(rule, value(text));
    return text;
  });
}

const toHelp = (doc: string): string => {
  const help = plainDoc({ doc }).replace(/\.$/u, "");
  return help.charAt(0).toLowerCase() + help.slice(1);
};

/** Reads one value. **Errors** commander's, for a value that the table refuses. */
export function readTableOption(rule: OptionRule, text: string): unknown {
  const value = readOptionText(rule, text);
  checkTableOption(rule, value);
  return value;
}

function checkTableOption(rule: OptionRule, value: unknown): void {
  if (acceptsOption(rule, "cli", value)) return;
  const { expects = rule.kind.type === "object" ? "a JSON object" : describeOption(rule, "cli") } = rule.spelling ?? {};
  throw new InvalidArgumentError(`It must be ${expects}.`);
}

/** Options that a command hands on to the library. */
export type OptionsFor<Options> = { readonly [Name in keyof Options]?: Options[Name] };

/** The options of a table among those that a command was given, groups included. */
export function pickTableOptions<Options>(table: OptionTable, given: object): OptionsFor<Options> {
  const picked: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(table)) {
    const isGroup = rule.kind.type === "group";
    if (!isGroup && !rule.for.includes("cli")) continue;
    const value = isGroup ? pickGroup(rule.kind.options, given) : valueOf(name, rule, given);
    if (value !== undefined) picked[name] = value;
  }
  return picked as OptionsFor<Options>;
}

function pickGroup(table: OptionTable, given: object): object | undefined {
  const picked = pickTableOptions(table, given);
  return Object.keys(picked).length === 0 ? undefined : picked;
}

function valueOf(name: string, rule: OptionRule, given: object): unknown {
  const values = given as Readonly<Record<string, unknown>>;
  const of = (flag: string): unknown => values[new Option(flag).attributeName()];
  for (const { flag, value } of rule.spelling?.shorthands ?? []) {
    const text = of(flag);
    if (text !== undefined) return value(text as string);
  }
  const own = of(flagOf(name, rule));
  return rule.spelling?.each === "pair" && own !== undefined ? readMetadata(own as readonly string[]) : own;
}
