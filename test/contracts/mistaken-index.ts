import type { PatternQuery } from "../support/search-legs.ts";
import type { StoreFault } from "./store-faults.ts";

/** What an index that is consulted before the texts might wrongly rule out, one mistake at a time. */
export function mayMatch(fault: StoreFault | undefined, { pattern, ignoreCase }: PatternQuery, text: string): boolean {
  const plain = /^[\p{L}\p{N} ]+$/u.test(pattern);
  switch (fault) {
    case "regex index needs three letters":
      return !/^\p{L}{1,2}$/u.test(pattern);
    case "regex index needs the optional":
      return !/^[a-z]+[?*][a-z]+$/.test(pattern) || text.includes(pattern.replace(/[?*]/, ""));
    case "regex index takes the first way":
      return !/^\(\?:[a-z]+\|[a-z]+\)$/.test(pattern) || text.includes(pattern.slice(3, pattern.indexOf("|")));
    case "regex index lowers case by locale rules":
      return !plain || ignoreCase !== true || text.toLowerCase().includes(pattern.toLowerCase());
    case "regex index splits at spaces":
      return !plain || !pattern.includes(" ") || text.split(/\s/).includes(pattern);
    case "regex index counts to one":
      return !/^[a-z-]+\\d\{/i.test(pattern) || !/\d\d/.test(text);
    default:
      return true;
  }
}
