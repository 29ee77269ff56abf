import { IbidError } from "../contracts/errors.ts";
import type { RefreshPolicy } from "../contracts/refresh-policy.ts";

/**
 * Looks at everything every time. What an ingestion does unless it is told otherwise. **Source** Embabel `AlwaysRefresh` (E16).
 *
 * @experimental
 */
export const alwaysRefresh: RefreshPolicy = { shouldReread: () => true };

/**
 * Never looks again at what is there: only what is new is read. **Source** Embabel `NeverRefreshExisting` (E16).
 *
 * @experimental
 */
export const neverRefreshExisting: RefreshPolicy = { shouldReread: (_, kept) => kept === undefined };

/**
 * Looks again at what was last looked at longer ago than `ttlMs`.
 *
 * **Shape** strictly longer; 0 is always. `now` is there for tests. **Units** milliseconds. **Errors** `invalid-argument` for what is no duration.
 * **Source** Embabel `Ttl` (E16).
 *
 * @experimental
 */
export function refreshAfter(ttlMs: number, options: { readonly now?: () => number } = {}): RefreshPolicy {
  const { now = Date.now } = options;
  if (!(ttlMs >= 0)) {
    throw new IbidError("invalid-argument", `${String(ttlMs)} is no time after which to look again.`, {
      hint: "Give milliseconds, 0 or more.",
    });
  }
  return {
    shouldReread: (_, kept) => kept === undefined || ttlMs === 0 || now() - Date.parse(kept.checkedAt) > ttlMs,
  };
}

/**
 * Looks again at what its source says was modified since it was last looked at, and at whatever it says nothing of: pages of a sitemap by their `lastmod`.
 *
 * **Shape** a date without a time is the whole of that day, anywhere on Earth. What is no date counts as nothing said. **Source** sitemaps.org protocol 0.9; W3C's note on dates.
 *
 * @experimental
 */
export const refreshModified: RefreshPolicy = {
  shouldReread(_, kept, said) {
    const modified = said?.modified === undefined ? Number.NaN : Date.parse(said.modified);
    if (kept === undefined || Number.isNaN(modified)) return true;
    const precise = said?.modified?.includes("T") === true;
    return modified + (precise ? 0 : wholeDayMs) >= Date.parse(kept.checkedAt);
  },
};

/** To the end of a day in the zone where it ends last. */
const wholeDayMs = 36 * 60 * 60 * 1000;

/**
 * Looks again only at what matches: a pattern that is found in the uri, a predicate on it, or any of some substrings.
 *
 * **Errors** `invalid-argument` when nothing is given to match. **Source** Embabel `UrlSpecific`, `matchingPattern`, `containingAny` (E16).
 *
 * @experimental
 */
export function refreshMatching(
  ...what: readonly [pattern: RegExp] | readonly [predicate: (uri: string) => boolean] | readonly string[]
): RefreshPolicy {
  const matches = toPredicate(what);
  return { shouldReread: (uri, kept) => kept === undefined || matches(uri) };
}

function toPredicate(what: readonly (RegExp | string | ((uri: string) => boolean))[]): (uri: string) => boolean {
  const [first] = what;
  if (typeof first === "function") return first;
  // A pattern with `g` or `y` remembers where it was, and would answer differently the second time.
  if (first instanceof RegExp) {
    const pattern = new RegExp(first.source, first.flags.replaceAll(/[gy]/gu, ""));
    return (uri) => pattern.test(uri);
  }
  const substrings = what.filter((each) => typeof each === "string" && each !== "") as readonly string[];
  if (substrings.length > 0 && substrings.length === what.length)
    return (uri) => substrings.some((each) => uri.includes(each));
  throw new IbidError("invalid-argument", "There is nothing to match uris against.", {
    hint: "Give a regular expression, a function, or substrings that are not empty.",
  });
}
