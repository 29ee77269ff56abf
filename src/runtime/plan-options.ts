import { IbidError } from "../contracts/errors.ts";
import { hideUsers, soundsSecret } from "./hide-secrets.ts";
import { checkKnown } from "./check-options.ts";

/** A surface on which options are set. `"http"`, `"cli"` and `"tool"` take values of JSON or of a command line only. */
export type Audience = "library" | "http" | "cli" | "tool";

/** Values that an option takes. All kinds but `"value"` and `"group"` can be written as JSON. */
export type OptionKind = JsonKind | ValueKind | GroupKind;

type JsonKind = IntegerKind | NumberKind | BooleanKind | StringKind | ChoiceKind | ListKind | ObjectKind;

/** A whole number. `also` holds values beyond the range. */
interface IntegerKind {
  readonly type: "integer";
  readonly min: number;
  readonly max?: number;
  readonly also?: readonly ("all" | 0)[];
}
interface NumberKind {
  readonly type: "number";
  readonly min?: number;
  readonly max?: number;
}
interface BooleanKind {
  readonly type: "boolean";
}
/** A string; without a `pattern`, one that is not blank. */
interface StringKind {
  readonly type: "string";
  readonly pattern?: RegExp;
  readonly check?: (text: string) => boolean;
  readonly expects?: string;
}
/** One of the names of a record, whose values do not count. TypeScript reports a forgotten name. */
interface ChoiceKind<Name extends string = string> {
  readonly type: "choice";
  readonly values: Readonly<Record<Name, unknown>>;
}
interface ListKind<Item = OptionKind> {
  readonly type: "list";
  readonly of: Item;
}
interface ObjectKind {
  readonly type: "object";
  readonly check?: (value: unknown) => boolean;
  readonly expects?: string;
}
/** A value of a program, such as a function. */
export interface ValueKind {
  readonly type: "value";
  readonly expects: string;
  readonly check: (value: unknown) => boolean;
}
/** An object of further options. */
interface GroupKind {
  readonly type: "group";
  readonly options: OptionTable;
}

/** The kinds that fit a type. */
type KindOf<Value> = [Value] extends [never]
  ? ValueKind
  : [Value] extends [boolean]
    ? BooleanKind
    : [Value] extends [number | "all"]
      ? IntegerKind | NumberKind
      : [Value] extends [string]
        ? StringKind | ChoiceKind<Value>
        : [Value] extends [readonly (infer Item)[]]
          ? ListKind<KindOf<Item>> | ValueKind
          : OptionKind;

/** Narrower bounds on one surface: of a number, or of the length of a list. */
export interface OptionBounds {
  readonly min?: number;
  readonly max?: number;
}

/** One option: its values, its default, its sentence in every manual, and the surfaces that take it. */
export interface OptionRule {
  readonly kind: OptionKind;
  /** One sentence in Markdown, for the manual, for command help and for schemas. */
  readonly doc: string;
  readonly default?: unknown;
  /** Defaults of surfaces that have another one. */
  readonly defaults?: Partial<Readonly<Record<Audience, unknown>>>;
  /** The default in words, where it is no constant. */
  readonly otherwise?: string;
  readonly for: readonly Audience[];
  readonly bounds?: Partial<Readonly<Record<Audience, OptionBounds>>>;
  /** Values beyond the kind that only the library takes. */
  readonly beyond?: { readonly expects: string; readonly check: (value: unknown) => boolean };
  /** Flag of the command line. Default: `--` and the name in kebab case, `--no-` and the name where its default there is true. */
  readonly flag?: string;
  readonly spelling?: Spelling;
}

/** How the command line writes an option, where its kind alone does not say it. */
export interface Spelling {
  /** Sentence of its help, where the flag takes less or other than the option. */
  readonly doc?: string;
  /** One flag for each item of a list, or for each `key=value` of an object. */
  readonly each?: "item" | "pair";
  /** Reads the text of the flag. **Shape** `undefined` for text that names no value. */
  readonly read?: (text: string) => unknown;
  /** Text that `read` takes, in words. */
  readonly expects?: string;
  /** Environment variable that is read where the flag is absent. */
  readonly env?: string;
  /** Further flags that set the option. */
  readonly shorthands?: readonly Shorthand[];
}

/** A flag that stands for a value of an option, or that writes one shorter. */
export interface Shorthand {
  readonly flag: string;
  readonly doc: string;
  /** Value of the option, from the argument of the flag where it has one. */
  readonly value: (text: string) => unknown;
}

/** Options by name. */
export type OptionTable = Readonly<Record<string, OptionRule>>;

/** Values that `beyond` takes. */
type Beyond = ((...args: never) => unknown) | null;

/** A table with one rule for each option of `Options` and no other, each of a kind that fits its type. */
export type RulesOf<Options> = {
  readonly [Name in keyof Required<Options>]: RuleOf<Exclude<Options[Name], undefined>>;
};

interface RuleOf<Value> extends OptionRule {
  readonly kind: KindOf<Exclude<Value, Beyond>>;
  readonly default?: Value;
}

/** Options with defaults filled in. */
export type PlanOf<Options, Table> = {
  readonly [Name in keyof Required<Options>]: Name extends keyof Table
    ? Table[Name] extends { readonly default: unknown }
      ? Exclude<Options[Name], undefined>
      : Options[Name] | undefined
    : never;
};

/** Every surface; those of a person who writes code or a request; a program alone; those that open a knowledge base. */
export const everywhere = ["library", "http", "cli", "tool"] as const satisfies readonly Audience[];
export const byHand = ["library", "http", "cli"] as const satisfies readonly Audience[];
export const byRequest = ["library", "http"] as const satisfies readonly Audience[];
export const inCode = ["library"] as const satisfies readonly Audience[];
export const byOperator = ["library", "cli"] as const satisfies readonly Audience[];

/** The kind of a function. */
export const aFunction: ValueKind = {
  type: "value",
  expects: "a function",
  check: (value) => typeof value === "function",
};

/** The kind of an object that has these methods. */
export function objectWith(expects: string, ...methods: readonly string[]): ValueKind {
  return {
    type: "value",
    expects,
    check: (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function"),
  };
}

/** The kind of an `AbortSignal`, also of another realm. */
export const aSignal: ValueKind = {
  type: "value",
  expects: "an AbortSignal",
  check: (value) =>
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<AbortSignal>).aborted === "boolean" &&
    typeof (value as Partial<AbortSignal>).addEventListener === "function" &&
    typeof (value as Partial<AbortSignal>).removeEventListener === "function",
};

/** The kind of an option together with the bounds of one surface. */
export function kindFor({ kind, bounds = {} }: OptionRule, audience: Audience): OptionKind {
  const { min, max } = bounds[audience] ?? {};
  if (kind.type === "integer" && (min !== undefined || max !== undefined)) {
    const { also = [], ...rest } = kind;
    // A bound from above excludes "all".
    const kept = also.filter((value) => typeof value === "number" || max === undefined);
    return { ...rest, also: kept, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  }
  if (kind.type === "number" && min !== undefined) return { ...kind, min };
  return kind;
}

/** The default of one surface. */
export function defaultFor({ default: preset, defaults = {} }: OptionRule, audience: Audience): unknown {
  return Object.hasOwn(defaults, audience) ? defaults[audience] : preset;
}

/** Whether a surface takes the value. */
export function acceptsOption(rule: OptionRule, audience: Audience, value: unknown): boolean {
  if (audience === "library" && rule.beyond?.check(value) === true) return true;
  const most = rule.kind.type === "list" ? rule.bounds?.[audience]?.max : undefined;
  if (most !== undefined && Array.isArray(value) && value.length > most) return false;
  return isOfKind(kindFor(rule, audience), value);
}

function isOfKind(kind: OptionKind, value: unknown): boolean {
  switch (kind.type) {
    case "integer": {
      if (kind.also?.some((one) => one === value) === true) return true;
      const { min, max = Infinity } = kind;
      return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
    }
    case "number":
      return (
        Number.isFinite(value) &&
        (value as number) >= (kind.min ?? -Infinity) &&
        (value as number) <= (kind.max ?? Infinity)
      );
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string" && (kind.check?.(value) ?? (kind.pattern ?? /\S/u).test(value));
    case "choice":
      return typeof value === "string" && Object.hasOwn(kind.values, value);
    case "list":
      // A list with holes is read as one with `undefined`.
      return Array.isArray(value) && Array.from(value).every((one) => isOfKind(kind.of, one));
    case "object":
      if (kind.check !== undefined) return kind.check(value);
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "group":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "value":
      return kind.check(value);
  }
}

/** Completes the sentence "It must be …". */
export function describeOption(rule: OptionRule, audience: Audience): string {
  const most = rule.kind.type === "list" ? rule.bounds?.[audience]?.max : undefined;
  const said = describeKind(kindFor(rule, audience)) + (most === undefined ? "" : `, ${most} at most`);
  return audience === "library" && rule.beyond !== undefined ? `${said}, or ${rule.beyond.expects}` : said;
}

function describeKind(kind: OptionKind): string {
  switch (kind.type) {
    case "integer": {
      const { min, max, also = [] } = kind;
      const range = `a whole number from ${min}${max === undefined ? "" : ` to ${max}`}`;
      return [range, ...also.map((value) => JSON.stringify(value))].join(", or ");
    }
    case "number":
      return `a number${kind.min === undefined ? "" : ` from ${kind.min}`}${kind.max === undefined ? "" : ` to ${kind.max}`}`;
    case "boolean":
      return "true or false";
    case "string":
      return kind.expects ?? "a string that is not blank";
    case "choice":
      return `one of ${Object.keys(kind.values).join(", ")}`;
    case "list":
      return kind.of.type === "choice"
        ? `a list of ${Object.keys(kind.of.values).join(", ")}`
        : `a list, each ${describeKind(kind.of)}`;
    case "object":
      return kind.expects ?? "an object";
    case "group":
      return "an object";
    case "value":
      return kind.expects;
  }
}

/**
 * Checks options against their table and fills in defaults.
 *
 * **Shape** every option of the audience, `undefined` where it has no default and was not given.
 * **Errors** `invalid-argument` for an unknown option, in a group too, and for a value that the audience may not give.
 */
export function planOptions<Options extends object, const Table extends RulesOf<Options>>(
  where: string,
  table: Table,
  given: Options | undefined,
  audience: Audience = "library",
): PlanOf<Options, Table> {
  return planTable(where, table, given, audience) as PlanOf<Options, Table>;
}

function planTable(
  where: string,
  table: OptionTable,
  given: object | undefined,
  audience: Audience,
  prefix = "",
): object {
  const isKnown = (name: string): boolean => Object.hasOwn(table, name) && table[name]!.for.includes(audience);
  checkKnown(where, given, isKnown, () => Object.keys(table).filter(isKnown));
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const plan: Record<string, unknown> = {};
  for (const name in table) {
    const rule = table[name]!;
    if (!rule.for.includes(audience)) continue;
    const value = values[name];
    plan[name] = value === undefined ? defaultFor(rule, audience) : value;
    if (value !== undefined) checkOption(`${prefix}${name}`, rule, value, audience);
  }
  return plan;
}

/** **Errors** `invalid-argument` for a value that the audience may not give. */
export function checkOption(name: string, rule: OptionRule, value: unknown, audience: Audience = "library"): void {
  if (!acceptsOption(rule, audience, value)) {
    const expected = describeOption(rule, audience);
    // Keys themselves may stand where the name of their file belongs.
    const shown = Array.isArray(value) && soundsSecret(name) ? "a list" : showValue(value);
    throw new IbidError("invalid-argument", `${name} is ${shown}; it must be ${expected}.`, {
      hint: `Give ${expected}, or leave ${name} out.`,
    });
  }
  if (rule.kind.type === "group") planTable(name, rule.kind.options, value as object, audience, `${name}.`);
}

/** A value for an error message, cut short, and without secrets: a message stands in logs. */
export function showValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? showJson(value) : "an object";
  return typeof value === "string" ? showJson(value) : String(value);
}

const hideSecret = (name: string, value: unknown): unknown => {
  if (soundsSecret(name)) return "(hidden)";
  return typeof value === "string" ? hideUsers(value) : value;
};

function showJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value, hideSecret) ?? String(value);
  } catch {
    // A list with a bigint, or one that holds itself.
    return "a list";
  }
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
