import type { KeptFiles } from "../../contracts/store.ts";

/** Parts of shared indexes that a process without a copy keeps in memory, by their names. */
export interface LazyFiles {
  get(key: string): Uint8Array | undefined;
  /** Whether it is here; it will be used. */
  has(key: string): boolean;
  set(key: string, bytes: Uint8Array): void;
  /** Forgets those that were used longest ago, down to the most. While a question runs nothing is forgotten: its reads need all that it has fetched. */
  makeRoom(): void;
  status(): KeptFiles;
}

/** Parts whose names are remembered after they were forgotten, so that it shows when they come again. */
const mostForgotten = 100_000;

/** `isHeld` names parts that are small, and that every question needs. */
export function createLazyFiles(mostBytes: number, isHeld: (key: string) => boolean): LazyFiles {
  const files = new Map<string, Uint8Array>();
  const forgotten = new Set<string>();
  let bytes = 0;
  let needed = 0;
  let againBytes = 0;
  const get = (key: string): Uint8Array | undefined => {
    const known = files.get(key);
    // The order of the map is that of the last uses.
    if (known !== undefined && files.delete(key)) files.set(key, known);
    return known;
  };
  return {
    get,
    has: (key) => get(key) !== undefined,
    set(key, part) {
      bytes += part.length - (files.get(key)?.length ?? 0);
      files.set(key, part);
      if (forgotten.delete(key)) againBytes += part.length;
    },
    makeRoom() {
      if (bytes <= mostBytes) return;
      needed = Math.max(needed, bytes);
      if (forgotten.size > mostForgotten) forgotten.clear();
      for (const [key, part] of files) {
        if (bytes <= mostBytes) break;
        if (isHeld(key)) continue;
        files.delete(key);
        forgotten.add(key);
        bytes -= part.length;
      }
    },
    status: () => ({
      bytes,
      mostBytes,
      againBytes,
      ...(againBytes > 0 && { hint: `Set keepBytes to ${Math.ceil(needed / 1e6) * 1e6} or more.` }),
    }),
  };
}
