import { packError, type PackedError, unpackError } from "./packed-error.ts";

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
