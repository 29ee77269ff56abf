import { IbidError } from "../../src/contracts/errors.ts";
import type { Filter, FilterValue } from "../../src/contracts/filter.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";

/** The filter language, evaluated in the plainest way: what the packs' truth table is checked against besides the real one. */
export function passes(filter: Filter, metadata: Metadata): boolean {
  const value = "key" in filter && Object.hasOwn(metadata, filter.key) ? metadata[filter.key] : undefined;
  const fold = (text: unknown): unknown =>
    "ignoreCase" in filter && filter.ignoreCase && typeof text === "string" ? text.toLowerCase() : text;
  const strings = (test: (a: string, b: string) => boolean, given: string): boolean =>
    typeof value === "string" && test(fold(value) as string, fold(given) as string);
  const ordered = (given: string | number, test: (sign: number) => boolean): boolean =>
    typeof value === typeof given && test((value as number) < (given as number) ? -1 : value === given ? 0 : 1);

  switch (filter.op) {
    case "eq":
      return value !== undefined && fold(value) === fold(filter.value);
    case "ne":
      return value === undefined || fold(value) !== fold(filter.value);
    case "in":
      return filter.values.includes(value as FilterValue);
    case "nin":
      return !filter.values.includes(value as FilterValue);
    case "gt":
      return ordered(filter.value, (sign) => sign > 0);
    case "gte":
      return ordered(filter.value, (sign) => sign >= 0);
    case "lt":
      return ordered(filter.value, (sign) => sign < 0);
    case "lte":
      return ordered(filter.value, (sign) => sign <= 0);
    case "contains":
      return strings((a, b) => a.includes(b), filter.value);
    case "startsWith":
      return strings((a, b) => a.startsWith(b), filter.value);
    case "endsWith":
      return strings((a, b) => a.endsWith(b), filter.value);
    case "like":
      return typeof value === "string" && new RegExp(filter.pattern, filter.ignoreCase ? "iu" : "u").test(value);
    case "hasElement":
      return Array.isArray(value) && value.includes(filter.value);
    case "exists":
      return value !== undefined;
    case "and":
      return filter.filters.every((inner) => passes(inner, metadata));
    case "or":
      return filter.filters.some((inner) => passes(inner, metadata));
    case "not":
      return !passes(filter.filter, metadata);
    default:
      throw new IbidError("invalid-filter", `There is no operator "${String((filter as { op: unknown }).op)}".`);
  }
}
