import { packError, type PackedError, unpackError } from "./packed-error.ts";

/** What goes between the two processes: a call, or what came of one. */
type Message =
  | { readonly call: number; readonly method: string; readonly argument: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: PackedError };

export interface WorkerCalls {
  /** Calls the other side. **Errors** its own, packed and unpacked; whatever `end` was given. */
  call(method: string, argument: unknown): Promise<unknown>;
  /** Takes in what the other side sent. */
  receive(message: unknown): void;
  /** Nobody answers any more: everything that waits fails. */
  end(error: unknown): void;
}

/** Calls across two processes, both ways, over whatever sends messages. */
export function createWorkerCalls(
  send: (message: Message) => void,
  methods: Readonly<Record<string, (argument: never) => unknown>>,
): WorkerCalls {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;

  const answer = async ({ call, method, argument }: Extract<Message, { call: number }>): Promise<void> => {
    try {
      const asked = methods[method];
      if (asked === undefined) throw new TypeError(`There is no method ${method}.`);
      send({ answer: call, value: await asked(argument as never) });
    } catch (error) {
      send({ answer: call, error: packError(error) });
    }
  };

  return {
    call(method, argument) {
      const promise = Promise.withResolvers<unknown>();
      waiting.set(++calls, promise);
      send({ call: calls, method, argument });
      return promise.promise;
    },
    receive(received) {
      const message = received as Message;
      if ("call" in message) return void answer(message);
      const promise = waiting.get(message.answer);
      waiting.delete(message.answer);
      if ("error" in message) promise?.reject(unpackError(message.error));
      else promise?.resolve(message.value);
    },
    end(error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}
