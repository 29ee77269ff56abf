/**
 * A value to compare metadata with. Numbers compare with numbers, strings with strings; mixed types never match.
 *
 * @experimental
 */
export type FilterValue = string | number | boolean | null;

/**
 * The filter language as data: serialisable, one meaning in every store.
 *
 * A missing key fails every comparison but `ne` and `nin`; `not` negates its operand. `and: []` is true, `or: []` false.
 * Keys are top-level metadata keys, taken literally.
 *
 * | op | true when the key is there and |
 * |---|---|
 * | `eq` `in` | the value is identical to the given (to one of the given) |
 * | `ne` `nin` | not `eq`, not `in`; also when the key is missing |
 * | `gt` `gte` `lt` `lte` | both are numbers or both are strings, and compare so (strings by UTF-16 code unit, so ISO dates work) |
 * | `contains` `startsWith` `endsWith` | both are strings, and one contains, starts with or ends with the other |
 * | `like` | it is a string that the regular expression matches somewhere; linear time, no look-around or back-reference |
 * | `hasElement` | it is a list with an element identical to the given |
 * | `exists` | (nothing more) |
 *
 * `ignoreCase` compares simple lower-case forms. **Source** Ballerina, Wesichain, Embabel; the choices are in docs/principles.md.
 */
export type Filter =
  | { readonly op: "eq" | "ne"; readonly key: string; readonly value: FilterValue; readonly ignoreCase?: true }
  | { readonly op: "gt" | "gte" | "lt" | "lte"; readonly key: string; readonly value: string | number }
  | { readonly op: "in" | "nin"; readonly key: string; readonly values: readonly FilterValue[] }
  | {
      readonly op: "contains" | "startsWith" | "endsWith";
      readonly key: string;
      readonly value: string;
      readonly ignoreCase?: true;
    }
  | { readonly op: "like"; readonly key: string; readonly pattern: string; readonly ignoreCase?: true }
  | { readonly op: "hasElement"; readonly key: string; readonly value: FilterValue }
  | { readonly op: "exists"; readonly key: string }
  | { readonly op: "and" | "or"; readonly filters: readonly Filter[] }
  | { readonly op: "not"; readonly filter: Filter };

/**
 * Conditions on one key in the plain-object form: all must hold.
 *
 * @experimental
 */
export interface FieldConditions {
  readonly eq?: FilterValue;
  readonly ne?: FilterValue;
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly in?: readonly FilterValue[];
  readonly nin?: readonly FilterValue[];
  readonly contains?: string;
  readonly startsWith?: string;
  readonly endsWith?: string;
  readonly like?: string;
  readonly hasElement?: FilterValue;
  readonly exists?: boolean;
  /** Applies to `eq`, `ne`, `contains`, `startsWith`, `endsWith` and `like` beside it. */
  readonly ignoreCase?: boolean;
}

/**
 * The form people type: `{ department: "HR", year: { gte: 2024 } }`; all keys must hold.
 * The keys `and`, `or` and `not` combine; metadata keys of those names need the builder.
 *
 * @experimental
 */
export interface PlainFilter {
  readonly and?: readonly FilterInput[];
  readonly or?: readonly FilterInput[];
  readonly not?: FilterInput;
  readonly [key: string]: FilterValue | FieldConditions | readonly FilterInput[] | FilterInput | undefined;
}

/** A filter in either form. */
export type FilterInput = Filter | PlainFilter;
