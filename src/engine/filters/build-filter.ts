import type { Filter, FilterInput, FilterValue } from "../../contracts/filter.ts";
import { parseFilter } from "./parse-filter.ts";

export interface CaseOptions {
  /** Compare simple lower-case forms. Default false. */
  readonly ignoreCase?: boolean;
}

/** The conditions that can be put on one metadata key. Each gives a whole filter. */
export interface FilterBuilder {
  eq(value: FilterValue, options?: CaseOptions): Filter;
  /** True as well when the key is missing. */
  ne(value: FilterValue, options?: CaseOptions): Filter;
  gt(value: string | number): Filter;
  gte(value: string | number): Filter;
  lt(value: string | number): Filter;
  lte(value: string | number): Filter;
  in(values: readonly FilterValue[]): Filter;
  /** True as well when the key is missing. */
  nin(values: readonly FilterValue[]): Filter;
  contains(value: string, options?: CaseOptions): Filter;
  startsWith(value: string, options?: CaseOptions): Filter;
  endsWith(value: string, options?: CaseOptions): Filter;
  /** A regular expression that matches somewhere; see `compileLinearRegex`. */
  like(pattern: string, options?: CaseOptions): Filter;
  hasElement(value: FilterValue): Filter;
  exists(): Filter;
}

/**
 * Conditions on a metadata key of any name, `and`, `or`, `not` and `op` included: `where("year").gte(2024)`.
 *
 * **Errors** `invalid-filter`, as `parseFilter`. **Source** Embabel's property filter.
 *
 * @experimental
 */
export function where(key: string): FilterBuilder {
  const text = (op: "contains" | "startsWith" | "endsWith") => (value: string, options?: CaseOptions) =>
    parseFilter({ op, key, value, ...caseOf(options) });
  const equal = (op: "eq" | "ne") => (value: FilterValue, options?: CaseOptions) =>
    parseFilter({ op, key, value, ...caseOf(options) });
  const order = (op: "gt" | "gte" | "lt" | "lte") => (value: string | number) => parseFilter({ op, key, value });
  const list = (op: "in" | "nin") => (values: readonly FilterValue[]) => parseFilter({ op, key, values });
  return {
    eq: equal("eq"),
    ne: equal("ne"),
    gt: order("gt"),
    gte: order("gte"),
    lt: order("lt"),
    lte: order("lte"),
    in: list("in"),
    nin: list("nin"),
    contains: text("contains"),
    startsWith: text("startsWith"),
    endsWith: text("endsWith"),
    like: (pattern, options) => parseFilter({ op: "like", key, pattern, ...caseOf(options) }),
    hasElement: (value) => parseFilter({ op: "hasElement", key, value }),
    exists: () => parseFilter({ op: "exists", key }),
  };
}

/**
 * All must hold; of none, true. Members may be in either form.
 *
 * @experimental
 */
export function allOf(...filters: readonly FilterInput[]): Filter {
  return parseFilter({ op: "and", filters: filters as readonly Filter[] });
}

/**
 * One must hold; of none, false. Members may be in either form.
 *
 * @experimental
 */
export function anyOf(...filters: readonly FilterInput[]): Filter {
  return parseFilter({ op: "or", filters: filters as readonly Filter[] });
}

/**
 * It must not hold; so also where a comparison fails for want of its key.
 *
 * @experimental
 */
export function not(filter: FilterInput): Filter {
  return parseFilter({ op: "not", filter: filter as Filter });
}

function caseOf(options: CaseOptions | undefined): { readonly ignoreCase?: true } {
  return options?.ignoreCase === true ? { ignoreCase: true } : {};
}
