import { type AheadThread, type KnownTerms, startAheadThread } from "./ahead-thread.ts";
import type { Asked } from "./prepared-document.ts";

/** A thread that is there when there is enough to do for it. */
export interface LateThread {
  /** `undefined` where it is not there, or could not. **Shape** with `wait` it is started at once, and waited for. */
  prepare(reader: number, input: Asked["input"], wait: boolean): Promise<KnownTerms | undefined>;
}

/** What is read before it is worth a thread: its start takes as long as reading so much. **Units** bytes. */
const worthIt = 256 * 1024;

/** Who reads nothing for so long begins to count anew. **Units** milliseconds. */
const pause = 1000;

/** It takes a tenth of a second to start and some 80 MB to keep. */
const idleMs = 30_000;

const threads = new Map<string, LateThread>();

/** The thread of this process that works with `parts`: knowledge bases share it, and it ends by itself when they leave it alone. A lost one is not started again. */
export function shareThread(program: URL, parts: string, patienceMs: number): LateThread {
  const key = `${program.href} ${parts}`;
  let thread = threads.get(key);
  if (thread === undefined) threads.set(key, (thread = createLateThread(program, parts, patienceMs)));
  return thread;
}

function createLateThread(program: URL, parts: string, patienceMs: number): LateThread {
  let thread: AheadThread | undefined;
  let isLost = false;
  let idle: NodeJS.Timeout | undefined;
  let read = 0;
  let lastRead = 0;

  const letGo = (): void => {
    const ending = thread;
    thread = undefined;
    ending?.end();
  };
  const start = (): AheadThread => {
    const begun = startAheadThread(program, parts, patienceMs, () => {
      if (thread === begun) isLost = true;
    });
    idle = setTimeout(letGo, idleMs).unref();
    return begun;
  };

  return {
    async prepare(reader, input, wait) {
      if (isLost) return undefined;
      const now = performance.now();
      read = input.bytes.byteLength + (now - lastRead > pause ? 0 : read);
      lastRead = now;
      if (thread === undefined) {
        if (!wait && read < worthIt) return undefined;
        thread = start();
      }
      if (wait) await thread.started;
      idle?.refresh();
      return thread?.prepare(reader, input);
    },
  };
}
