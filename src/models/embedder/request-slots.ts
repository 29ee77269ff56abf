/** Requests that may be under way at one time, for all that share them. */
export interface RequestSlots {
  /** Runs `work` when its turn comes, in the order of asking. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** **Shape** first come, first served; each call that ends, failed or not, admits the next. */
export function createRequestSlots(count: number): RequestSlots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}
