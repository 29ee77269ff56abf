import { IbidError } from "../contracts/errors.ts";
import { readOptionText } from "../runtime/describe-options.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import {
  acceptsOption,
  checkOption,
  describeOption,
  type OptionRule,
  type OptionTable,
} from "../runtime/plan-options.ts";

/** Values of a configuration, in groups. */
export type ConfigValues = { readonly [name: string]: unknown };

/** Variables that ibid reads elsewhere. */
const otherVariables = new Set([
  "IBID_MODELS",
  "IBID_ALLOW_DOWNLOAD",
  "IBID_DEBUG",
  "IBID_DOCS_URL",
  "IBID_PASSWORD",
  "IBID_CONFIG",
]);

/** An option of a table with its groups. */
export interface PlacedOption {
  /** `["serve", "limits", "concurrent"]`. */
  readonly path: readonly string[];
  readonly rule: OptionRule;
  /** `IBID_SERVE_LIMITS_CONCURRENT`. */
  readonly variable: string;
}

/** Every option of a table that is no group. */
export function placedOptions(table: OptionTable, prefix: readonly string[] = []): readonly PlacedOption[] {
  return Object.entries(table).flatMap(([name, rule]) => {
    const path = [...prefix, name];
    if (rule.kind.type === "group") return placedOptions(rule.kind.options, path);
    const words = path.map((part) => part.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase());
    return [{ path, rule, variable: `IBID_${words.join("_")}` }];
  });
}

/**
 * Reads the `IBID_*` variables of a table.
 *
 * **Errors** `invalid-argument` for a value that the option refuses, and for a name that comes close to a known one.
 */
export function readVariables(table: OptionTable, env: NodeJS.ProcessEnv): ConfigValues {
  const options = new Map(placedOptions(table).map((option) => [option.variable, option]));
  const groups = Object.entries(table).flatMap(([name, { kind }]) =>
    kind.type === "group" ? [`IBID_${name.toUpperCase()}_`] : [],
  );
  let values: ConfigValues = {};
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith("IBID_") || text === undefined || otherVariables.has(variable)) continue;
    const option = options.get(variable);
    const near = [...options.keys()].find((known) => isWithinEdits(known, variable, 2));
    if (option === undefined && near === undefined && !groups.some((group) => variable.startsWith(group))) continue;
    if (option === undefined) {
      throw new IbidError("invalid-argument", `The variable ${variable} is unknown.`, {
        hint: `${near === undefined ? "" : `Did you mean ${near}? `}ibid config print --variables lists them.`,
      });
    }
    values = setAt(values, option.path, readText(option, text));
  }
  return values;
}

function readText({ rule, variable }: PlacedOption, text: string): unknown {
  const json = parseJson(text);
  const texts = [readOptionText(rule, text), json, text, text.split(",").map((part) => part.trim())];
  // An option of any kind may take texts: JSON of an object is meant as one.
  const readings = typeof json === "object" && json !== null ? [json, ...texts] : texts;
  const value = readings.find((reading) => reading !== undefined && acceptsOption(rule, "library", reading));
  if (value !== undefined) return value;
  const expected = describeOption(rule, "library");
  throw new IbidError("invalid-argument", `The variable ${variable} must be ${expected}.`, {
    hint: `Give ${expected}, or leave it out.`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const whole = "the configuration";

/** **Errors** `invalid-argument` for unknown names and wrong values, with the name of the file. */
export function checkValues(file: string, table: OptionTable, values: unknown): asserts values is ConfigValues {
  try {
    checkOption(whole, { doc: "", kind: { type: "group", options: table }, for: ["library"] }, values);
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    const { code, message, hint, details } = error;
    // The checks name a value by its way through the groups.
    const inFile = (text: string): string => text.replaceAll(`${whole}.`, "");
    throw new IbidError(code, `${file}: ${inFile(message)}`, {
      hint: hint === undefined ? undefined : inFile(hint),
      details,
      uri: file,
      cause: error,
    });
  }
}

/** Values of two sources, group by group. A value of the second source wins. */
export function mergeValues(table: OptionTable, first: ConfigValues, second: ConfigValues): ConfigValues {
  const merged: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    if (value === undefined) continue;
    const kind = table[name]?.kind;
    const before = first[name];
    merged[name] =
      kind?.type === "group" && before !== undefined
        ? mergeValues(kind.options, before as ConfigValues, value as ConfigValues)
        : value;
  }
  return merged;
}

/** The same values with one more. */
export function setAt(values: ConfigValues, [first = "", ...rest]: readonly string[], value: unknown): ConfigValues {
  const inner = (values[first] ?? {}) as ConfigValues;
  return { ...values, [first]: rest.length === 0 ? value : setAt(inner, rest, value) };
}

/** The value at a path. */
export function valueAt(values: ConfigValues, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as ConfigValues | undefined)?.[name], values);
}
