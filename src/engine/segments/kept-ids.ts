import type { RowNumbers } from "./bytes.ts";
import type { Segment, SegmentSource } from "./segment.ts";

/**
 * Characters of ids that all segments of the process keep together: some 130,000 ids, and 12 MB with their maps. Each one that is read again takes 3 µs of a search.
 */
const sharedCharacters = 4_096_000;

/** Ids of one segment, by ordinal. */
interface KeptIds {
  readonly ids: Map<number, string>;
  characters: number;
}

/** The segment that ids were read of last stands last, and forgets its own last. */
const recent = new Set<KeptIds>();
let characters = 0;

function forget(kept: KeptIds): void {
  recent.delete(kept);
  characters -= kept.characters;
  kept.characters = 0;
  kept.ids.clear();
}

/** Ids of segments that nobody has any more. */
const lost = new FinalizationRegistry(forget);

/** Ids by ordinal. Those that were read of late are kept: a row keeps its id. */
export function createIdReader(keys: RowNumbers, source: SegmentSource): Pick<Segment, "chunkId" | "chunkIds"> {
  const kept: KeptIds = { ids: new Map(), characters: 0 };
  const { ids } = kept;
  function keep(ordinal: number, id: string): string {
    if (ids.has(ordinal)) return id;
    ids.set(ordinal, id);
    kept.characters += id.length;
    characters += id.length;
    return id;
  }
  /** Makes room for what was read. */
  function settle(): void {
    recent.delete(kept);
    recent.add(kept);
    for (const oldest of recent) {
      if (characters <= sharedCharacters) break;
      forget(oldest);
    }
  }
  const reader: Pick<Segment, "chunkId" | "chunkIds"> = {
    chunkId(ordinal) {
      const known = ids.get(ordinal);
      if (known !== undefined) return known;
      const id = keep(ordinal, source.chunkId(keys[ordinal]!));
      settle();
      return id;
    },
    chunkIds(ordinals) {
      const known = ordinals.map((ordinal) => ids.get(ordinal));
      const unknown = ordinals.filter((_, i) => known[i] === undefined);
      if (unknown.length === 0) return known as string[];
      const read = source.chunkIds(unknown.map((ordinal) => keys[ordinal]!)).values();
      const all = known.map((id, i) => id ?? keep(ordinals[i]!, read.next().value!));
      settle();
      return all;
    },
  };
  lost.register(reader, kept);
  return reader;
}
