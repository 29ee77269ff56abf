import { checkNotRevoked, sayValue } from "../runtime/check-options.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { IbidError } from "../contracts/errors.ts";
import type { RefreshPolicy } from "../contracts/refresh-policy.ts";
import { readDuration } from "../runtime/describe-options.ts";

/**
 * Reads everything again every time: the default. **Source** Embabel `AlwaysRefresh`.
 *
 * @experimental
 */
export const alwaysRefresh: RefreshPolicy = { shouldReread: () => true };

/**
 * Reads only new documents. **Source** Embabel `NeverRefreshExisting`.
 *
 * @experimental
 */
export const neverRefreshExisting: RefreshPolicy = { shouldReread: (_, kept) => kept === undefined };

/**
 * Reads a document again when its last reading is older than `ttlMs`.
 *
 * **Shape** strictly longer; 0 is always. `now` replaces the clock of the knowledge base. **Units** milliseconds. **Errors** `invalid-argument` for an invalid duration.
 * **Source** Embabel `Ttl`.
 *
 * @experimental
 */
export function refreshAfter(
  ttlMs: number,
  options: { readonly now?: (() => number) | undefined } = {},
): RefreshPolicy {
  if (typeof ttlMs !== "number" || !(ttlMs >= 0)) {
    throw new IbidError("invalid-argument", `${sayValue(ttlMs)} is no time after which to look again.`, {
      hint: "Give milliseconds, 0 or more.",
    });
  }
  return {
    shouldReread(_, kept, _said, at = platformNow()) {
      const now = options.now?.() ?? at;
      return kept === undefined || ttlMs === 0 || now - Date.parse(kept.checkedAt) > ttlMs;
    },
  };
}

/**
 * Reads a document again when its source declares a later modification, or none: pages of a sitemap by their `lastmod`.
 *
 * **Shape** a date without a time is the whole of that day, anywhere on Earth. An invalid date counts as none. **Source** sitemaps.org protocol 0.9; W3C's note on dates.
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

/** Reads the name of a policy: `always`, `never`, `lastmod`, or a time such as `12h`. **Shape** `undefined` for other text. */
export function readRefreshPolicy(text: string): RefreshPolicy | undefined {
  if (text === "always") return alwaysRefresh;
  if (text === "never") return neverRefreshExisting;
  if (text === "lastmod") return refreshModified;
  const ms = readDuration(text);
  return ms === undefined ? undefined : refreshAfter(ms);
}

/**
 * Reads only matching documents again: by a pattern found in the uri, a predicate on it, or any of some substrings.
 *
 * **Errors** `invalid-argument` when nothing is given to match. **Source** Embabel `UrlSpecific`, `matchingPattern`, `containingAny`.
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
  checkNotRevoked("refreshMatching", "the first argument", first);
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
