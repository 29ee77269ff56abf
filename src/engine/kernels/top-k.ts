/** The best `k` of what is offered, and all that equal the last of them. */
export interface TopK {
  /** Below this, an offer cannot be taken any more. `-Infinity` until `k` have been taken. */
  readonly floor: number;
  offer(score: number, item: number): void;
  /** Forgets everything, and keeps the best of another number from now on; what it needs is there already, mostly. */
  reset(k: number): void;
  /** **Shape** by score, highest first, equal scores in no order; more than `k` where scores equal the k-th best. */
  take(): { readonly scores: Float64Array; readonly items: Uint32Array };
}

/**
 * Keeps the best `k` in a binary heap whose root is the worst of them, and beside it the items whose score equals the root's.
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
  /** Items that have the root's score and no room in the heap. */
  let level: number[] = [];

  /** Whether slot `a` ranks below slot `b`. */
  function below(a: number, b: number): boolean {
    return scores[a]! < scores[b]!;
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
      if (score < worst) return;
      if (score === worst) {
        level.push(item);
        return;
      }
      const pushed = items[0]!;
      scores[0] = score;
      items[0] = item;
      sink(0, size);
      if (scores[0] === worst) level.push(pushed);
      else if (level.length > 0) level = [];
    },
    reset(another) {
      k = another;
      size = 0;
      level = [];
    },
    take() {
      // Heap sort: the worst goes to the end of what is left, so the best ends up first.
      for (let end = size - 1; end > 0; end--) {
        swap(0, end);
        sink(0, end);
      }
      const worst = size === 0 ? 0 : scores[size - 1]!;
      const taken = { scores: new Float64Array(size + level.length), items: new Uint32Array(size + level.length) };
      taken.scores.set(scores.subarray(0, size));
      taken.items.set(items.subarray(0, size));
      taken.scores.fill(worst, size);
      taken.items.set(level, size);
      size = 0;
      level = [];
      return taken;
    },
  };
}
