import { IbidError } from "../../contracts/errors.ts";
import type { SegmentDirectory } from "./segment-directory.ts";

/** Whether a write failed because the disk is full; such a write changed nothing. */
export function isDiskFull(error: unknown): boolean {
  return IbidError.isInstance(error, "store-failed") && error.details["isFull"] === true;
}

/** Writes once more with the room that the directory keeps, where the disk is full. **Errors** as `work`. */
export async function withReserve<Result>(
  { reserve }: Pick<SegmentDirectory, "reserve">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error) || reserve?.release() !== true) throw error;
    return work();
  }
}

/** The error of a purge on a full disk. `isHidden` says whether the documents can still be found. */
export function purgeFailed(cause: unknown, isHidden: boolean): unknown {
  if (!isDiskFull(cause)) return cause;
  const { message, uri } = cause as IbidError;
  return new IbidError(
    "store-failed",
    isHidden
      ? `Nothing was purged; the documents are hidden, and can be restored. ${message}`
      : `Nothing was purged, and the documents can still be found. ${message}`,
    { uri, hint: "Make room, and purge them again.", details: { isFull: true, isHidden }, cause },
  );
}
