import { throwIfAborted } from "../runtime/abort.ts";
import { Refusal } from "./refusal.ts";

/** How many requests are worked on at once, and how many may wait for that. */
export interface Slots {
  /** Waits for a slot. **Shape** what gives it back. **Errors** a refusal (503) where too many wait; `aborted`, `timeout`. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(concurrent: number, waiting: number): Slots {
  let free = concurrent;
  const queue = new Set<() => void>();

  const giveBack = (): void => {
    const [next] = queue;
    if (next === undefined) free += 1;
    else {
      queue.delete(next);
      next();
    }
  };
  const once = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) giveBack();
      isHeld = false;
    };
  };

  return {
    async take(signal) {
      throwIfAborted(signal, "The request");
      if (free > 0) {
        free -= 1;
        return once();
      }
      if (queue.size >= waiting)
        throw new Refusal(503, "busy", "This is busy. Try again later.", { "retry-after": "1" });
      const isLetIn = await new Promise<boolean>((resolve) => {
        const go = (): void => {
          signal.removeEventListener("abort", leave);
          resolve(true);
        };
        const leave = (): void => {
          queue.delete(go);
          resolve(false);
        };
        signal.addEventListener("abort", leave, { once: true });
        queue.add(go);
      });
      if (!isLetIn) throwIfAborted(signal, "The request");
      return once();
    },
  };
}
