import type { Command } from "commander";
import { plainDoc, toJsonSchema } from "../runtime/describe-options.ts";
import { hideUsers, soundsSecret } from "../runtime/hide-secrets.ts";
import type { OptionRule, OptionTable } from "../runtime/plan-options.ts";
import type { JsonSchema } from "../contracts/schema.ts";
import { type PlacedOption, placedOptions, valueAt } from "./config-values.ts";
import { findPlaces } from "./find-config.ts";
import { folderOf, placeFrom, showLocation } from "../knowledge-base/open/location.ts";
import { examples, note } from "./help-text.ts";
import type { LoadedConfig } from "./load-config.ts";
import type { CommonOptions, Context } from "./open.ts";

interface PrintOptions extends CommonOptions {
  readonly variables?: true;
}

/** A folder as it was named; the address of a database without user and password. */
function shownPlace(kb: string): string {
  return folderOf(kb) === undefined ? showLocation(kb) : hideUsers(kb);
}

/** The configuration of the working folder, where the command reads another one or none. */
function findUnread(settings: LoadedConfig | undefined): string | undefined {
  const { file } = findPlaces(process.cwd());
  return file === undefined || file === settings?.file ? undefined : file;
}

/** Says which commands read another file than this one. */
function describeReach(unread: string | undefined): string {
  return unread === undefined
    ? "A command with another --kb reads the configuration that is found from there; the same --kb checks that one."
    : `${unread} is not read: --kb and IBID_KB look beside that knowledge base and above it, and --config names a file.`;
}

/** `ibid config check`: the file and the variables were read before, so that an unknown option or a wrong kind of value has ended the command. */
async function checkConfig({ output }: Context, { settings, kb }: CommonOptions): Promise<number> {
  const { file = null, ofVariables = {}, values = {} } = settings ?? {};
  // Code for servers and engines is loaded by this command alone.
  const { checkParts } = await import("./check-parts.ts");
  placeFrom(process.cwd(), kb);
  await checkParts(values, kb);
  const shown = shownPlace(kb);
  const unread = findUnread(settings);
  if (output.json) await output.object({ file, kb: shown, valid: true, ...(unread !== undefined && { unread }) });
  else {
    const variables = Object.keys(ofVariables).length === 0 ? "" : ", with IBID_* variables";
    await output.line(`${file ?? "No configuration file"}${variables}: valid. The knowledge base is ${shown}.`);
    await output.line(describeReach(unread));
  }
  return 0;
}

/** `ibid config print`: each setting with its value and its source. Secrets are hidden. */
async function printConfig({ output }: Context, { settings, kb, variables }: PrintOptions): Promise<number> {
  const { configOptions } = await import("../server/config-options.ts");
  const options = placedOptions(configOptions);
  if (variables === true) {
    const settable = options.filter(({ rule }) => isWritable(rule));
    if (output.json) await output.object(settable.map(({ variable, path }) => ({ variable, option: path.join(".") })));
    for (const { variable, rule } of settable) await output.line(`${variable}  ${plainDoc(rule)}`);
    return 0;
  }
  const rows = options.flatMap((option) => describeSetting(option, settings) ?? []);
  const shown = shownPlace(kb);
  const unread = findUnread(settings);
  const file = settings?.file ?? null;
  if (output.json) await output.object({ file, kb: shown, settings: rows, ...(unread !== undefined && { unread }) });
  else {
    await output.line(`file = ${file ?? "none"}`);
    await output.line(`kb = ${shown}`);
    for (const { option, value, source } of rows)
      await output.line(`${option} = ${JSON.stringify(value)}  (${source})`);
    if (unread !== undefined) await output.line(describeReach(unread));
  }
  return 0;
}

interface Setting {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}

function describeSetting({ path, rule, variable }: PlacedOption, settings?: LoadedConfig): Setting | undefined {
  const { ofVariables = {}, ofFile = {}, file = "" } = settings ?? {};
  const option = path.join(".");
  const set = valueAt(ofVariables, path);
  if (option === "kb") return undefined;
  if (set !== undefined) return { option, value: hideSecrets(set), source: variable };
  const written = valueAt(ofFile, path);
  if (written !== undefined) return { option, value: hideSecrets(written), source: file };
  return rule.default === undefined ? undefined : { option, value: rule.default, source: "default" };
}

/** Values of code are named by their kind alone. Addresses lose user, password and query, and fields that sound like secrets lose their values. */
function hideSecrets(value: unknown, name = ""): unknown {
  if (typeof value === "function") return "(a function)";
  if (soundsSecret(name) && name !== "keys") return "(hidden)";
  if (typeof value === "string") return hideUsers(value).replaceAll(/\?\S*/gu, "?(hidden)");
  if (Array.isArray(value)) return value.map((each) => hideSecrets(each, name));
  if (typeof value !== "object" || value === null) return value;
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  const entries = Object.entries(value);
  if (!isPlain || entries.some(([, each]) => typeof each === "function")) return "(an object)";
  return Object.fromEntries(entries.map(([key, each]) => [key, hideSecrets(each, key)]));
}

/** Options that JSON or a variable can set: no functions and objects of code. */
function isWritable({ kind }: OptionRule): boolean {
  return kind.type !== "value" || !/^(?:a function|an embedding cache|a meter .*|a logger .*)$/u.test(kind.expects);
}

/** The JSON Schema of `ibid.config.json`. */
export function schemaOfConfig(table: OptionTable): JsonSchema {
  const schemaOfGroup = (options: OptionTable): JsonSchema => ({
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(options)
        .filter(([, rule]) => isWritable(rule))
        .map(([name, rule]) => [
          name,
          rule.kind.type === "group"
            ? { ...schemaOfGroup(rule.kind.options), description: plainDoc(rule) }
            : toJsonSchema(rule, "library"),
        ]),
    ),
  });
  const { properties, ...rest } = schemaOfGroup(table) as { readonly properties: object };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of ibid",
    ...rest,
    properties: { $schema: { type: "string" }, ...properties },
  };
}

/** `ibid config` with its commands and its help. */
export function addConfigCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const config = program
    .command("config")
    .summary("check and print the configuration")
    .description("Work with ibid.config.ts, .js or .json, which is found upwards, and with the IBID_* variables.");
  config
    .command("check")
    .summary("check names and values; exit code 2 for a mistake in them")
    .description("Check the names and values of the configuration and of the IBID_* variables.")
    .addHelpText(
      "after",
      note(
        "The exit code is 0 for a valid configuration, 2 for an unknown name or a wrong value, and 1 for a file that cannot be read or run, or may not be run. No server is asked.",
      ),
    )
    .action(async function (this: Command) {
      done(await checkConfig(context, this.optsWithGlobals()));
    });
  config
    .command("print")
    .summary("print each setting with its source, without secrets")
    .description("Print each setting with its value and its source. Secrets are hidden.")
    .option("--variables", "list the IBID_* variables instead")
    .addHelpText("after", examples(["ibid config print", "ibid config print --variables"]))
    .action(async function (this: Command) {
      done(await printConfig(context, this.optsWithGlobals()));
    });
  config
    .command("schema")
    .summary("print the JSON Schema of ibid.config.json")
    .description("Print the JSON Schema of ibid.config.json.")
    .action(async function (this: Command) {
      const { configOptions } = await import("../server/config-options.ts");
      context.stdout.write(`${JSON.stringify(schemaOfConfig(configOptions), undefined, 2)}\n`);
      done(0);
    });
}
