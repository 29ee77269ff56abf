import { IbidError } from "../contracts/errors.ts";

/**
 * A time as ISO 8601 in UTC with milliseconds, so that texts compare as times. A day alone is its beginning.
 *
 * **Errors** `invalid-argument` for a text that is no date.
 */
export function readTime(name: string, value: string): string {
  if (isTime(value)) return new Date(Date.parse(value)).toISOString();
  const shown = typeof value === "string" ? JSON.stringify(value) : `of the type ${typeof value}`;
  throw new IbidError("invalid-argument", `${name} is ${shown}, which is not a date.`, {
    hint: "Give a date in ISO 8601, such as 2026-11-23 or 2026-11-23T14:00:00Z.",
  });
}

/** Whether a text is a date of the years 0 to 9999 in ISO 8601. */
export function isTime(value: unknown): value is string {
  if (typeof value !== "string" || !/^[+-]?\d{4,6}-\d{2}(?:-\d{2})?(?:$|[T ])/u.test(value)) return false;
  const year = new Date(Date.parse(value)).getUTCFullYear();
  return year >= 0 && year <= 9999;
}
