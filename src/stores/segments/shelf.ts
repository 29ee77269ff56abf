/** Runs of bytes that wait to be read once, in the order in which they came. */
export interface Shelf {
  put(bytes: Uint8Array): void;
  /** From the first on, again from the first when it is asked again. **Shape** each is good until the next is asked for. */
  each(): Iterable<Uint8Array>;
  /** The file that it is, for another thread of this process. Absent for one in memory. */
  share?(): SharedShelf;
  /** Lets all of it go. */
  close(): void;
}

/** A shelf that another thread reads while it stays open here. */
export interface SharedShelf {
  /** Descriptor, which all threads of a process share. */
  readonly file: number;
  readonly bytes: number;
  /** The database beside which it lies, for errors. */
  readonly beside: string;
}

/** Many short runs lie in a few long boards: by itself each would take half as much again. **Units** bytes. */
export const boardBytes = 1024 * 1024;

/** A shelf in memory. */
export function createMemoryShelf(): Shelf {
  let boards: { readonly bytes: Uint8Array; readonly ends: number[] }[] = [];
  return {
    put(bytes) {
      const last = boards.at(-1);
      const length = last?.ends.at(-1) ?? 0;
      if (last !== undefined && length + bytes.length <= last.bytes.length) {
        last.bytes.set(bytes, length);
        last.ends.push(length + bytes.length);
        return;
      }
      const board = new Uint8Array(Math.max(boardBytes, bytes.length));
      board.set(bytes);
      boards.push({ bytes: board, ends: [bytes.length] });
    },
    *each() {
      for (const { bytes, ends } of boards) {
        let start = 0;
        for (const end of ends) {
          yield bytes.subarray(start, end);
          start = end;
        }
      }
    },
    close() {
      boards = [];
    },
  };
}
