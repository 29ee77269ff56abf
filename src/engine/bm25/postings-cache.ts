import type { Postings } from "../segments/segment.ts";

/** Lists that were decoded, so that a term asked for again costs nothing. */
export interface PostingsCache {
  get(term: string): Postings | undefined;
  clear(): void;
}

/** Numbers that one segment keeps decoded: for the largest segments, some hundred of the most frequent terms. */
const budget = 1 << 20;

/** **Cost** `read` once per term; everything is forgotten when the budget is spent. */
export function createPostingsCache(read: (term: string) => Postings | undefined): PostingsCache {
  const lists = new Map<string, Postings | undefined>();
  let kept = 0;
  return {
    get(term) {
      if (lists.has(term)) return lists.get(term);
      const list = read(term);
      if (kept > budget) this.clear();
      lists.set(term, list);
      kept += 16 + (list === undefined ? 0 : list.ordinals.length * (list.names === undefined ? 2 : 3));
      return list;
    },
    clear() {
      lists.clear();
      kept = 0;
    },
  };
}
