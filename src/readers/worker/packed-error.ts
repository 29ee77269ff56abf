import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";

/** An error as plain data, which goes to another process and comes out the same. */
export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Of an `IbidError`. */
  readonly code?: IbidErrorCode;
  readonly hint?: string;
  readonly uri?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: PackedError;
}

/** A cause has a cause has a cause: nobody reads further. */
const deepestCause = 4;

export function packError(error: unknown, depth = 0): PackedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || depth >= deepestCause ? {} : { cause: packError(cause, depth + 1) }),
    ...(IbidError.isInstance(error) && {
      code: error.code,
      // Facts are JSON; what is not, such as a function somebody left there, would stop the whole message.
      details: JSON.parse(JSON.stringify(error.details)) as Record<string, unknown>,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.uri === undefined ? {} : { uri: error.uri }),
    }),
  };
}

export function unpackError(packed: PackedError): Error {
  const { name, message, stack, code, hint, uri, details, cause } = packed;
  const options = cause === undefined ? {} : { cause: unpackError(cause) };
  const error =
    code === undefined
      ? Object.assign(new Error(message, options), { name })
      : new IbidError(code, message, {
          ...options,
          ...(hint === undefined ? {} : { hint }),
          ...(uri === undefined ? {} : { uri }),
          ...(details === undefined ? {} : { details }),
        });
  if (stack !== undefined) error.stack = stack;
  return error;
}
