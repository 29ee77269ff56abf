import { busy } from "./refusal.ts";

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

/** Bounds the bytes of bodies that are in memory at once. **Units** bytes. `perCaller` bounds those of one caller. */
export function createBodyRoom(maxBytes: number, perCaller: number): BodyRoom {
  const held = new Map<string, number>();
  let total = 0;
  return {
    open(caller) {
      let own = 0;
      return {
        add(bytes) {
          const callers = (held.get(caller) ?? 0) + bytes;
          if (callers > perCaller || total + bytes > maxBytes) throw busy(5, { connection: "close" });
          own += bytes;
          total += bytes;
          held.set(caller, callers);
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
