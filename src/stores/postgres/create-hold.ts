/** Many may read at once, or one may hold the file across turns of the event loop. */
export function createHold(): {
  read<Result>(work: () => Promise<Result>): Promise<Result>;
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  readonly isHeld: boolean;
} {
  const holders: Promise<void>[] = [];
  let readers = 0;
  let left: (() => void) | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async read(work) {
      while (holders.length > 0) await holders[0];
      readers++;
      try {
        return await work();
      } finally {
        if (--readers === 0) left?.();
      }
    },
    hold(work) {
      const mine = last.then(async () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        holders.push(promise);
        try {
          if (readers > 0) await new Promise<void>((done) => (left = done));
          left = undefined;
          return await work();
        } finally {
          holders.length = 0;
          resolve();
        }
      });
      last = mine.catch(() => {});
      return mine;
    },
    get isHeld() {
      return holders.length > 0;
    },
  };
}
