import { throwIfAborted, untilAborted } from "../../runtime/abort.ts";

/** Between two questions. **Units** milliseconds. They double up to the most. */
const pauses = { first: 50, most: 2_000 } as const;

/**
 * Asks until the answer is yes: some databases make an index in the background, and cannot be written meanwhile.
 *
 * **Errors** `timeout` and `aborted`, as the signal says; what the question throws. **Source** Pinecone's `status.ready`.
 */
export async function untilReady(isReady: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  const what = "Waiting for the store";
  for (let pause: number = pauses.first; ; pause = Math.min(2 * pause, pauses.most)) {
    throwIfAborted(signal, what);
    if (await untilAborted(isReady(), signal, what)) return;
    await wait(pause, signal, what);
  }
}

async function wait(ms: number, signal: AbortSignal | undefined, what: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await untilAborted(promise, signal, what);
  } finally {
    clearTimeout(timer);
  }
}
