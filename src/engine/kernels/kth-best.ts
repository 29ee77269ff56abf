/** The k-th best of the scores that were offered: a heap that is used again and again. */
export interface KthBest {
  /** Forgets everything. **Shape** `k` is a whole number from 1. */
  reset(k: number): void;
  /** The k-th best score so far; `-Infinity` until there are k. */
  readonly floor: number;
  /** **Cost** O(log k) for a score above the threshold. */
  offer(score: number): void;
}

export function createKthBest(): KthBest {
  let heap = new Float64Array(64);
  let wanted = 1;
  let size = 0;

  return {
    reset(k) {
      wanted = k;
      size = 0;
    },
    get floor() {
      return size < wanted ? -Infinity : heap[0]!;
    },
    offer(score) {
      let slot: number;
      if (size < wanted) {
        if (size === heap.length) {
          const grown = new Float64Array(heap.length * 2);
          grown.set(heap);
          heap = grown;
        }
        slot = size++;
        for (let parent = (slot - 1) >> 1; slot > 0 && heap[parent]! > score; parent = (slot - 1) >> 1) {
          heap[slot] = heap[parent]!;
          slot = parent;
        }
      } else {
        if (!(score > heap[0]!)) return;
        slot = 0;
        for (;;) {
          let child = 2 * slot + 1;
          if (child + 1 < size && heap[child + 1]! < heap[child]!) child++;
          if (child >= size || heap[child]! >= score) break;
          heap[slot] = heap[child]!;
          slot = child;
        }
      }
      heap[slot] = score;
    },
  };
}
