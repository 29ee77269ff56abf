import type { DirectoryReader } from "./segment-directory.ts";

type Look = <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;

/**
 * A look that shares one transaction with all looks of the same turn. The legs of one search see one state and pay for one transaction.
 *
 * **Errors** each look's own reach it alone; what ends the transaction reaches all.
 */
export function createSharedLook(look: Look): Look {
  let waiting: ((rows: DirectoryReader) => void)[] = [];
  let shared: Promise<void> | undefined;

  function start(): Promise<void> {
    return Promise.resolve().then(() => {
      const together = waiting;
      waiting = [];
      shared = undefined;
      return look((rows) => {
        for (const work of together) work(rows);
      });
    });
  }

  return <Result>(work: (rows: DirectoryReader) => Result) => {
    let outcome: { readonly result: Result } | { readonly error: unknown } | undefined;
    waiting.push((rows) => {
      try {
        outcome = { result: work(rows) };
      } catch (error) {
        outcome = { error };
      }
    });
    shared ??= start();
    return shared.then(() => {
      if (outcome !== undefined && "result" in outcome) return outcome.result;
      throw outcome?.error;
    });
  };
}
