import type { JsonValue } from "./metadata.ts";

/**
 * A value to compare metadata with. Numbers compare with numbers, strings with strings; mixed types never match.
 *
 * @experimental
 */
export type FilterValue = string | number | boolean | null;

/**
 * A value for `eq`, `ne`, `in` and `nin`. A list or an object is compared by its JSON, whatever the order of its keys.
 *
 * @experimental
 */
export type FilterOperand = JsonValue;

/**
 * The filter language as data: serialisable, one meaning in every store.
 *
 * A missing key fails every comparison but `ne` and `nin`; `not` negates its operand. `and: []` is true, `or: []` false.
 * Keys are top-level metadata keys, taken literally.
 *
 * | op | true when the key is there and |
 * |---|---|
 * | `eq` `in` | the value is identical to the given (to one of the given); lists and objects by their JSON |
 * | `ne` `nin` | not `eq`, not `in`; also when the key is missing |
 * | `gt` `gte` `lt` `lte` | both are numbers or both are strings, and compare so (strings by UTF-16 code unit, so ISO dates work) |
 * | `contains` `startsWith` `endsWith` | both are strings, and one contains, starts with or ends with the other |
 * | `like` | it is a string that the regular expression matches somewhere; linear time, no look-around or back-reference |
 * | `hasElement` | it is a list with an element identical to the given |
 * | `exists` | (nothing more) |
 *
 * `ignoreCase` compares simple lower-case forms. `coerce` reads a string that holds a number as that number. **Source** Ballerina, Wesichain, Embabel; the choices are in docs/principles.md.
 */
export type Filter =
  | { readonly op: "eq" | "ne"; readonly key: string; readonly value: FilterOperand; readonly ignoreCase?: true }
  | {
      readonly op: "gt" | "gte" | "lt" | "lte";
      readonly key: string;
      readonly value: string | number;
      readonly coerce?: true;
    }
  | { readonly op: "in" | "nin"; readonly key: string; readonly values: readonly FilterOperand[] }
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
  readonly eq?: FilterOperand;
  readonly ne?: FilterOperand;
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly in?: readonly FilterOperand[];
  readonly nin?: readonly FilterOperand[];
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

/**
 * The wire form of Ballerina's filters: a group of conditions and further groups. **Source** Ballerina `MetadataFilters`.
 *
 * @experimental
 */
export interface WireFilter {
  readonly filters: readonly (WireFilter | WireCondition)[];
  /** Default `"and"`. */
  readonly condition?: "and" | "or";
}

/**
 * One condition of the wire form. **Source** Ballerina `MetadataFilter`.
 *
 * @experimental
 */
export interface WireCondition {
  readonly key: string;
  /** Default `"=="`. */
  readonly operator?: "==" | "!=" | ">" | "<" | ">=" | "<=" | "in" | "nin";
  readonly value: JsonValue;
}

/**
 * The serialised form of Wesichain's filters, with one tag each. **Source** Wesichain `MetadataFilter`.
 *
 * @experimental
 */
export type TaggedFilter =
  | { readonly Eq: readonly [key: string, value: FilterValue] }
  | { readonly In: readonly [key: string, values: readonly FilterValue[]] }
  | { readonly Range: { readonly key: string; readonly min?: FilterValue; readonly max?: FilterValue } }
  | { readonly All: readonly TaggedFilter[] }
  | { readonly Any: readonly TaggedFilter[] };

/** A filter in one of its forms. */
export type FilterInput = Filter | PlainFilter | WireFilter | TaggedFilter;
