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

/** An entry of `Restriction.under` that one uri alone has: the uri with a sign behind it that no uri holds. */
export const wholeUri = (uri: string): string => `${uri}\0`;
/** The uri that an entry stands for alone; `undefined` for a prefix. */
export const uriOfEntry = (entry: string): string | undefined =>
  entry.endsWith("\0") ? entry.slice(0, -1) : undefined;

/** Whether a uri has one of the prefixes, or is one of the whole uris. Without a uri or without entries, it counts as one that has. */
export const isUnder = (uri: string | undefined, under: readonly string[] | undefined): boolean =>
  uri === undefined ||
  under === undefined ||
  under.some((entry) => uri.startsWith(entry) || (entry.length === uri.length + 1 && uriOfEntry(entry) === uri));
