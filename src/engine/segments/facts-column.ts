import type { Metadata } from "../../contracts/metadata.ts";
import type { ChunkFacts, MetadataColumn, StoredFacts } from "./segment.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** Chunks whose facts are read together: some milliseconds. */
export const factsAtOnce = 1024;

/** A metadata column that chunks are added to in order of their ordinals. */
export interface GrowingFacts {
  readonly size: number;
  add(facts: StoredFacts): void;
  column(): MetadataColumn;
}

export function createFactsColumn(capacity = 64): GrowingFacts {
  let index = new Uint32Array(capacity);
  let size = 0;
  const values: ChunkFacts[] = [];
  const known = new Map<string, number>();

  return {
    get size() {
      return size;
    },
    add({ metadata, origin }) {
      const saying = `${origin} ${metadata}`;
      let value = known.get(saying);
      if (value === undefined) {
        value = values.length;
        known.set(saying, value);
        values.push({ metadata: parseStored(metadata) as Metadata, origin });
      }
      if (size === index.length) {
        const grown = new Uint32Array(size * 2 + 1);
        grown.set(index);
        index = grown;
      }
      index[size++] = value;
    },
    column: () => ({ index, values }),
  };
}
