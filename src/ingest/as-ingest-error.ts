import { IbidError } from "../contracts/errors.ts";

/**
 * An error of ibid as it is. Another's is its `cause`: its words may hold parts of a file, of a request or of a key, and messages are kept and shown.
 */
export function asIngestError(error: unknown, uri: string): IbidError {
  if (IbidError.isInstance(error)) return error;
  return new IbidError("internal", `${uri} could not be ingested: a part that the application gave failed.`, {
    hint: "Look at its sources, chunkers, transformers, models and queues. `cause` has the error; the command line shows it with IBID_DEBUG=1.",
    uri,
    cause: error,
  });
}
