/** Rows of numbers with a time each, of a window that moves on. */
export interface RecentMarks {
  /** Appends a row. `at` is its first number. */
  add(at: number, ...others: readonly number[]): void;
  /** Rows after a time, in the order in which they were added. It lets go of the others. */
  after(from: number): readonly (readonly number[])[];
}

export interface RecentMarksOptions {
  readonly now: () => number;
  /** **Units** as those of `now`. */
  readonly window: number;
  /** Rows that are kept within the window; where there are more, the oldest go. */
  readonly most: number;
  /** Numbers in a row. */
  readonly width: number;
}

const firstRows = 64;

/**
 * Remembers rows of numbers, outside of the heap that the garbage collector walks.
 *
 * **Cost** 8 bytes for each number, and room for twice the rows at most. Where the room is used up, rows before the window go first.
 */
export function createRecentMarks({ now, window, most, width }: RecentMarksOptions): RecentMarks {
  let room = new Float64Array(firstRows * width);
  let used = 0;

  /** Keeps the rows after a time, `atMost` of them. */
  function keepAfter(from: number, atMost: number): void {
    let kept = 0;
    for (let row = 0; row < used; row++) {
      if (room[row * width]! <= from) continue;
      room.copyWithin(kept * width, row * width, (row + 1) * width);
      kept++;
    }
    const left = Math.min(kept, atMost);
    room.copyWithin(0, (kept - left) * width, kept * width);
    used = left;
  }

  function makeRoom(): void {
    keepAfter(now() - window, most);
    // Half of the room stays free, so that rows are moved seldom.
    if (used * 2 * width <= room.length) return;
    const larger = new Float64Array(Math.min(room.length * 2, most * 2 * width));
    larger.set(room.subarray(0, used * width));
    room = larger;
  }

  return {
    add(...row) {
      if (used * width === room.length) makeRoom();
      room.set(row, used * width);
      used++;
    },
    after(from) {
      keepAfter(from, most);
      return Array.from({ length: used }, (_, row) => [...room.subarray(row * width, (row + 1) * width)]);
    },
  };
}
