import type { JsonValue } from "../contracts/metadata.ts";
import type { JsonSchema } from "../contracts/schema.ts";
import {
  type Audience,
  defaultFor,
  kindFor,
  type OptionKind,
  type OptionRule,
  type OptionTable,
} from "./plan-options.ts";

/** An option's text where nothing shows Markdown: a link is its words, and a reference to a page is left out. */
export function plainDoc({ doc }: Pick<OptionRule, "doc">): string {
  return doc
    .replaceAll(/; see \[[^\]]*\]\([^)]*\)/gu, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll("`", "");
}

/** The JSON schema of an option, as one surface takes it. */
export function toJsonSchema(rule: OptionRule, audience: Audience): JsonSchema {
  const most = rule.bounds?.[audience]?.max;
  const preset = defaultFor(rule, audience);
  return {
    ...schemaOf(kindFor(rule, audience)),
    ...(rule.kind.type === "list" && most !== undefined && { maxItems: most }),
    description: plainDoc(rule),
    ...(preset !== undefined && { default: preset as JsonValue }),
  };
}

function schemaOf(kind: OptionKind): JsonSchema {
  switch (kind.type) {
    case "integer": {
      const { min, max, also = [] } = kind;
      const range = { type: "integer", minimum: min, ...(max !== undefined && { maximum: max }) };
      return also.length === 0 ? range : { anyOf: [range, ...also.map((value) => ({ const: value }))] };
    }
    case "number":
      return {
        type: "number",
        ...(kind.min !== undefined && { minimum: kind.min }),
        ...(kind.max !== undefined && { maximum: kind.max }),
      };
    case "choice":
      return { type: "string", enum: Object.keys(kind.values) };
    case "list":
      return { type: "array", items: schemaOf(kind.of) };
    case "string":
      return { type: "string", minLength: 1 };
    case "object":
      return { type: "object", additionalProperties: true };
    case "boolean":
      return { type: "boolean" };
    case "value":
    case "group":
      return {};
  }
}

/** The flag of an option, such as `--top-k <n>` or `--no-sweep`. */
export function flagOf(name: string, rule: OptionRule): string {
  const { flag, kind } = rule;
  if (flag !== undefined) return flag;
  const kebab = toKebab(name);
  if (kind.type === "boolean") return defaultFor(rule, "cli") === true ? `--no-${kebab}` : `--${kebab}`;
  return `--${kebab} <${kebab.split("-").at(-1)}>`;
}

const toKebab = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);

/** Reads a value of the command line. **Shape** text that is no value of the kind comes back unchanged, for the check to refuse. */
export function readOptionText({ kind, spelling }: OptionRule, text: string): unknown {
  if (spelling?.read !== undefined) return spelling.read(text) ?? text;
  switch (kind.type) {
    case "integer":
      return /^\d+$/u.test(text) ? Number(text) : text;
    case "number":
      return text.trim() === "" ? text : Number(text);
    case "list":
      return text.split(",").map((part) => part.trim());
    case "object":
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    default:
      return text;
  }
}

const durations: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a time such as `12h`. **Units** milliseconds. **Shape** `undefined` for other text. */
export function readDuration(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,6})([smhdw])$/u.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * durations[unit]!;
}

/** The table of a manual: option, default, flag of the command line, meaning. */
export function manualTable(table: OptionTable, prefix = ""): string {
  const rows = manualRows(table, prefix);
  return ["| option | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

function manualRows(table: OptionTable, prefix: string): readonly string[] {
  return Object.entries(table).flatMap(([name, rule]) => {
    const { kind, doc } = rule;
    if (kind.type === "group") return manualRows(kind.options, `${prefix}${name}.`);
    const values = kind.type === "choice" ? ` ${list(Object.keys(kind.values))}.` : "";
    return [`| \`${prefix}${name}\` | ${describeDefault(rule)} | ${escape(`${doc}${values}`)} |`];
  });
}

function describeDefault(rule: OptionRule): string {
  const say = (preset: unknown): string => (preset === undefined ? "none" : `\`${JSON.stringify(preset)}\``);
  const { otherwise = say(rule.default), defaults = {} } = rule;
  return escape("cli" in defaults ? `${otherwise}; ${say(defaults.cli)} on the command line` : otherwise);
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
const escape = (text: string): string => text.replaceAll("|", "\\|");
