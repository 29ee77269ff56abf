import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Filter } from "./filter.ts";
import type { Scope } from "./scope.ts";

/** What a regex search is asked. */
export interface RegexQuery {
  /** JavaScript syntax without look-around and back-references, so that matching is linear in the text. */
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  readonly filter?: Filter;
  /** Only chunks of these origins, filtered before ranking like `filter`, so that it starves nothing. Default: all; `[]` matches nothing. */
  readonly origins?: readonly Origin[];
  readonly topK?: number | "all";
}

/** A chunk in which the pattern matched, and where. */
export interface RegexMatch {
  readonly scope: Scope;
  readonly chunk: Chunk;
  /** `n / (n + 1)` for n matches: more matches are better, below 1. */
  readonly score: number;
  /** Where the pattern matched, as positions in the document, ascending and apart. Empty matches are left out. */
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}
