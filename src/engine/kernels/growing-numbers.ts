/** Whole numbers of 32 bits that grow at the end, outside the heap. */
export interface GrowingNumbers {
  readonly length: number;
  push(number: number): void;
  append(numbers: Uint8Array | Uint32Array): void;
  at(place: number): number;
  /** **Shape** the place is one that has a number. */
  set(place: number, number: number): void;
  /** **Shape** a view, which holds until the next `push`. */
  view(): Uint32Array;
  /** A copy, as long as it must be. */
  take(): Uint32Array;
}

export function createGrowingNumbers(capacity = 256): GrowingNumbers {
  let numbers = new Uint32Array(capacity);
  let length = 0;
  /** Makes room for so many at the end. */
  function widen(size: number): void {
    const grown = new Uint32Array(Math.max(2 * numbers.length, size));
    grown.set(numbers);
    numbers = grown;
  }
  return {
    get length() {
      return length;
    },
    push(number) {
      if (length === numbers.length) widen(length + 1);
      numbers[length++] = number;
    },
    append(others) {
      if (length + others.length > numbers.length) widen(length + others.length);
      numbers.set(others, length);
      length += others.length;
    },
    at: (place) => numbers[place]!,
    set: (place, number) => void (numbers[place] = number),
    view: () => numbers.subarray(0, length),
    take: () => numbers.slice(0, length),
  };
}
