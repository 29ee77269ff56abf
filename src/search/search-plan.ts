import type { Origin } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Filter } from "../contracts/filter.ts";
import type { QuerySyntax } from "../contracts/leg.ts";
import type { FusionName, SearchMode, RetrieveOptions } from "../contracts/retriever.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { checkOptions } from "../runtime/check-options.ts";

/** A search's options, checked, with every default filled in. */
export interface SearchPlan {
  readonly topK: number | "all";
  readonly mode: SearchMode;
  readonly syntax: QuerySyntax;
  readonly filter?: Filter;
  /** Of a hybrid search. */
  readonly pattern?: string;
  readonly ignoreCase: boolean;
  readonly minScore?: number;
  readonly minFusedScore?: number;
  readonly origins?: readonly Origin[];
  /** Absent: by what the embedding model's closeness means. */
  readonly fusion?: FusionName;
  readonly rerank: boolean;
  readonly snippetLength: number;
  readonly explain: boolean;
  readonly includeEmbeddings: boolean;
}

/** Every option of a retrieval, by name. */
export const retrieveOptionNames = [
  "topK",
  "mode",
  "syntax",
  "filter",
  "pattern",
  "ignoreCase",
  "minScore",
  "minFusedScore",
  "origins",
  "fusion",
  "rerank",
  "snippetLength",
  "explain",
  "includeEmbeddings",
  "signal",
  "onUsage",
] as const satisfies readonly (keyof RetrieveOptions)[];

const modes: readonly SearchMode[] = ["hybrid", "dense", "lexical", "regex"];
const syntaxes: readonly QuerySyntax[] = ["literal", "lucene"];
const fusions: readonly FusionName[] = ["absolute", "weighted", "halves", "rrf"];
const everyOrigin: readonly Origin[] = ["user-content", "narrative", "note", "synthetic"];

/** Of a search that does not say. **Source** DESIGN 6, ToolUp (T45). */
const defaultTopK = 5;
const defaultSnippetLength = 240;
/** **Units** UTF-16. **Source** ToolUp's cap, before anything is embedded (T28). */
export const defaultMaxQueryLength = 8192;
/** **Source** ToolUp's bounds (T45). */
const snippetLengths = { least: 32, most: 8192 } as const;

/**
 * Checks what a caller asks for, once, before anything is searched or any model called.
 *
 * **Errors** `invalid-argument` for an unknown option, a value out of bounds or options that do not go together, `invalid-filter`.
 */
export function planSearch(options: RetrieveOptions = {}): SearchPlan {
  checkOptions("search", options, retrieveOptionNames);
  const {
    syntax = "literal",
    mode = syntax === "lucene" ? "lexical" : "hybrid",
    fusion,
    origins,
    filter,
    pattern,
    minScore,
    minFusedScore,
    snippetLength = defaultSnippetLength,
  } = options;
  oneOf("mode", mode, modes);
  oneOf("syntax", syntax, syntaxes);
  if (syntax === "lucene" && mode !== "lexical") {
    throw invalid(
      `A query in Lucene's syntax is about words; mode "${mode}" is not.`,
      "Leave mode out, or take syntax: literal.",
    );
  }
  if (fusion !== undefined) oneOf("fusion", fusion, fusions);
  if (origins !== undefined) {
    if (!Array.isArray(origins)) throw invalid("origins must be a list.", `Known origins: ${everyOrigin.join(", ")}.`);
    for (const origin of origins) oneOf("origins", origin, everyOrigin);
  }
  if (pattern !== undefined) checkPattern(pattern, mode);
  finite("minScore", minScore);
  finite("minFusedScore", minFusedScore);
  const { least, most } = snippetLengths;
  if (snippetLength !== 0 && !(Number.isInteger(snippetLength) && snippetLength >= least && snippetLength <= most)) {
    throw invalid(
      `snippetLength is ${String(snippetLength)}.`,
      `Give a whole number of characters from ${least} to ${most}, or 0 for no snippet.`,
    );
  }
  return {
    topK: checkTopK(options.topK ?? defaultTopK),
    mode,
    syntax,
    rerank: flag("rerank", options.rerank, true),
    snippetLength,
    ignoreCase: flag("ignoreCase", options.ignoreCase, false),
    explain: flag("explain", options.explain, false),
    includeEmbeddings: flag("includeEmbeddings", options.includeEmbeddings, false),
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(pattern !== undefined && { pattern }),
    ...(origins !== undefined && { origins: [...origins] }),
    ...(fusion !== undefined && { fusion }),
    ...(minScore !== undefined && { minScore }),
    ...(minFusedScore !== undefined && { minFusedScore }),
  };
}

/**
 * Checks the query itself, before any model sees it (T28).
 *
 * **Units** `maxLength` in UTF-16 code units. **Errors** `invalid-argument` for a blank query (the empty pattern, of a regex search) or one that is too long.
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
}

function checkPattern(pattern: string, mode: SearchMode): void {
  if (typeof pattern !== "string" || pattern === "") throw invalid("pattern is blank.", "Give one, or leave it out.");
  if (mode === "hybrid") return;
  throw invalid(
    `A pattern beside the query is a leg of a hybrid search; the mode is "${mode}".`,
    mode === "regex"
      ? "Give it as the query."
      : 'Leave the mode out, or search with mode: "regex" and the pattern as the query.',
  );
}

function checkTopK(topK: number | "all"): number | "all" {
  if (topK === "all" || (Number.isSafeInteger(topK) && topK >= 1)) return topK;
  throw invalid(`topK is ${String(topK)}.`, 'Give a whole number from 1 up, or "all" for every match.');
}

function oneOf(name: string, value: string, values: readonly string[]): void {
  if (!values.includes(value)) throw invalid(`${name} cannot be "${value}".`, `Choose from ${values.join(", ")}.`);
}

function finite(name: string, value: number | undefined): void {
  if (value !== undefined && !Number.isFinite(value))
    throw invalid(`${name} is ${String(value)}.`, "Give a finite number.");
}

function flag(name: string, value: boolean | undefined, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== "boolean") throw invalid(`${name} is neither true nor false.`, "Give true or false.");
  return value;
}

function invalid(message: string, hint: string): IbidError {
  return new IbidError("invalid-argument", message, { hint });
}
