import { IbidError } from "../contracts/errors.ts";
import type { Filter } from "../contracts/filter.ts";
import type { RetrieveOptions, SearchMode } from "../contracts/retriever.ts";
import { parseRegex } from "../text/patterns/regex-syntax.ts";
import { isUnder, wholeUri } from "../engine/filters/create-restriction.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { type PlanOf, planOptions } from "../runtime/plan-options.ts";
import { type PlannedFusion, planFusion } from "./fusion-settings.ts";
import { retrieveOptions } from "./search-options.ts";

/** Options of a retrieval, checked, with defaults filled in. */
export interface SearchPlan extends Omit<
  PlanOf<RetrieveOptions, typeof retrieveOptions>,
  "filter" | "fusion" | "weights" | "under" | "uris"
> {
  /** Prefixes and whole uris, as in `Restriction.under`. */
  readonly under: readonly string[] | undefined;
  readonly filter: Filter | undefined;
  readonly fusion: PlannedFusion;
}

/** Longest query. **Units** UTF-16. **Source** ToolUp's cap, before anything is embedded. */
export const defaultMaxQueryLength = 8192;

/**
 * Checks the options of a retrieval once, before any search or model call.
 *
 * **Errors** `invalid-argument` for an unknown option, a value out of bounds or options that do not go together, `invalid-filter`.
 */
export function planSearch(options: RetrieveOptions = {}): SearchPlan {
  const { filter, fusion, weights, under, uris, ...plan } = planOptions("search", retrieveOptions, options);
  const { syntax, pattern } = plan;
  const mode = options.mode === undefined && syntax === "lucene" ? "lexical" : plan.mode;
  if (syntax === "lucene" && mode !== "lexical") {
    throw invalid(
      `A query in Lucene's syntax searches by words; the mode is "${mode}".`,
      "Leave mode out, or give syntax: literal.",
    );
  }
  if (pattern !== undefined && mode !== "hybrid") {
    throw invalid(
      `A pattern beside the query is a leg of a hybrid search; the mode is "${mode}".`,
      mode === "regex"
        ? "Give it as the query."
        : 'Leave the mode out, or search with mode: "regex" and the pattern as the query.',
    );
  }
  const { minFusedScore } = plan;
  const planned = planFusion({ fusion, weights, minFusedScore }, mode);
  return {
    ...plan,
    mode,
    fusion: planned,
    filter: filter === undefined ? undefined : parseFilter(filter),
    under: entriesOf(typeof under === "string" ? [under] : under, uris),
  };
}

/** Whole uris where some are given, of which prefixes leave those below them. */
const entriesOf = (
  prefixes: readonly string[] | undefined,
  uris: readonly string[] | undefined,
): readonly string[] | undefined =>
  uris === undefined ? prefixes : uris.filter((uri) => isUnder(uri, prefixes)).map((uri) => wholeUri(uri));

/**
 * Checks the query itself, before any model sees it.
 *
 * **Units** `maxLength` in UTF-16 code units. **Errors** `invalid-argument` for a blank query (the empty pattern, of a regex search) or one that is too long;
 * `invalid-regex` for a pattern that cannot be used.
 */
export function checkQuery(query: string, mode: SearchMode, maxLength: number): void {
  if (typeof query !== "string") throw invalid("The query is not a string.", "Ask in words.");
  if (mode === "regex" ? query === "" : query.trim() === "") {
    throw invalid("The query is blank.", "Ask for something; to list what is kept, use list.");
  }
  if (query.length > maxLength) {
    throw new IbidError("invalid-argument", `The query has ${query.length} characters; the limit is ${maxLength}.`, {
      hint: "Ask a shorter question, or raise maxQueryLength.",
      details: { length: query.length, limit: maxLength },
    });
  }
  // Here, and not where it is matched: a base without a chunk refuses a broken pattern too.
  if (mode === "regex") parseRegex(query);
}

function invalid(message: string, hint: string): IbidError {
  return new IbidError("invalid-argument", message, { hint });
}
