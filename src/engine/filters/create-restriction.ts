import type { Origin } from "../../contracts/document.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { Restriction } from "../../contracts/leg.ts";
import { compileFilter } from "./compile-filter.ts";

/** Joins a filter, a list of origins and prefixes of uris into one test; `undefined` when there is none. **Errors** `invalid-filter`. */
export function createRestriction(
  filter: Filter | undefined,
  origins: readonly Origin[] | undefined,
  under?: readonly string[],
): Restriction | undefined {
  if (filter === undefined && origins === undefined && under === undefined) return undefined;
  const matches = filter && compileFilter(filter);
  return {
    key: JSON.stringify([filter ?? null, origins ?? null, under ?? null]),
    filter,
    origins,
    under,
    admits: ({ metadata, origin, uri }) =>
      (origins?.includes(origin) ?? true) && isUnder(uri, under) && (matches?.(metadata) ?? true),
  };
}

/** Whether a uri has one of the prefixes. Without a uri or without prefixes, it counts as one that has. */
export const isUnder = (uri: string | undefined, under: readonly string[] | undefined): boolean =>
  uri === undefined || under === undefined || under.some((prefix) => uri.startsWith(prefix));
