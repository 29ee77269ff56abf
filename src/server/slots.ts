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
  /** Slots that one caller may hold beside no other caller. The caller's share of the queue is in the same proportion. */
  readonly perCaller: number;
}

/** Callers without a slot who get one beyond `concurrent`, at once. */
const mostFirstSlots = 256;

interface Waiting {
  readonly caller: string;
  readonly go: () => void;
}

/**
 * Makes slots of which no number of callers takes all that another needs.
 *
 * **Shape** a caller's share shrinks with the slots that are free, so that several greedy callers leave as much as each of them holds. A caller without a slot gets one
 * also where none is free. A free slot goes to the waiting caller who holds the fewest, and among equal ones to the first.
 * **Cost** a returned slot looks at each waiting request. Up to 256 requests run beyond `concurrent`, of as many callers.
 * **Source** Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998).
 */
export function createSlots({ concurrent, waiting, perCaller }: SlotSizes): Slots {
  const held = new Map<string, number>();
  const queue = new Set<Waiting>();
  const queued = new Map<string, number>();
  let free = concurrent;
  const heldBy = (caller: string): number => held.get(caller) ?? 0;
  const mayStart = (caller: string): boolean =>
    hasShare(heldBy(caller), free, concurrent, perCaller) || (heldBy(caller) === 0 && free > -mostFirstSlots);
  const mayWait = (caller: string): boolean =>
    hasShare(queued.get(caller) ?? 0, waiting - queue.size, concurrent, perCaller);
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
      if (!mayStart(each.caller)) continue;
      if (next === undefined || heldBy(each.caller) < heldBy(next.caller)) next = each;
    }
    if (next === undefined) return;
    dequeue(next);
    next.go();
  };

  return {
    async take(caller, signal) {
      throwIfAborted(signal, "The request");
      if (mayStart(caller)) return start(caller);
      if (!mayWait(caller)) throw busy(1);
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

/**
 * Whether a caller may have one more of what is free. Alone, the caller ends at `share` of `whole`; each of several ends at
 * the same fraction of what they leave together.
 */
export function hasShare(held: number, free: number, whole: number, share: number): boolean {
  return free > 0 && held * (whole - share) < share * free;
}

/** Adds to a count, which is absent at 0. */
function add(counts: Map<string, number>, caller: string, more: number): void {
  const count = (counts.get(caller) ?? 0) + more;
  if (count === 0) counts.delete(caller);
  else counts.set(caller, count);
}
