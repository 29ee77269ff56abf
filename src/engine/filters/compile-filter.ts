import { checkGiven } from "../../runtime/check-options.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import { compileLinearRegex } from "../../text/patterns/linear-regex.ts";
import { simpleLowerCase } from "../../text/patterns/simple-lower-case.ts";

/** Whether a document or chunk with this metadata matches. */
export type MetadataTest = (metadata: Metadata) => boolean;

/**
 * A filter as a function: the meaning that every store must give it.
 *
 * Only the metadata's own keys count, and `undefined` is missing; `null` is there. Nothing is coerced.
 *
 * **Shape** takes what `parseFilter` gave. **Errors** `invalid-filter` for an operator that does not exist; the function it returns never throws.
 * **Cost** compiled once; a call costs what its conditions cost, and stops at the first that decides.
 * **Source** the truth table of `contracts/filter.ts`.
 *
 * @experimental
 */
export function compileFilter(filter: Filter): MetadataTest {
  checkGiven("compileFilter", "filter", filter, "object");
  switch (filter.op) {
    case "eq":
      return compileEqual(filter);
    case "ne":
      return negate(compileEqual(filter));
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return compileOrder(filter.op, filter.key, filter.value, filter.coerce === true);
    case "in":
    case "nin": {
      const values = new Set<unknown>(filter.values.map(comparable));
      const isIn = onValue(filter.key, (value) => values.has(comparable(value)));
      return filter.op === "in" ? isIn : negate(isIn);
    }
    case "contains":
    case "startsWith":
    case "endsWith": {
      const { op } = filter;
      const form = filter.ignoreCase === true ? simpleLowerCase : identity;
      const wanted = form(filter.value);
      if (op === "contains") return onText(filter.key, (text) => form(text).includes(wanted));
      if (op === "startsWith") return onText(filter.key, (text) => form(text).startsWith(wanted));
      return onText(filter.key, (text) => form(text).endsWith(wanted));
    }
    case "like": {
      const regex = compileLinearRegex(filter.pattern, { ignoreCase: filter.ignoreCase === true });
      return onText(filter.key, (text) => regex.test(text));
    }
    case "hasElement":
      return onValue(
        filter.key,
        (value) => Array.isArray(value) && (value as readonly JsonValue[]).includes(filter.value),
      );
    case "exists":
      return onValue(filter.key, () => true);
    case "and": {
      const tests = filter.filters.map(compileFilter);
      return (metadata) => tests.every((test) => test(metadata));
    }
    case "or": {
      const tests = filter.filters.map(compileFilter);
      return (metadata) => tests.some((test) => test(metadata));
    }
    case "not":
      return negate(compileFilter(filter.filter));
    default:
      throw new IbidError(
        "invalid-filter",
        `There is no filter operator ${JSON.stringify((filter as { op?: unknown }).op)}.`,
        {
          hint: "Parse untrusted filters with parseFilter.",
        },
      );
  }
}

function compileEqual(filter: Extract<Filter, { readonly op: "eq" | "ne" }>): MetadataTest {
  const { key, value } = filter;
  if (filter.ignoreCase !== true || typeof value !== "string") {
    const same = comparable(value);
    return onValue(key, (found) => comparable(found) === same);
  }
  const wanted = simpleLowerCase(value);
  return onText(key, (text) => simpleLowerCase(text) === wanted);
}

/** Lists and objects as text, whatever the order of their keys; no string is taken for one. */
export function comparable(value: JsonValue): unknown {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" && value !== null ? JSON.stringify(value, sortKeys) : value;
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The number that a string holds, or NaN, which no order admits. */
function numberIn(value: JsonValue): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
}

function compileOrder(
  op: "gt" | "gte" | "lt" | "lte",
  key: string,
  given: string | number,
  coerce: boolean,
): MetadataTest {
  const bound = coerce ? numberIn(given) : given;
  if (coerce) {
    const inOrder = compileOrder(op, key, bound, false);
    return onValue(key, (value) => inOrder({ [key]: numberIn(value) }));
  }
  const type = typeof bound;
  switch (op) {
    case "gt":
      return onValue(key, (value) => typeof value === type && (value as typeof bound) > bound);
    case "gte":
      return onValue(key, (value) => typeof value === type && (value as typeof bound) >= bound);
    case "lt":
      return onValue(key, (value) => typeof value === type && (value as typeof bound) < bound);
    case "lte":
      return onValue(key, (value) => typeof value === type && (value as typeof bound) <= bound);
  }
}

function onValue(key: string, test: (value: JsonValue) => boolean): MetadataTest {
  return (metadata) => {
    if (!Object.hasOwn(metadata, key)) return false;
    const value = metadata[key];
    return value !== undefined && test(value);
  };
}

function onText(key: string, test: (text: string) => boolean): MetadataTest {
  return onValue(key, (value) => typeof value === "string" && test(value));
}

function negate(test: MetadataTest): MetadataTest {
  return (metadata) => !test(metadata);
}

function identity(text: string): string {
  return text;
}
