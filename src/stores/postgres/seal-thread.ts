import { IbidError } from "../../contracts/errors.ts";
import type { BuiltSegment } from "../../engine/segments/build-segment.ts";
import type { TermNumbers } from "../../engine/segments/term-numbers.ts";
import { Transfer } from "../../runtime/calls.ts";
import { findProgram, startThread, type Thread } from "../../runtime/thread.ts";
import { type Arrived, createArrivalSealer, packArrived } from "./seal-arrivals.ts";

/** Makes segments of chunks that a copy receives. */
export interface SealThread {
  /** **Shape** a function that waits for the segment; where there is no thread, it makes it here, by the numbers that terms have already. */
  seal(chunks: readonly Arrived[], numbers: TermNumbers): () => Promise<BuiltSegment>;
}

/** Chunks from which a segment is worth the thread. */
const worthAThread = 1024;

/** An idle thread ends after this time. **Units** milliseconds. */
const longestIdle = 10_000;

/**
 * A thread for the segments of copies. Rows are written here meanwhile.
 *
 * **Shape** it starts with the first large segment, and again after a rest. **Cost** about 70 ms of another core at the start, and the bytes of a page.
 */
export function createSealThread(start: (program: URL) => Thread = startThread): SealThread {
  const here = createArrivalSealer();
  let opened: Thread | undefined;
  let isForbidden = false;
  let working = 0;
  let idle: NodeJS.Timeout | undefined;

  function open(): Thread | undefined {
    if (isForbidden) return undefined;
    if (opened?.isAlive === true) return opened;
    const program = findProgram(() => new URL("./seal-program.ts", import.meta.url), "seal-program.mjs");
    isForbidden = program === undefined;
    return (opened = program && start(program));
  }

  async function ask(thread: Thread, chunks: readonly Arrived[]): Promise<BuiltSegment | undefined> {
    clearTimeout(idle);
    working++;
    const packed = packArrived(chunks);
    try {
      return (await thread.call(
        "seal",
        new Transfer(packed, [packed.bytes.buffer, packed.ends.buffer]),
      )) as BuiltSegment;
    } catch (error) {
      isForbidden ||= IbidError.isInstance(error, "unsupported-runtime");
      // A thread that died says nothing of the chunks. An error of theirs comes again.
      return undefined;
    } finally {
      if (--working === 0) idle = setTimeout(() => void opened?.end(), longestIdle).unref();
    }
  }

  return {
    seal(chunks, numbers) {
      const thread = chunks.length < worthAThread ? undefined : open();
      const asked = thread && ask(thread, chunks);
      return async () => (await asked) ?? here(chunks, numbers);
    },
  };
}

let shared: SealThread | undefined;

/** The thread of this process. */
export function sealThread(): SealThread {
  return (shared ??= createSealThread());
}
