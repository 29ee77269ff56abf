import { IbidError } from "../../contracts/errors.ts";
import type { DocumentWrite, ReplaceResult } from "../../contracts/document-store.ts";
import type { Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { SettleOptions } from "../../contracts/store.ts";
import type { ColumnFile } from "../../engine/vectors/vector-column.ts";
import type { SharedShelf } from "./shelf.ts";

/** Works on a store that take long, by name: the data that each takes, and its result. Both can be sent to another thread. */
export interface Errands {
  /** Seals and merges. */
  readonly tidy: { readonly given: { readonly scope: Scope; readonly sealAt: number }; readonly result: void };
  /** Swaps a large document, whose chunks wait on a shelf. */
  readonly replace: {
    readonly given: {
      readonly scope: Scope;
      readonly facts: Omit<DocumentWrite, "chunks" | "keeps">;
      /** Ids of the chunks that count on stored vectors; absent where all without vectors do. */
      readonly relying: readonly string[] | undefined;
      readonly ingestedAt: string;
      readonly shelf: SharedShelf;
    };
    readonly result: { readonly result: ReplaceResult; readonly receipt: Receipt };
  };
  /** Fits the store's own model. */
  readonly fit: { readonly given: undefined; readonly result: void };
  /** Takes what was purged out of segments and out of the fit. */
  readonly rewrite: { readonly given: readonly Scope[]; readonly result: void };
  /** Makes the trigrams of a segment. */
  readonly trigrams: {
    readonly given: { readonly scope: Scope; readonly row: number };
    readonly result: readonly ColumnFile[];
  };
}

/** A thread with a store of its own over the same files. */
export interface StoreThread {
  /** **Errors** errors of the work; `unsupported-runtime` and `internal` where there is no thread. */
  call<Name extends keyof Errands>(
    name: Name,
    given: Errands[Name]["given"],
    options?: SettleOptions,
  ): Promise<Errands[Name]["result"]>;
  readonly isAlive: boolean;
  /** Ends the thread when its work is done. */
  close(): Promise<void>;
}

/** Chunks from which a work is worth a thread: it takes some hundred milliseconds. */
export const worthAThread = 1024;

/**
 * Does a work in the directory's thread; `here`, in this one, where there is no thread or it died. A thread that died has left nothing behind: each change is
 * one transaction.
 */
export async function sendErrand<Name extends keyof Errands>(
  thread: Pick<StoreThread, "call" | "isAlive"> | undefined,
  name: Name,
  given: Errands[Name]["given"],
  here: () => Promise<Errands[Name]["result"]>,
  options?: SettleOptions,
): Promise<Errands[Name]["result"]> {
  if (thread === undefined) return here();
  try {
    return await thread.call(name, given, options);
  } catch (error) {
    const isGone =
      IbidError.isInstance(error, "unsupported-runtime") ||
      (IbidError.isInstance(error, "internal") && !thread.isAlive);
    if (!isGone) throw error;
    return here();
  }
}
