import { IbidError } from "../contracts/errors.ts";
import type { Filter } from "../contracts/filter.ts";

/** **Errors** `invalid-filter` for a value that a range of numbers cannot compare. */
export function checkRange(
  { op, key }: Extract<Filter, { readonly op: "gt" | "gte" | "lt" | "lte" }>,
  value: unknown,
): void {
  if (typeof value === "number") return;
  throw new IbidError("invalid-filter", `${op} compares numbers; ${key} is ${JSON.stringify(value)}.`, {
    hint: 'Compare texts with eq, ne, in and nin, or leave out ranges: "checked".',
  });
}
