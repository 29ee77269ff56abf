import { IbidError } from "../../contracts/errors.ts";

/** Primary result codes of SQLite. **Source** https://sqlite.org/rescode.html */
const codes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;

const fromBackup = "Restore it from a backup, or move it away and ingest the documents again.";

/** The extended code of a log whose index finds no room on the disk. */
const indexTooLarge = 4874;

/** The primary code of what SQLite threw, also where {@link toStoreError} translated it; `undefined` when it was not SQLite. */
function codeOf(error: unknown): number | undefined {
  const thrown = IbidError.isInstance(error) ? error.cause : error;
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number") return undefined;
  return thrown.errcode & 0xff;
}

/** Node's code for a number of a row that JavaScript cannot hold. */
const numberTooLarge = "ERR_OUT_OF_RANGE";

/** Whether another connection holds what was wanted, so that it is worth trying again. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === codes.busy || code === codes.locked;
}

/** Whether the file, or the folder in which its log would be, may not be written. */
export function isReadOnly(error: unknown): boolean {
  const code = codeOf(error);
  return code === codes.readonly || code === codes.cantOpen;
}

/** Turns an error of a call of SQLite into an `IbidError` that names the file and the next action. Other errors come back unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  if (IbidError.isInstance(error)) return error;
  // Its message has the number. No number of ibid's is so large.
  if ((error as { code?: unknown } | null)?.code === numberTooLarge) {
    return new IbidError("store-corrupt", `${path} is damaged: a row has a number that was never written.`, {
      uri: path,
      hint: fromBackup,
    });
  }
  const code = (error as { errcode?: unknown } | null)?.errcode === indexTooLarge ? codes.full : codeOf(error);
  if (code === undefined) return error;
  const reason = (error as Error).message;
  const options = { uri: path, cause: error };
  switch (code) {
    case codes.busy:
    case codes.locked:
      return new IbidError("store-busy", `Another process keeps ${path} locked.`, {
        ...options,
        hint: "Wait until it is done, or end it.",
      });
    case codes.notADatabase:
      return new IbidError("store-corrupt", `${path} is not a SQLite database.`, {
        ...options,
        hint: "Name another place, or move this file away: nothing was written to it.",
      });
    case codes.corrupt:
      return new IbidError("store-corrupt", `${path} is damaged: ${reason}.`, {
        ...options,
        hint: fromBackup,
      });
    case codes.readonly:
    case codes.cantOpen:
      return new IbidError("store-failed", `${path} cannot be written: ${reason}.`, {
        ...options,
        hint: "The file and its folder must be there, and be writable: SQLite keeps its log beside the file.",
      });
    case codes.full:
      return new IbidError("store-failed", `There is no space left to write ${path}.`, {
        ...options,
        hint: "Make room.",
        details: { isFull: true },
      });
    case codes.io:
      return new IbidError("store-failed", `${path} could not be read or written: ${reason}.`, {
        ...options,
        hint: "Use a local file system; network file systems lack the locks that SQLite needs.",
      });
    default:
      return new IbidError("store-failed", `${path}: ${reason}.`, options);
  }
}
