import { IbidError, type IbidErrorCode } from "../contracts/errors.ts";

/** A message between two processes or threads: a call, or its answer. */
export type CallMessage =
  | { readonly call: number; readonly method: string; readonly argument: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: PackedError };

/** A value whose buffers move to the other thread instead of being copied. Buffers in `transfer` are empty here afterwards. */
export class Transfer {
  readonly value: unknown;
  readonly transfer: readonly ArrayBuffer[];

  constructor(value: unknown, transfer: readonly ArrayBuffer[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

/** Calls between two sides that exchange messages. */
export interface Calls {
  /** Calls a method of the other side. **Errors** errors of the method, packed and unpacked; the reason given to `end`. */
  call(method: string, argument: unknown): Promise<unknown>;
  /** Handles a message of the other side. */
  receive(message: unknown): void;
  /** Rejects all calls that have no answer. */
  end(error: unknown): void;
}

/** Functions that the other side may call, by name. An argument or a result may be a {@link Transfer}. */
export type CallMethods = Readonly<Record<string, (argument: never) => unknown>>;

/** Makes both directions of calls over a function that sends messages. */
export function createCalls(
  send: (message: CallMessage, transfer: readonly ArrayBuffer[]) => void,
  methods: CallMethods,
): Calls {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;

  const answer = async ({ call, method, argument }: Extract<CallMessage, { call: number }>): Promise<void> => {
    try {
      const called = methods[method];
      if (called === undefined) throw new TypeError(`There is no method ${method}.`);
      const { value, transfer } = asTransfer(await called(argument as never));
      send({ answer: call, value }, transfer);
    } catch (error) {
      send({ answer: call, error: packError(error) }, []);
    }
  };

  return {
    async call(method, argument) {
      const id = ++calls;
      const answered = Promise.withResolvers<unknown>();
      waiting.set(id, answered);
      try {
        const { value, transfer } = asTransfer(argument);
        send({ call: id, method, argument: value }, transfer);
        return await answered.promise;
      } finally {
        waiting.delete(id);
      }
    },
    receive(received) {
      const message = received as CallMessage;
      if ("call" in message) return void answer(message);
      const answered = waiting.get(message.answer);
      if ("error" in message) answered?.reject(unpackError(message.error));
      else answered?.resolve(message.value);
    },
    end(error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}

function asTransfer(value: unknown): Pick<Transfer, "value" | "transfer"> {
  return value instanceof Transfer ? value : { value, transfer: [] };
}

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
