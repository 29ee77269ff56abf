import type { Postings } from "../segments/segment.ts";

/** Lists of one segment that were decoded, so that a term asked for again costs nothing. */
export interface PostingsCache {
  get(term: string): Postings | undefined;
  clear(): void;
}

/**
 * Bytes of lists that all segments of the process keep together. Searches keep what they need of a list elsewhere; here it is for the next commit, and for those of
 * other scopes.
 */
const sharedBytes = 8_000_000;

interface Kept {
  readonly list: Postings | undefined;
  readonly bytes: number;
  readonly term: string;
  /** The lists of its segment. */
  readonly home: Map<string, Kept>;
}

/** The list that was asked for last stands last, and goes last. */
const recent = new Set<Kept>();
let bytes = 0;

function drop(kept: Kept): void {
  recent.delete(kept);
  bytes -= kept.bytes;
}

/** Lists of segments that nobody has any more. */
const lost = new FinalizationRegistry((home: ReadonlyMap<string, Kept>) => home.forEach(drop));

/** **Cost** `read` once per term, as long as it is among those that were asked for last. */
export function createPostingsCache(read: (term: string) => Postings | undefined): PostingsCache {
  const home = new Map<string, Kept>();
  const cache: PostingsCache = {
    get(term) {
      let kept = home.get(term);
      if (kept === undefined) {
        const list = read(term);
        home.set(term, (kept = { list, bytes: bytesOf(list), term, home }));
        bytes += kept.bytes;
      } else recent.delete(kept);
      recent.add(kept);
      for (const oldest of recent) {
        if (bytes <= sharedBytes || oldest === kept) break;
        oldest.home.delete(oldest.term);
        drop(oldest);
      }
      return kept.list;
    },
    clear() {
      home.forEach(drop);
      home.clear();
    },
  };
  lost.register(cache, home);
  return cache;
}

function bytesOf(list: Postings | undefined): number {
  return 100 + (list === undefined ? 0 : list.ordinals.length * (list.names === undefined ? 8 : 12));
}
