import { parseAddress } from "../engines/engine-client.ts";
import { type ClientFailure, createOptionalClient } from "../engines/optional-client.ts";

/** The outcome of a request, as the package gives it: with the answer, or by itself. */
interface MilvusStatus {
  readonly error_code?: string | number;
  readonly reason?: string;
  readonly code?: number;
  readonly retriable?: boolean;
}

/**
 * The part of a client of the package `@zilliz/milvus2-sdk-node` that is used here.
 *
 * @experimental
 */
export type MilvusClient = Readonly<Record<Request, (body: never) => Promise<unknown>>>;

type Request =
  | `${"create" | "describe" | "drop"}Collection`
  | "loadCollectionSync"
  | "showCollections"
  | "upsert"
  | "delete"
  | "query"
  | "search";

/** Requests by their names, with errors that name store and operation. */
export interface Milvus {
  ask<Answer>(
    operation: string,
    request: Request,
    body: object,
    signal?: AbortSignal,
    expects?: readonly number[],
  ): Promise<Answer & { readonly code: number }>;
  close(): Promise<void>;
}

interface OwnClient extends MilvusClient {
  readonly connectPromise: Promise<unknown>;
  closeConnection(): Promise<unknown>;
}

type MilvusLibrary = { readonly MilvusClient: new (options: object) => OwnClient };

/** Speaks to the server at an address, or through a client that stays open. */
export function connectMilvus(
  server: string | MilvusClient,
  { token, database, timeoutMs }: { token: string | undefined; database: string | undefined; timeoutMs: number },
): Milvus {
  const read = (address: string): URL =>
    parseAddress("milvus", address, ["http", "https"], "http://host:19530, or https://… with TLS");
  const client = createOptionalClient<MilvusClient, OwnClient, MilvusLibrary>({
    engine: "milvus",
    given: server,
    readHost: (address) => read(address).host,
    library: ["@zilliz/milvus2-sdk-node", "MilvusClient"],
    instead: "give createMilvusEngine a client of your own",
    async open({ MilvusClient }, url) {
      const { username, password, protocol } = read(url);
      const made = new MilvusClient({
        address: /^\w+:\/\/(?:[^@/]*@)?(.*)$/u.exec(url)![1]!.replace(/\/$/u, ""),
        ssl: protocol === "https:",
        timeout: timeoutMs,
        logLevel: "error",
        ...(username !== "" && { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
        ...(token !== undefined && { token }),
        ...(database !== undefined && { database }),
      });
      await made.connectPromise;
      return made;
    },
    end: (made) => made.closeConnection(),
    explain,
  });
  return {
    ask: <Answer>(...[operation, request, body, signal, expects = []]: Parameters<Milvus["ask"]>) =>
      client.run(
        operation,
        async (one) => {
          const answer = (await one[request](body as never)) as Answer & MilvusStatus & { status?: MilvusStatus };
          const status = answer.status ?? answer;
          const { error_code: error = 0, code = 0 } = status;
          if (error !== 0 && error !== "Success" && !expects.includes(code)) throw new Refused(status);
          return { ...answer, code };
        },
        signal,
      ),
    close: () => client.close(),
  };
}

/** An answer that says that a request was not done. */
class Refused extends Error {
  readonly status: MilvusStatus;
  constructor(status: MilvusStatus) {
    super(status.reason ?? "no reason was given");
    this.status = status;
  }
}

/** Codes of gRPC: the server is not there or throttles; the user may not. */
const [throttled, unavailable, unauthorised] = [8, 14, 16];

function explain(cause: unknown): ClientFailure {
  if (cause instanceof Refused) {
    const { code, retriable } = cause.status;
    const isDenied = /auth|permission|privilege/iu.test(cause.message);
    return { reason: cause.message, isBusy: retriable, isDenied, status: code };
  }
  const { message, details, code } = cause as { message?: string; details?: string; code?: unknown };
  const reason = details ?? message ?? String(cause);
  const status = typeof code === "number" ? code : undefined;
  const isDenied = status === unauthorised || /auth check failure/iu.test(reason);
  return { reason, isBusy: status === throttled, isDenied, ...(status !== unavailable && { status }) };
}
