import { IbidError } from "../../contracts/errors.ts";
import type { Filter, FilterInput, FilterOperand, FilterValue } from "../../contracts/filter.ts";
import { checkNotRevoked, checkOptions } from "../../runtime/check-options.ts";
import { checkRange } from "../../runtime/check-range.ts";
import { compileLinearRegex } from "../../text/patterns/linear-regex.ts";

const maxDepth = 32;
/** Conditions and listed values together. */
const maxSize = 10_000;

const conditionKeys = [
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "nin",
  "contains",
  "startsWith",
  "endsWith",
  "like",
  "hasElement",
  "exists",
  "ignoreCase",
] as const;

/** The properties that a node of each operator has besides `op`; those behind `?` may be absent. */
const shapes: Readonly<Record<Filter["op"], readonly string[]>> = {
  eq: ["key", "value", "ignoreCase?"],
  ne: ["key", "value", "ignoreCase?"],
  gt: ["key", "value", "coerce?"],
  gte: ["key", "value", "coerce?"],
  lt: ["key", "value", "coerce?"],
  lte: ["key", "value", "coerce?"],
  in: ["key", "values"],
  nin: ["key", "values"],
  contains: ["key", "value", "ignoreCase?"],
  startsWith: ["key", "value", "ignoreCase?"],
  endsWith: ["key", "value", "ignoreCase?"],
  like: ["key", "pattern", "ignoreCase?"],
  hasElement: ["key", "value"],
  exists: ["key"],
  and: ["filters"],
  or: ["filters"],
  not: ["filter"],
};

/**
 * Meanings of a design that differ from those of `contracts/filter.ts`.
 *
 * @experimental
 */
export interface FilterDialect {
  /** Whether `ne` and `nin` hold for a missing key. Default `"passes"`; `"fails"` is Ballerina's. */
  readonly missing?: "passes" | "fails" | undefined;
  /**
   * Values that a range compares. Default `"typed"`: numbers with numbers, strings with strings. `"numbers"` is Wesichain's: a string as a bound matches nothing.
   * `"coerced"` is Embabel's: strings that hold a number count as it. `"checked"` is Ballerina's: a bound that is no number is an error. Its store of that name
   * refuses the values of chunks too.
   */
  readonly ranges?: "typed" | "numbers" | "coerced" | "checked" | undefined;
  /** Effect of a pattern that does not compile, and of `in` and `nin` without a list. Default `"error"`; `"nothing"`: the condition matches nothing. */
  readonly invalid?: "error" | "nothing" | undefined;
}

const dialects = {
  missing: ["passes", "fails"],
  ranges: ["typed", "numbers", "coerced", "checked"],
  invalid: ["error", "nothing"],
} as const;

/** The condition that never holds. */
const nothing: Filter = { op: "or", filters: [] };

/**
 * Parses and checks a filter into its one form, which shares nothing with the input.
 *
 * An object with a string `op` is a node of that form (`contracts/filter.ts`), every other one the plain form. So a metadata key named `op` is
 * written `{ op: { eq: "x" } }`, and one named `and`, `or` or `not` needs the builder. `{}` matches everything. Keys and values are data: only an
 * object's own properties count, and `__proto__` is a key like any other. `undefined` is refused, or a variable that was never set would widen a search.
 * A list under `filters`, with a `condition` or without, is Ballerina's wire form: `{ filters: [{ key, operator: "==", value }], condition: "and" }`.
 * So is Wesichain's serialised form: `{ All: [{ Eq: ["kind", "x"] }, { Range: { key: "year", min: 2024 } }] }`.
 *
 * **Shape** survives a round trip through JSON; parsing it again gives the same.
 * **Errors** `invalid-filter`, naming the path (`filter.or[1].year.gte`). Causes: an unknown operator or property, a value of a wrong type (`Date`, `NaN`
 * and `undefined` included), a pattern that does not compile. Also more than 32 levels, more than 10,000 conditions and listed values.
 * **Source** Ballerina's nested groups, Wesichain's serialisable filter, Embabel's property filter.
 *
 * @experimental
 */
export function parseFilter(input: FilterInput, dialect: FilterDialect = {}): Filter {
  checkOptions("parseFilter", dialect, { missing: true, ranges: true, invalid: true });
  checkNotRevoked("parseFilter", "filter", input);
  for (const [name, words] of Object.entries(dialects)) {
    const word = dialect[name as keyof FilterDialect];
    if (word !== undefined && !words.some((known) => known === word))
      throw new IbidError("invalid-argument", `parseFilter: ${name} cannot be ${quote(word)}.`, {
        hint: `Choose from ${words.join(", ")}.`,
      });
  }
  return translate(parse(input, "filter", { size: 0, depth: 0, dialect }), dialect);
}

interface Budget {
  size: number;
  depth: number;
  readonly dialect: FilterDialect;
}

/** A filter of a dialect, in ours. */
function translate(filter: Filter, dialect: FilterDialect): Filter {
  const { missing = "passes", ranges = "typed" } = dialect;
  if (missing === "passes" && ranges === "typed") return filter;
  switch (filter.op) {
    case "and":
    case "or":
      return { op: filter.op, filters: filter.filters.map((inner) => translate(inner, dialect)) };
    case "not":
      return { op: "not", filter: translate(filter.filter, dialect) };
    case "ne":
    case "nin":
      return missing === "passes" ? filter : { op: "and", filters: [{ op: "exists", key: filter.key }, filter] };
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (ranges === "coerced") return { ...filter, coerce: true };
      if (ranges === "checked") checkRange(filter, filter.value);
      return ranges === "numbers" && typeof filter.value === "string" ? nothing : filter;
    default:
      return filter;
  }
}

function parse(input: unknown, path: string, budget: Budget): Filter {
  spend(budget, path);
  if (budget.depth >= maxDepth)
    throw invalid(
      path,
      `is nested more than ${maxDepth} levels deep`,
      "Flatten it: and, or and in take any number of members.",
    );
  const object = asObject(input, path);
  budget.depth++;
  const filter = parseForm(object, path, budget);
  budget.depth--;
  return filter;
}

function parseForm(object: object, path: string, budget: Budget): Filter {
  if (typeof own(object, "op") === "string") return parseNode(object, path, budget);
  if (isWire(object)) return parseWire(object, path, budget);
  if (isTagged(object)) return parseTagged(object, path, budget);
  return parsePlain(object, path, budget);
}

function parseNode(node: object, path: string, budget: Budget): Filter {
  const op = own(node, "op") as Filter["op"];
  const shape = Object.hasOwn(shapes, op) ? shapes[op] : undefined;
  if (shape === undefined) {
    throw invalid(
      `${path}.op`,
      `is ${quote(op)}, which is no operator`,
      `Operators: ${Object.keys(shapes).join(" ")}. A metadata key named "op" is written { op: { eq: … } }.`,
    );
  }
  for (const key of Object.keys(node)) {
    if (key !== "op" && !shape.includes(key) && !shape.includes(`${key}?`)) {
      throw invalid(path, `has a property ${quote(key)}, which "${op}" does not take`, `It takes ${shape.join(", ")}.`);
    }
  }
  switch (op) {
    case "and":
    case "or":
      return { op, filters: parseList(own(node, "filters"), `${path}.filters`, budget) };
    case "not":
      return { op, filter: parse(own(node, "filter"), `${path}.filter`, budget) };
    default: {
      const key = own(node, "key");
      if (typeof key !== "string") throw invalid(`${path}.key`, `is ${describe(key)}`, "A key is a string.");
      const operand = op === "in" || op === "nin" ? "values" : op === "like" ? "pattern" : "value";
      const ignoreCase = parseIgnoreCase(own(node, "ignoreCase"), `${path}.ignoreCase`);
      const value = op === "exists" ? true : own(node, operand);
      const parsed = parseCondition(op, key, value, ignoreCase, `${path}.${operand}`, budget);
      return own(node, "coerce") === true ? ({ ...parsed, coerce: true } as Filter) : parsed;
    }
  }
}

const wireOperators: Readonly<Record<string, ConditionOperator>> = {
  "==": "eq",
  "!=": "ne",
  ">": "gt",
  "<": "lt",
  ">=": "gte",
  "<=": "lte",
  in: "in",
  nin: "nin",
};

const tags: ReadonlySet<string> = new Set(["Eq", "In", "All", "Any"]);

/** A plain form has no list under a key, and no condition named `key`. */
function isTagged(object: object): boolean {
  const [tag = "", ...others] = Object.keys(object);
  if (others.length > 0) return false;
  const value = own(object, tag);
  if (tag === "Range") return typeof value === "object" && value !== null && Object.hasOwn(value, "key");
  return tags.has(tag) && Array.isArray(value);
}

function parseTagged(object: object, path: string, budget: Budget): Filter {
  const [tag] = Object.keys(object) as ["Eq" | "In" | "Range" | "All" | "Any"];
  const here = `${path}.${tag}`;
  const value = own(object, tag);
  if (tag === "All" || tag === "Any")
    return { op: tag === "All" ? "and" : "or", filters: parseList(value, here, budget) };
  if (tag === "Range") return parseRange(value as object, here, budget);
  const [key, operand, ...others] = value as readonly unknown[];
  if (typeof key !== "string") throw invalid(`${here}[0]`, `is ${describe(key)}`, "A key is a string.");
  if (others.length > 0) throw invalid(here, "has more than a key and a value", `Give { ${tag}: [key, value] }.`);
  return parseCondition(tag === "Eq" ? "eq" : "in", key, operand, false, `${here}[1]`, budget);
}

/** **Shape** an end that is absent or `null` is open. */
function parseRange(range: object, path: string, budget: Budget): Filter {
  const stranger = Object.keys(range).find((name) => !["key", "min", "max"].includes(name));
  if (stranger !== undefined) throw invalid(path, `has a property ${quote(stranger)}`, "A range has key, min and max.");
  const key = own(range, "key");
  if (typeof key !== "string") throw invalid(`${path}.key`, `is ${describe(key)}`, "A key is a string.");
  const ends = [
    ["min", "gte"],
    ["max", "lte"],
  ] as const;
  const filters = ends.flatMap(([name, op]) => {
    const end = own(range, name) ?? null;
    return end === null ? [] : [parseCondition(op, key, end, false, `${path}.${name}`, budget)];
  });
  if (filters.length === 0) return { op: "exists", key };
  return filters.length === 1 ? filters[0]! : { op: "and", filters };
}

/** A plain form has no list under a key, so the two cannot be mistaken. */
function isWire(object: object): boolean {
  return (
    Array.isArray(own(object, "filters")) &&
    Object.keys(object).every((name) => name === "filters" || name === "condition")
  );
}

function parseWire(group: object, path: string, budget: Budget): Filter {
  const condition = own(group, "condition") ?? "and";
  if (condition !== "and" && condition !== "or")
    throw invalid(`${path}.condition`, `is ${describe(condition)}`, 'It is "and" or "or".');
  const filters = Array.from(own(group, "filters") as readonly unknown[], (member, i): Filter => {
    const here = `${path}.filters[${i}]`;
    const object = asObject(member, here);
    if (!Object.hasOwn(object, "key")) return parse(object, here, budget);
    spend(budget, here);
    const stranger = Object.keys(object).find((name) => !["key", "operator", "value"].includes(name));
    if (stranger !== undefined)
      throw invalid(here, `has a property ${quote(stranger)}`, "A condition has key, operator and value.");
    const [key, operator] = [own(object, "key"), own(object, "operator") ?? "=="];
    const op =
      typeof operator === "string" && Object.hasOwn(wireOperators, operator) ? wireOperators[operator] : undefined;
    if (typeof key !== "string") throw invalid(`${here}.key`, `is ${describe(key)}`, "A key is a string.");
    if (op === undefined)
      throw invalid(`${here}.operator`, "is no operator", `Operators: ${Object.keys(wireOperators).join(" ")}.`);
    return parseCondition(op, key, own(object, "value"), false, `${here}.value`, budget);
  });
  return { op: condition, filters };
}

function parsePlain(object: object, path: string, budget: Budget): Filter {
  const filters: Filter[] = [];
  for (const key of Object.keys(object)) {
    const value = own(object, key);
    const here = `${path}${pathStep(key)}`;
    if (key === "and" || key === "or") filters.push({ op: key, filters: parseList(value, here, budget) });
    else if (key === "not") filters.push({ op: "not", filter: parse(value, here, budget) });
    else if (value !== null && typeof value === "object") filters.push(...parseConditions(key, value, here, budget));
    else {
      spend(budget, here);
      filters.push(parseCondition("eq", key, value, false, here, budget));
    }
  }
  return filters.length === 1 ? filters[0]! : { op: "and", filters };
}

function parseConditions(key: string, value: object, path: string, budget: Budget): Filter[] {
  if (Array.isArray(value))
    throw invalid(path, "is a list", 'Use { in: [...] } for "is one of", or { hasElement: x } for "contains x".');
  const object = asObject(value, path);
  const names = Object.keys(object);
  const unknown = names.find((name) => !conditionKeys.some((known) => known === name));
  if (unknown !== undefined)
    throw invalid(
      path,
      `has a condition ${quote(unknown)}, which does not exist`,
      `Conditions: ${conditionKeys.join(" ")}.`,
    );

  const ignoreCase = parseIgnoreCase(own(object, "ignoreCase"), `${path}.ignoreCase`);
  const operators = names.filter((name) => name !== "ignoreCase") as Exclude<
    (typeof conditionKeys)[number],
    "ignoreCase"
  >[];
  if (operators.length === 0) throw invalid(path, "has no condition", `Conditions: ${conditionKeys.join(" ")}.`);
  if (ignoreCase && !operators.some((op) => shapes[op].includes("ignoreCase?"))) {
    throw invalid(
      `${path}.ignoreCase`,
      "applies to nothing",
      "It goes with eq, ne, contains, startsWith, endsWith or like.",
    );
  }
  return operators.map((op) => {
    const operand = own(object, op);
    const here = `${path}.${op}`;
    spend(budget, here);
    if (op !== "exists") return parseCondition(op, key, operand, ignoreCase, here, budget);
    if (typeof operand !== "boolean") throw invalid(here, `is ${describe(operand)}`, "It takes true or false.");
    return operand ? { op, key } : { op: "not", filter: { op, key } };
  });
}

type ConditionOperator = Exclude<Filter["op"], "and" | "or" | "not">;

function parseCondition(
  op: ConditionOperator,
  key: string,
  operand: unknown,
  ignoreCase: boolean,
  path: string,
  budget: Budget,
): Filter {
  const caseFlag = ignoreCase ? ({ ignoreCase: true } as const) : {};
  switch (op) {
    case "eq":
    case "ne": {
      const value = parseOperand(operand, path, budget);
      return typeof value === "string" ? { op, key, value, ...caseFlag } : { op, key, value };
    }
    case "hasElement":
      return { op, key, value: parseValue(operand, path) };
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const value = parseValue(operand, path);
      if (typeof value === "string" || typeof value === "number") return { op, key, value };
      throw invalid(path, `is ${describe(operand)}`, "An order needs a number or a string.");
    }
    case "in":
    case "nin": {
      if (!Array.isArray(operand)) {
        if (budget.dialect.invalid === "nothing") return nothing;
        throw invalid(path, `is ${describe(operand)}`, "It takes a list.");
      }
      const values = Array.from(operand as readonly unknown[], (value, i) => {
        spend(budget, path);
        return parseOperand(value, `${path}[${i}]`, budget);
      });
      return { op, key, values };
    }
    case "contains":
    case "startsWith":
    case "endsWith":
      return { op, key, value: parseText(operand, path), ...caseFlag };
    case "like": {
      const pattern = parseText(operand, path);
      try {
        compileLinearRegex(pattern, { ignoreCase });
      } catch (error) {
        if (!IbidError.isInstance(error)) throw error;
        if (budget.dialect.invalid === "nothing") return nothing;
        throw new IbidError("invalid-filter", `${path} is an invalid pattern. ${error.message}`, {
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          details: { ...error.details, path },
          cause: error,
        });
      }
      return { op, key, pattern, ...caseFlag };
    }
    case "exists":
      return { op, key };
  }
}

function parseList(input: unknown, path: string, budget: Budget): Filter[] {
  if (!Array.isArray(input)) throw invalid(path, `is ${describe(input)}`, "It takes a list of filters.");
  return Array.from(input as readonly unknown[], (member, i) => parse(member, `${path}[${i}]`, budget));
}

/** A value, or a list or an object of values. */
function parseOperand(value: unknown, path: string, budget: Budget): FilterOperand {
  if (typeof value !== "object" || value === null || value instanceof Date) return parseValue(value, path);
  spend(budget, path);
  if (budget.depth >= maxDepth) throw invalid(path, `is nested more than ${maxDepth} levels deep`, "Flatten it.");
  budget.depth++;
  const copy = Array.isArray(value)
    ? Array.from(value as readonly unknown[], (member, i) => parseOperand(member, `${path}[${i}]`, budget))
    : Object.fromEntries(
        Object.entries(asObject(value, path)).map(([key, member]) => [
          key,
          parseOperand(member, `${path}${pathStep(key)}`, budget),
        ]),
      );
  budget.depth--;
  return copy;
}

function parseValue(value: unknown, path: string): FilterValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  // JSON has no negative zero; the two are equal.
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  const hint =
    value instanceof Date
      ? "Give a date as toISOString() writes it, the form that metadata keeps dates in."
      : "Values are strings, finite numbers, true, false or null. To ask whether a key is there, use exists.";
  throw invalid(path, `is ${describe(value)}`, hint);
}

function parseText(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalid(path, `is ${describe(value)}`, "It takes a string.");
  return value;
}

function parseIgnoreCase(value: unknown, path: string): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? false;
  throw invalid(path, `is ${describe(value)}`, "It takes true or false.");
}

function asObject(value: unknown, path: string): object {
  checkNotRevoked("a filter", path, value);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null) return value;
  }
  throw invalid(
    path,
    `is ${describe(value)}`,
    'A filter is a plain object such as { department: "HR", year: { gte: 2024 } }.',
  );
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Readonly<Record<string, unknown>>)[key] : undefined;
}

function spend(budget: Budget, path: string): void {
  if (++budget.size > maxSize)
    throw invalid(
      path,
      `is too large: a filter holds at most ${maxSize} conditions and listed values`,
      "Narrow the filter, or search several times.",
    );
}

function invalid(path: string, what: string, hint: string): IbidError {
  return new IbidError("invalid-filter", `${path} ${what}.`, { hint, details: { path } });
}

function pathStep(key: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${quote(key)}]`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Describes a wrong value by its kind; the value itself may be private. */
function describe(value: unknown): string {
  if (value === undefined) return "missing or undefined";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a Date";
  if (typeof value === "number")
    return Number.isNaN(value) ? "not a number (NaN)" : Number.isFinite(value) ? "a number" : "infinite";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
