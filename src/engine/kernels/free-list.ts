/** Used stretches of one long room. Positions and lengths are whole numbers; their content is unknown here. */
export interface FreeList {
  /** The start of a free stretch of that length, which is taken from now on, or -1 when there is none. */
  take(length: number): number;
  /** Gives back a stretch that was taken, or adds one at the end of the room; neighbours become one. */
  give(start: number, length: number): void;
}

/**
 * First fit over stretches in order of their starts.
 *
 * **Cost** linear in the free stretches, which are few: neighbours are joined. **Source** Knuth, The Art of Computer Programming 1, 2.5.
 */
export function createFreeList(): FreeList {
  const starts: number[] = [];
  const lengths: number[] = [];
  return {
    take(length) {
      const at = lengths.findIndex((free) => free >= length);
      if (at < 0) return -1;
      const start = starts[at]!;
      if (lengths[at] === length) {
        starts.splice(at, 1);
        lengths.splice(at, 1);
      } else {
        starts[at] = start + length;
        lengths[at]! -= length;
      }
      return start;
    },
    give(start, length) {
      const after = starts.findIndex((each) => each > start);
      const at = after < 0 ? starts.length : after;
      starts.splice(at, 0, start);
      lengths.splice(at, 0, length);
      for (const left of [at, at - 1]) {
        if (left < 0 || left + 1 >= starts.length || starts[left]! + lengths[left]! !== starts[left + 1]) continue;
        lengths[left]! += lengths[left + 1]!;
        starts.splice(left + 1, 1);
        lengths.splice(left + 1, 1);
      }
    },
  };
}
