/** The best `k` of what is offered. */
export interface TopK {
  /** Below this, an offer cannot be taken any more; at it, only for a smaller item. `-Infinity` until `k` have been taken. */
  readonly floor: number;
  offer(score: number, item: number): void;
  /** Forgets everything, and keeps the best of another number from now on; what it needs is there already, mostly. */
  reset(k: number): void;
  /** **Shape** by score, highest first, ties by item, smallest first. */
  take(): { readonly scores: Float64Array; readonly items: Uint32Array };
}

/**
 * Keeps the best `k` in a binary heap whose root is the worst of them.
 *
 * **Shape** `k` is a whole number, 0 or more; callers bound it by what can be offered. Items are unsigned 32-bit. NaN is never taken.
 * **Cost** O(log k) per offer that is taken, O(1) per one that is not.
 */
export function createTopK(wanted: number): TopK {
  let k = wanted;
  let capacity = Math.min(k, 64);
  let scores = new Float64Array(capacity);
  let items = new Uint32Array(capacity);
  let size = 0;

  /** Whether slot `a` ranks below slot `b`. */
  function below(a: number, b: number): boolean {
    const difference = scores[a]! - scores[b]!;
    return difference < 0 || (difference === 0 && items[a]! > items[b]!);
  }

  function swap(a: number, b: number): void {
    const score = scores[a]!;
    const item = items[a]!;
    scores[a] = scores[b]!;
    items[a] = items[b]!;
    scores[b] = score;
    items[b] = item;
  }

  function sink(slot: number, end: number): void {
    for (let parent = slot; ;) {
      const left = 2 * parent + 1;
      if (left >= end) return;
      const worse = left + 1 < end && below(left + 1, left) ? left + 1 : left;
      if (!below(worse, parent)) return;
      swap(parent, worse);
      parent = worse;
    }
  }

  function rise(slot: number): void {
    for (let child = slot; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!below(child, parent)) return;
      swap(child, parent);
      child = parent;
    }
  }

  function grow(): void {
    capacity = Math.min(k, Math.max(64, capacity * 2));
    const moreScores = new Float64Array(capacity);
    const moreItems = new Uint32Array(capacity);
    moreScores.set(scores);
    moreItems.set(items);
    scores = moreScores;
    items = moreItems;
  }

  return {
    get floor() {
      if (k === 0) return Infinity;
      return size < k ? -Infinity : scores[0]!;
    },
    offer(score, item) {
      if (Number.isNaN(score) || k === 0) return;
      if (size < k) {
        if (size === capacity) grow();
        scores[size] = score;
        items[size] = item;
        rise(size++);
        return;
      }
      const worst = scores[0]!;
      if (score < worst || (score === worst && item > items[0]!)) return;
      scores[0] = score;
      items[0] = item;
      sink(0, size);
    },
    reset(another) {
      k = another;
      size = 0;
    },
    take() {
      // Heap sort: the worst goes to the end of what is left, so the best ends up first.
      for (let end = size - 1; end > 0; end--) {
        swap(0, end);
        sink(0, end);
      }
      const taken = { scores: scores.slice(0, size), items: items.slice(0, size) };
      size = 0;
      return taken;
    },
  };
}
