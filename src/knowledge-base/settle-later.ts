import type { Clock } from "../contracts/clock.ts";
import type { Store, SettleOptions } from "../contracts/store.ts";
import { settleStore } from "../ingest/settle-store.ts";
import { anySignal } from "../runtime/abort.ts";
import { nextTurn } from "../runtime/next-turn.ts";

/** Lets a store do what it put off, without anybody waiting for it unless they want to. */
export interface Settler {
  /** Settles, and waits. **Errors** as {@link settleStore}. */
  now(options: SettleOptions): Promise<void>;
  /** Settles once those who wait for something else have got it. Asked for again meanwhile, it is done once more. */
  later(): void;
  /** Settles at once if that was asked for, and ends when nothing is under way any more; never rejects. With `settle: false` it stops what is under way, and begins nothing. */
  done(options?: { readonly settle?: boolean | undefined }): Promise<void>;
}

/** Rest after a settling, as a multiple of its duration, before the next begins unasked. So fits take a tenth of the time of many small writes at most. */
const rest = 9;

/**
 * **Shape** at most one settling at a time: what one would do, the next need not. A waiting settling begins at once when the knowledge base is closed. `clock` need
 * not keep the process alive.
 */
export function createSettler(store: Pick<Store, "upkeep">, clock: Clock): Settler {
  let last: Promise<void> = Promise.resolve();
  /** Begins the settling that was asked for. */
  let begin: (() => void) | undefined;
  const stop = new AbortController();
  let isResting = false;
  let endRest = (): void => {};

  async function settle(work: () => Promise<void>): Promise<void> {
    const began = clock.now();
    try {
      await work();
    } finally {
      endRest();
      isResting = true;
      endRest = clock.after(rest * Math.max(0, clock.now() - began), () => {
        isResting = false;
        begin?.();
      });
    }
  }
  const after = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(() => settle(work));
    // Nobody waits for what is done later; it is tried again after the next ingestion.
    last = turn.catch(() => {});
    return turn;
  };

  return {
    now: ({ signal, onProgress }) =>
      after(() =>
        settleStore(store, signal === undefined ? stop.signal : anySignal([signal, stop.signal]), onProgress),
      ),
    later() {
      if (begin !== undefined) return;
      const start = (): void => {
        begin = undefined;
        after(() => settleStore(store, stop.signal)).catch(() => {});
      };
      begin = start;
      // A task of its own: an ingestion that is awaited answers first.
      void last.then(nextTurn).then(() => {
        if (begin === start && !isResting) start();
      });
    },
    async done({ settle = true } = {}) {
      if (settle) begin?.();
      else {
        begin = () => {};
        stop.abort();
      }
      await last;
      endRest();
    },
  };
}
