import { IbidError } from "../../contracts/errors.ts";
import type { Filter } from "../../contracts/filter.ts";
import { noteKeys } from "./note.ts";

/**
 * A time as notes keep it: ISO 8601 in UTC with milliseconds, so that texts compare as times.
 *
 * **Errors** `invalid-argument` for a text that is no date.
 */
export function readTime(name: string, value: string): string {
  const isDate = typeof value === "string" && /^[+-]?\d{4,6}-\d{2}(?:-\d{2})?(?:$|[T ])/u.test(value);
  const ms = isDate ? Date.parse(value) : Number.NaN;
  const year = new Date(ms).getUTCFullYear();
  if (year >= 0 && year <= 9999) return new Date(ms).toISOString();
  throw new IbidError("invalid-argument", `${name} is ${JSON.stringify(value)}, which is not a date.`, {
    hint: "Give a date in ISO 8601, such as 2026-11-23 or 2026-11-23T14:00:00Z.",
  });
}

/** Admits the notes that had begun and whose authors had not ended them at a time. Timelines decide among the versions of one statement. */
export function holdsFilter(time: string): Filter {
  const ended: Filter = { op: "lte", key: noteKeys.validTo, value: time };
  return {
    op: "and",
    filters: [
      { op: "lte", key: noteKeys.validFrom, value: time },
      { op: "not", filter: ended },
    ],
  };
}

/** A time some milliseconds after another. */
export const laterThan = (time: string, ms = 1): string => new Date(Date.parse(time) + ms).toISOString();
