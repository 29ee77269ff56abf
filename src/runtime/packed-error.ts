import { IbidError, type IbidErrorCode } from "../contracts/errors.ts";

/** An error as plain data, for another process or thread. */
export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Present for an `IbidError` only. */
  readonly code?: IbidErrorCode | undefined;
  readonly hint?: string | undefined;
  readonly uri?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: PackedError | undefined;
}

/** Causes beyond this depth are left out. */
const deepestCause = 4;

export function packError(error: unknown, depth = 0): PackedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  const cause = error.cause === undefined || depth >= deepestCause ? undefined : packError(error.cause, depth + 1);
  if (!IbidError.isInstance(error)) return { name, message, stack, cause };
  const { code, hint, uri } = error;
  // The round trip drops values that are not JSON, such as functions: one of them would stop the whole message.
  const details = JSON.parse(JSON.stringify(error.details)) as Record<string, unknown>;
  return { name, message, stack, cause, code, hint, uri, details };
}

export function unpackError({ name, message, stack, code, hint, uri, details, cause }: PackedError): Error {
  const unpacked = cause && unpackError(cause);
  const error =
    code === undefined
      ? Object.assign(new Error(message, unpacked && { cause: unpacked }), { name })
      : new IbidError(code, message, { hint, uri, details, cause: unpacked });
  if (stack !== undefined) error.stack = stack;
  return error;
}
