import type { Postings } from "../segments/segment.ts";

/** Lists that were decoded, so that a term asked for again costs nothing. */
export interface PostingsCache {
  get(term: string): Postings | undefined;
  clear(): void;
}

/** Bytes that one segment keeps decoded, at least. Searches keep what they need of a list elsewhere; here it is for the next commit, and for those of other scopes. */
const leastBudget = 500_000;
const mostBudget = 4_000_000;

/** Bytes that it keeps for each of its chunks: segments of a million chunks together keep 32 MB. */
const budgetPerChunk = 32;

/** **Cost** `read` once per term, as long as it is among those that were asked for last. `chunks` is how many the segment has; unknown where it grows. */
export function createPostingsCache(read: (term: string) => Postings | undefined, chunks = Infinity): PostingsCache {
  const budget = Math.min(mostBudget, Math.max(leastBudget, budgetPerChunk * chunks));
  const lists = new Map<string, Postings | undefined>();
  let kept = 0;
  return {
    get(term) {
      const isKnown = lists.has(term);
      const list = isKnown ? lists.get(term) : read(term);
      // The list that was asked for last stands last, and goes last.
      if (isKnown) lists.delete(term);
      else kept += bytesOf(list);
      lists.set(term, list);
      for (const [other, own] of lists) {
        if (kept <= budget || other === term) break;
        lists.delete(other);
        kept -= bytesOf(own);
      }
      return list;
    },
    clear() {
      lists.clear();
      kept = 0;
    },
  };
}

function bytesOf(list: Postings | undefined): number {
  return 100 + (list === undefined ? 0 : list.ordinals.length * (list.names === undefined ? 8 : 12));
}
