import { throwIfAborted } from "../runtime/abort.ts";
import { busy } from "./refusal.ts";

/** Slots for requests that run at once, and a queue for those that wait. */
export interface Slots {
  /** Waits for a slot. **Shape** the function that returns it. **Errors** 503 when the queue, or the caller's share of it, is full; `aborted`, `timeout`. */
  take(caller: string, signal: AbortSignal): Promise<() => void>;
}

/** Sizes of {@link Slots}. */
export interface SlotSizes {
  readonly concurrent: number;
  readonly waiting: number;
  /** Slots that one caller may hold. The caller's share of the queue is in the same proportion. */
  readonly perCaller: number;
}

interface Waiting {
  readonly caller: string;
  readonly go: () => void;
}

/**
 * Makes slots of which one caller holds a share at most.
 *
 * **Shape** a free slot goes to the waiting caller who holds the fewest, and among equal ones to the first. **Cost** a returned slot looks at each waiting request.
 */
export function createSlots({ concurrent, waiting, perCaller }: SlotSizes): Slots {
  const waitingPerCaller = Math.ceil((waiting * perCaller) / concurrent);
  const held = new Map<string, number>();
  const queue = new Set<Waiting>();
  const queued = new Map<string, number>();
  let free = concurrent;
  const heldBy = (caller: string): number => held.get(caller) ?? 0;
  const enqueue = (place: Waiting): void => {
    queue.add(place);
    add(queued, place.caller, 1);
  };
  const dequeue = (place: Waiting): void => {
    if (queue.delete(place)) add(queued, place.caller, -1);
  };

  /** Takes a free slot, and returns the function that gives it back. */
  const start = (caller: string): (() => void) => {
    let isHeld = true;
    free -= 1;
    add(held, caller, 1);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += 1;
      add(held, caller, -1);
      letIn();
    };
  };

  const letIn = (): void => {
    let next: Waiting | undefined;
    for (const each of queue) {
      if (heldBy(each.caller) >= perCaller) continue;
      if (next === undefined || heldBy(each.caller) < heldBy(next.caller)) next = each;
    }
    if (next === undefined) return;
    dequeue(next);
    next.go();
  };

  return {
    async take(caller, signal) {
      throwIfAborted(signal, "The request");
      if (free > 0 && heldBy(caller) < perCaller) return start(caller);
      if (queue.size >= waiting || (queued.get(caller) ?? 0) >= waitingPerCaller) throw busy(1);
      const giveBack = await new Promise<(() => void) | undefined>((resolve) => {
        const leave = (): void => {
          dequeue(place);
          resolve(undefined);
        };
        const place: Waiting = {
          caller,
          go() {
            signal.removeEventListener("abort", leave);
            resolve(start(caller));
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        enqueue(place);
      });
      if (giveBack !== undefined) return giveBack;
      throwIfAborted(signal, "The request");
      throw busy(1);
    },
  };
}

/** Adds to a count, which is absent at 0. */
function add(counts: Map<string, number>, caller: string, more: number): void {
  const count = (counts.get(caller) ?? 0) + more;
  if (count === 0) counts.delete(caller);
  else counts.set(caller, count);
}
