import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../runtime/abort.ts";

/** Details of a failure of an engine's client. */
export interface ClientFailure {
  readonly reason: string;
  readonly isBusy?: boolean | undefined;
  /** Default: to look at the address and the server. */
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
}

/** A client that is opened when it is first asked, or one that the application has and closes itself. */
export interface OptionalClient<Client> {
  /** **Errors** `store-failed`, `store-busy`, with the engine, its host, the operation and the reason; those of ibid as they are. */
  run<Result>(operation: string, work: (client: Client) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** @param explain reads a failure of the client. */
export function createOptionalClient<Client, Own extends Client>(
  engine: string,
  host: string,
  given: Client | undefined,
  open: () => Promise<Own>,
  end: (client: Own) => Promise<unknown> | undefined,
  explain: (cause: unknown) => ClientFailure,
): OptionalClient<Client> {
  let own: Promise<Own> | undefined;
  const connect = (): Promise<Own> => {
    own ??= open();
    own.catch(() => (own = undefined));
    return own;
  };
  return {
    async run(operation, work, signal) {
      throwIfAborted(signal, `${engine}: ${operation}`);
      try {
        return await work(given ?? (await connect()));
      } catch (cause) {
        if (IbidError.isInstance(cause)) throw cause;
        const { reason, isBusy = false, hint, status } = explain(cause);
        const message = `${engine} at ${host}: ${operation} failed: ${reason.replace(/\.$/u, "")}.`;
        const usual = isBusy
          ? "Call again later, and look at the server."
          : "Check the address, and look at the server.";
        throw new IbidError(isBusy ? "store-busy" : "store-failed", message, {
          hint: hint ?? usual,
          details: { store: engine, operation, ...(status !== undefined && { status }) },
          cause,
        });
      }
    },
    async close() {
      const client = await own?.catch(() => undefined);
      own = undefined;
      if (client !== undefined) await end(client);
    },
  };
}

/** Passes over an error that says what is expected, such as that a thing is there already. */
export function passOver(expected: RegExp): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && expected.test(error.message))) throw error;
  };
}

/** A value of a small set. **Errors** `invalid-argument`, with all of them. */
export function checkOneOf(engine: string, option: string, given: string, all: readonly string[]): void {
  if (all.includes(given)) return;
  throw new IbidError("invalid-argument", `${engine}: the ${option} is ${JSON.stringify(given)}.`, {
    hint: `${option} is ${all.map((each) => JSON.stringify(each)).join(" or ")}.`,
  });
}
