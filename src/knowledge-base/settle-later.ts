import type { Store, SettleOptions } from "../contracts/store.ts";
import { settleStore } from "../ingest/settle-store.ts";

/** Lets a store do what it put off, without anybody waiting for it unless they want to. */
export interface Settler {
  /** Settles, and waits. **Errors** as {@link settleStore}. */
  now(options: SettleOptions): Promise<void>;
  /** Settles once those who wait for something else have got it. Asked for again meanwhile, it is done once more. */
  later(): void;
  /** Ends when nothing is under way any more; never rejects. */
  done(): Promise<void>;
}

/** **Shape** at most one settling at a time: what one would do, the next need not. */
export function createSettler(store: Pick<Store, "upkeep">): Settler {
  let last: Promise<void> = Promise.resolve();
  let isWaiting = false;

  const after = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work);
    // Nobody waits for what is done later; it is tried again after the next ingestion.
    last = turn.catch(() => {});
    return turn;
  };

  return {
    now: ({ signal, onProgress }) => after(() => settleStore(store, signal, onProgress)),
    later() {
      if (isWaiting) return;
      isWaiting = true;
      const turn = after(async () => {
        // A task of its own: an ingestion that is awaited answers first.
        await new Promise((resolve) => void setTimeout(resolve, 0));
        isWaiting = false;
        await settleStore(store, undefined);
      });
      turn.catch(() => {});
    },
    done: () => last,
  };
}
