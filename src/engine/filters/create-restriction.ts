import type { Origin } from "../../contracts/document.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { Restriction } from "../../contracts/leg.ts";
import { compileFilter } from "./compile-filter.ts";

/** Joins a filter and a list of origins into one test; `undefined` when there is neither. **Errors** `invalid-filter`. */
export function createRestriction(
  filter: Filter | undefined,
  origins: readonly Origin[] | undefined,
): Restriction | undefined {
  if (filter === undefined && origins === undefined) return undefined;
  const matches = filter && compileFilter(filter);
  return {
    key: JSON.stringify([filter ?? null, origins ?? null]),
    filter,
    origins,
    admits: ({ metadata, origin }) => (origins?.includes(origin) ?? true) && (matches?.(metadata) ?? true),
  };
}
