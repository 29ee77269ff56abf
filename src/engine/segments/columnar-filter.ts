import type { Filter } from "../../contracts/filter.ts";
import type { JsonValue } from "../../contracts/metadata.ts";
import { compileFilter } from "../filters/compile-filter.ts";
import type { ChunkFacts, MetadataColumn } from "./segment.ts";

/** The values of one metadata key among distinct sayings: saying `s` has value number `numbers[s]`, which the saying `samples[number]` has too. */
interface KeyColumn {
  numbers: Uint32Array;
  /** Sayings that are numbered. */
  size: number;
  readonly samples: number[];
  readonly known: Map<unknown, number>;
}

/** By the list of sayings, which only grows, then by key. */
const columns = new WeakMap<readonly ChunkFacts[], Map<string, KeyColumn>>();

/**
 * Applies a filter to the distinct metadata of a segment: one flag each.
 *
 * **Shape** the same as `compileFilter` for each, one by one. A condition is on one key, so it is tested once per distinct value of that key; `and`, `or`
 * and `not` work on flags. **Cost** the values of a key are numbered once; then a condition costs its distinct values and a look per entry.
 */
export function judge(filter: Filter, facts: Pick<MetadataColumn, "values">): Uint8Array {
  const { values } = facts;
  switch (filter.op) {
    case "and": {
      const flags = new Uint8Array(values.length).fill(1);
      for (const inner of filter.filters) {
        const others = judge(inner, facts);
        for (let i = 0; i < flags.length; i++) flags[i]! &= others[i]!;
      }
      return flags;
    }
    case "or": {
      const flags = new Uint8Array(values.length);
      for (const inner of filter.filters) {
        const others = judge(inner, facts);
        for (let i = 0; i < flags.length; i++) flags[i]! |= others[i]!;
      }
      return flags;
    }
    case "not": {
      const flags = judge(filter.filter, facts);
      for (let i = 0; i < flags.length; i++) flags[i]! ^= 1;
      return flags;
    }
    default: {
      const { numbers, samples } = numberValues(values, filter.key);
      const matches = compileFilter(filter);
      const verdicts = Uint8Array.from(samples, (sample) => (matches(values[sample]!.metadata) ? 1 : 0));
      const flags = new Uint8Array(values.length);
      for (let i = 0; i < flags.length; i++) flags[i] = verdicts[numbers[i]!]!;
      return flags;
    }
  }
}

function numberValues(values: readonly ChunkFacts[], key: string): KeyColumn {
  let keys = columns.get(values);
  if (keys === undefined) columns.set(values, (keys = new Map()));
  let column = keys.get(key);
  if (column === undefined) {
    column = { numbers: new Uint32Array(0), size: 0, samples: [], known: new Map() };
    keys.set(key, column);
  }
  if (column.numbers.length < values.length) {
    const grown = new Uint32Array(values.length * 2);
    grown.set(column.numbers);
    column.numbers = grown;
  }
  const { known, samples, numbers } = column;
  for (; column.size < values.length; column.size++) {
    const { metadata } = values[column.size]!;
    const value = Object.hasOwn(metadata, key) ? toKey(metadata[key]) : undefined;
    let number = known.get(value);
    if (number === undefined) {
      number = samples.length;
      known.set(value, number);
      samples.push(column.size);
    }
    numbers[column.size] = number;
  }
  return column;
}

/** Lists and objects by what they say; everything else as it is. A list is never taken for a string that looks like it. */
function toKey(value: JsonValue | undefined): unknown {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
