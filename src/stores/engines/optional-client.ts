import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { loadPackage } from "../../runtime/packages.ts";

/** An engine that is reached by a client of an optional package, and whose indexes lie beside those of others. */
export interface ClientOptions {
  /** Beginning of the names of indexes: lower-case letters, digits and `_`. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** **Units** milliseconds for one request. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** Names of the options of {@link ClientOptions}. */
export const clientOptions = { prefix: true, timeoutMs: true } as const;

/** A failure of an engine's client. */
export interface ClientFailure {
  readonly reason: string;
  /** The server's own code, or that of the connection. */
  readonly status: number | undefined;
  /** Whether the server says that the request may be repeated. */
  readonly retriable: boolean;
}

/** Signs by which a failure is known. */
export interface FailureSigns {
  /** Whether it passes by itself. */
  readonly isBusy: (failure: ClientFailure) => boolean;
  /** Whether the server refuses the caller. */
  readonly isDenied: (failure: ClientFailure) => boolean;
  /** Reasons of a server that lacks a part, and the next action. */
  readonly lacks?: readonly [reason: RegExp, hint: string] | undefined;
}

/** A client that is opened when it is first asked, or one that the application has and closes itself. */
export interface OptionalClient<Client> {
  /** The application's own client, or this one. */
  readonly native: unknown;
  /** **Errors** `store-failed`, `store-busy`, with the engine, its host, the operation and the reason; those of ibid as they are. */
  run<Result>(operation: string, work: (client: Client) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** A client of an optional package. */
export interface ClientParts<Client, Own, Library> {
  readonly engine: string;
  /** The function that makes the engine, and its option that names the server. */
  readonly asked: readonly [maker: string, option: string];
  /** An address, or a client of the application. */
  readonly given: string | Client;
  /** An address, for messages. */
  readonly example: string;
  /** Hosts of an address, for messages. **Errors** `invalid-argument`. */
  readonly readHost: (address: string) => string;
  /** The package, and its export that makes a client. */
  readonly library: readonly [name: string, maker: keyof Library & string];
  readonly open: (library: Library, address: string) => Promise<Own>;
  readonly end: (client: Own) => Promise<unknown> | undefined;
  /** Whether a client has given up for good, so that the next call opens another. Default: none does. */
  readonly isEnded?: (client: Own) => boolean;
  readonly signs: FailureSigns;
}

/** **Errors** `invalid-argument` for the server; `dependency-missing` when the client is first asked and its package is missing. */
export function createOptionalClient<Client extends object, Own extends Client, Library>(
  parts: ClientParts<Client, Own, Library>,
): OptionalClient<Client> {
  const { engine, given, library, open, end, isEnded = () => false, signs } = parts;
  const [asker, option] = parts.asked;
  checkServer(asker, option, given, parts.example);
  const host = typeof given === "string" ? parts.readHost(given) : "the client given";
  let own: Promise<Own> | undefined;
  const connect = async (address: string): Promise<Own> => {
    const before = own;
    const held = await before?.catch(() => undefined);
    // The first of several calls opens another client.
    if (own === before && held !== undefined && isEnded(held)) own = undefined;
    own ??= (async () => {
      const [name, maker] = library;
      const has = (loaded: Partial<Library>): boolean => typeof loaded[maker] === "function";
      return open(
        loadPackage<Library>(name, `speaks to ${engine}`, has, `give ${asker} a client of your own`),
        address,
      );
    })();
    own.catch(() => (own = undefined));
    return own;
  };
  const client: OptionalClient<Client> = {
    get native() {
      return typeof given === "string" ? client : given;
    },
    async run(operation, work, signal) {
      throwIfAborted(signal, `${engine}: ${operation}`);
      try {
        return await work(typeof given === "string" ? await connect(given) : given);
      } catch (cause) {
        if (IbidError.isInstance(cause)) throw cause;
        const failure = readFailure(cause);
        const { reason, status } = failure;
        const isBusy = signs.isBusy(failure);
        const message = `${engine} at ${host}: ${operation} failed: ${reason.replace(/\.$/u, "")}.`;
        const hint = signs.lacks?.[0].test(reason) === true ? signs.lacks[1] : undefined;
        const usual = signs.isDenied(failure)
          ? "Check the user, the password or the token, and the rights that go with them."
          : `${isBusy ? "Call again later" : "Check the address"}, and look at the server.`;
        throw new IbidError(isBusy ? "store-busy" : "store-failed", message, {
          hint: hint ?? usual,
          details: { store: engine, operation, ...(status !== undefined && { status }) },
          cause,
        });
      }
    },
    async close() {
      const held = await own?.catch(() => undefined);
      own = undefined;
      if (held !== undefined && !isEnded(held)) await end(held);
    },
  };
  return client;
}

/** Reads an error of any client. A reason never repeats the user and the password of an address. */
function readFailure(cause: unknown): ClientFailure {
  type Read = { message?: string; details?: string; name?: string; code?: unknown; retriable?: boolean };
  const { message, details, name, code, retriable = false } = (cause ?? {}) as Read;
  const said = [details, message, name].find((each) => typeof each === "string" && each !== "") ?? String(cause);
  // A connection that is refused says its address, which stands in the message already.
  const reason = said.startsWith("connect ") && typeof code === "string" ? code : said;
  return {
    reason: reason.replaceAll(/\/\/[^@/\s]*@/gu, "//"),
    status: typeof code === "number" ? code : undefined,
    retriable,
  };
}

/** Passes over an error that is expected: by its message, such as that a thing is there already, or by the server's code. */
export function passOver(expected: RegExp | number): (error: unknown) => undefined {
  return (error) => {
    const isExpected =
      typeof expected === "number"
        ? IbidError.isInstance(error) && error.details?.["status"] === expected
        : error instanceof Error && expected.test(error.message);
    if (!isExpected) throw error;
  };
}

/** An address, or a client of the application. **Errors** `invalid-argument`, with an address as an example. */
export function checkServer(where: string, option: string, given: unknown, example: string): void {
  if ((typeof given === "string" && given.trim() !== "") || (typeof given === "object" && given !== null)) return;
  const found = given === undefined || given === null ? "missing" : `of the type ${typeof given}`;
  throw new IbidError("invalid-argument", `${where}: ${option} is ${given === "" ? "empty" : found}.`, {
    hint: `Give ${option} as an address, such as ${example}, or as a client of your own.`,
  });
}

/** A value of a small set. **Errors** `invalid-argument`, with all of them. */
export function checkOneOf(engine: string, option: string, given: string, all: readonly string[]): void {
  if (all.includes(given)) return;
  throw new IbidError("invalid-argument", `${engine}: the ${option} is ${JSON.stringify(given)}.`, {
    hint: `${option} is ${all.map((each) => JSON.stringify(each)).join(" or ")}.`,
  });
}
