import { busy } from "./refusal.ts";
import { hasShare } from "./slots.ts";

/** Memory for the bodies of all requests, from their first byte until the request is over. */
export interface BodyRoom {
  /** Room for one body of a caller. */
  open(caller: string): HeldBody;
}

/** The bytes of one body. */
export interface HeldBody {
  /** Counts bytes that arrived. **Errors** 503 when all bodies, or those of the caller, are too many bytes. */
  add(bytes: number): void;
  /** Gives the bytes back, once. */
  release(): void;
}

/** First bytes of each caller, which have room of their own: a question, or a search. */
const mostFirstBytes = 2 ** 16;

/** Callers whose first bytes have room of their own. */
const mostCallers = 256;

/**
 * Bounds the bytes of bodies that are in memory at once. **Units** bytes. `perCaller` bounds those of one caller beside no other; the share shrinks with the room that is left.
 * The first 64 KiB of a caller, or a 256th of all, have room of their own where none is left.
 */
export function createBodyRoom(maxBytes: number, perCaller: number): BodyRoom {
  const firstBytes = Math.min(mostFirstBytes, maxBytes / mostCallers);
  const held = new Map<string, number>();
  let total = 0;
  return {
    open(caller) {
      let own = 0;
      return {
        add(bytes) {
          const before = held.get(caller) ?? 0;
          const isFirst = before + bytes <= firstBytes && (before > 0 || held.size < mostCallers);
          // The last byte needs a share, as a slot does.
          const mayAdd = hasShare(before + bytes - 1, maxBytes - total - bytes + 1, maxBytes, perCaller);
          if (!isFirst && !mayAdd) throw busy(5, { connection: "close" });
          own += bytes;
          total += bytes;
          held.set(caller, before + bytes);
        },
        release() {
          const left = (held.get(caller) ?? 0) - own;
          total -= own;
          own = 0;
          if (left > 0) held.set(caller, left);
          else held.delete(caller);
        },
      };
    },
  };
}
