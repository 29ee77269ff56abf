import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { IbidError } from "../../contracts/errors.ts";
import { boardBytes, createMemoryShelf, type SharedShelf, type Shelf } from "../segments/shelf.ts";

/** Before each run its length, in so many bytes. */
const headBytes = 4;

/**
 * A shelf in a nameless file beside the database. No other process can open it, and the system removes it when this process ends in any way. So nothing
 * remains of a document that was never acknowledged, or was purged since.
 *
 * **Shape** in memory where the system gives no such files. **Errors** `store-failed` when the disk is full.
 * **Source** POSIX `unlink`: the file lives until its last handle is closed.
 */
export function openFileShelf(beside: string): Shelf {
  const path = `${beside}-shelf-${crypto.randomUUID()}`;
  let file: number;
  try {
    file = openSync(path, "wx+", 0o600);
  } catch {
    return createMemoryShelf();
  }
  try {
    unlinkSync(path);
  } catch {
    closeSync(file);
    return createMemoryShelf();
  }
  const board = new Uint8Array(boardBytes);
  const head = new DataView(new ArrayBuffer(headBytes));
  let waiting = 0;
  let written = 0;

  function append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const length = attempt(beside, () => writeSync(file, bytes, at, bytes.length - at, written));
      at += length;
      written += length;
    }
  }

  function flush(): void {
    append(board.subarray(0, waiting));
    waiting = 0;
  }

  function add(bytes: Uint8Array): void {
    if (waiting + bytes.length > board.length) flush();
    if (bytes.length > board.length) return append(bytes);
    board.set(bytes, waiting);
    waiting += bytes.length;
  }

  return {
    put(bytes) {
      head.setUint32(0, bytes.length);
      add(new Uint8Array(head.buffer));
      add(bytes);
    },
    each() {
      flush();
      return readRuns({ file, bytes: written, beside });
    },
    share() {
      flush();
      return { file, bytes: written, beside };
    },
    close: () => closeSync(file),
  };
}

/** Reads a shelf of another thread. */
export function readFileShelf(shelf: SharedShelf): Pick<Shelf, "each"> {
  return { each: () => readRuns(shelf) };
}

function* readRuns({ file, bytes: all, beside }: SharedShelf): Generator<Uint8Array, undefined> {
  // One window for all: bytes that nobody needs any more stay until there are many.
  let board = new Uint8Array(boardBytes);
  let window: Uint8Array = board.subarray(0, 0);
  let from = 0;
  for (let at = 0; at < all;) {
    /** So many bytes from `at` on, of what was read already where they are in it. */
    const read = (length: number): Uint8Array => {
      if (at + length > from + window.length) {
        if (length > board.length) board = new Uint8Array(length);
        window = fill(board, at);
        from = at;
      }
      return window.subarray(at - from, at - from + length);
    };
    const bytes = read(headBytes);
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    at += headBytes;
    const run = read(length);
    at += length;
    yield run;
  }
  return undefined;

  function fill(bytes: Uint8Array, start: number): Uint8Array {
    let length = 0;
    while (length < bytes.length) {
      const more = attempt(beside, () => readSync(file, bytes, length, bytes.length - length, start + length));
      if (more === 0) break;
      length += more;
    }
    return bytes.subarray(0, length);
  }
}

function attempt<Result>(beside: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IbidError("store-failed", `The chunks for ${beside} cannot be written to a file beside it: ${reason}.`, {
      uri: beside,
      hint: "Make room on the disk: a large document needs about twice its size there while it is ingested.",
      cause,
    });
  }
}
