import { IbidError } from "../../contracts/errors.ts";
import type { DocumentWrite, ReplaceResult } from "../../contracts/document-store.ts";
import type { Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DeleteOptions, DeleteTarget, SettleOptions } from "../../contracts/store.ts";
import type { Analyzed } from "../../engine/segments/chunk-terms.ts";
import type { ColumnFile } from "../../engine/vectors/vector-column.ts";
import type { SharedShelf } from "./shelf.ts";

/** A delete from one scope as data, so that another thread can do it as well. */
export interface Removal {
  readonly scope: Scope;
  readonly target: DeleteTarget;
  readonly options: DeleteOptions;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** **Shape** `resumes`: an earlier purge is unfinished. */
export interface Removed {
  readonly chunks: number;
  readonly receipt: Receipt;
  readonly resumes: boolean;
}

/** Chunks or documents whose delete is taken back. */
export type RestoreTarget = { readonly ids: readonly string[] } | { readonly documentIds: readonly string[] };

/** Texts that a thread looked at: `starts` and `ends` of `counts[i]` matches in the chunk of the row `keys[i]`, within the chunk. */
export interface LookedAt {
  readonly keys: readonly number[];
  readonly counts: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Works on a store that take long, by name: the data that each takes, and its result. Both can be sent to another thread. */
export interface Errands {
  /** Reads the chunks that wait, so that they need not be read when a segment is due. Changes nothing. */
  readonly follow: { readonly given: { readonly scope: Scope }; readonly result: void };
  /** Terms of chunks, as `encodeTerms` writes them. Reads nothing. **Shape** one behind the other, and where each ends. */
  readonly analyze: {
    readonly given: readonly Analyzed[];
    readonly result: { readonly bytes: Uint8Array; readonly ends: readonly number[] };
  };
  /** Makes a segment of the chunks that wait, of at least `sealAt`, and keeps it in the thread. Changes nothing. **Shape** whether there is one. */
  readonly build: { readonly given: { readonly scope: Scope; readonly sealAt: number }; readonly result: boolean };
  /** Puts the segment that was built in the place of its chunks. **Shape** false where one of them has changed since. */
  readonly place: { readonly given: { readonly scope: Scope }; readonly result: boolean };
  /** Seals and merges. */
  readonly tidy: { readonly given: { readonly scope: Scope; readonly sealAt: number }; readonly result: void };
  /** Swaps a large document, which waits on a shelf, as its chunks do. */
  readonly replace: {
    readonly given: {
      readonly scope: Scope;
      readonly facts: Omit<DocumentWrite, "chunks" | "keeps" | "document">;
      readonly document: SharedShelf;
      /** Ids of the chunks that count on stored vectors; absent where all without vectors do. */
      readonly relying: readonly string[] | undefined;
      readonly ingestedAt: string;
      readonly chunks: SharedShelf;
    };
    readonly result: { readonly result: ReplaceResult; readonly receipt: Receipt };
  };
  /** Deletes a target of many chunks. */
  readonly remove: { readonly given: Removal; readonly result: Removed };
  /** Takes back the delete of a target of many chunks. */
  readonly restore: {
    readonly given: { readonly scope: Scope; readonly target: RestoreTarget; readonly now: number };
    readonly result: number;
  };
  /** Removes for good what was deleted. */
  readonly vacuum: {
    readonly given: { readonly scope: Scope; readonly until: number; readonly now: number };
    readonly result: number;
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
  /** Looks for a pattern in the texts of chunks, by row. */
  readonly match: {
    readonly given: { readonly keys: readonly number[]; readonly source: string; readonly ignoreCase: boolean };
    readonly result: LookedAt;
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
  /** Whether it is up, and has no work but analyses. */
  readonly isFree: boolean;
  /** Ends the thread when its work is done; with `settle: false` it breaks off upkeep. A transaction that has not ended leaves nothing behind. */
  close(options?: { readonly settle?: boolean | undefined }): Promise<void>;
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
