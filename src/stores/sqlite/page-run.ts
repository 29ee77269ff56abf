import { readSync } from "node:fs";

/** A database's file. */
export interface Pages {
  readonly handle: number;
  readonly size: number;
  /** Bytes of a chain's page beside the number of the next one. */
  readonly room: number;
}

/** Pages that stand next to one another in a file, as they were read last. */
export interface PageRun {
  readonly bytes: Uint8Array;
  /** Where a page begins in `bytes`, which is read when it is not there. **Shape** holds until the next call; -1 where there is no such page. */
  find(pages: Pages, number: number): number;
  forget(): void;
}

/** Pages that one call reads at most: a tenth of a millisecond of reading, and no more of it in vain where a run ends. */
const mostPages = 32;

/**
 * Reads ahead: the more of what was read is asked for, the more is read at once; where pages come in falling order, as they do from SQLite's list of free
 * ones, what stands before.
 *
 * **Cost** at most about three times the bytes that are asked for, and a call for every 32 pages where they stand in a row.
 */
export function createPageRun(): PageRun {
  let bytes = new Uint8Array(0);
  let first = 0;
  let count = 0;
  let used = 0;
  let length = 1;
  let last = 0;

  function readAround({ handle, size }: Pages, number: number): void {
    length = used * 2 >= count ? Math.min(mostPages, length * 2) : Math.max(1, length >> 2);
    if (bytes.length < length * size) bytes = new Uint8Array(length * size);
    first = number < last ? Math.max(1, number - length + 1) : number;
    count = Math.floor(readSync(handle, bytes, 0, length * size, (first - 1) * size) / size);
    used = 0;
  }

  return {
    get bytes() {
      return bytes;
    },
    find(pages, number) {
      if (number < 1) return -1;
      if (number < first || number >= first + count) readAround(pages, number);
      last = number;
      if (number >= first + count) return -1;
      used++;
      return (number - first) * pages.size;
    },
    forget() {
      count = 0;
    },
  };
}
