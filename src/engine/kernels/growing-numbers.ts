/** Whole numbers of 32 bits that grow at the end, outside the heap. */
export interface GrowingNumbers {
  readonly length: number;
  push(number: number): void;
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
  return {
    get length() {
      return length;
    },
    push(number) {
      if (length === numbers.length) {
        const grown = new Uint32Array(2 * length);
        grown.set(numbers);
        numbers = grown;
      }
      numbers[length++] = number;
    },
    at: (place) => numbers[place]!,
    set: (place, number) => void (numbers[place] = number),
    view: () => numbers.subarray(0, length),
    take: () => numbers.slice(0, length),
  };
}
