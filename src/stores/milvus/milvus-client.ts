import { IbidError } from "../../contracts/errors.ts";
import { loadPackage } from "../../runtime/packages.ts";
import { createOptionalClient, type OptionalClient } from "../engines/optional-client.ts";

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
export interface MilvusClient {
  createCollection(request: never): Promise<unknown>;
  describeCollection(request: never): Promise<unknown>;
  loadCollectionSync(request: never): Promise<unknown>;
  dropCollection(request: never): Promise<unknown>;
  showCollections(): Promise<unknown>;
  upsert(request: never): Promise<unknown>;
  delete(request: never): Promise<unknown>;
  query(request: never): Promise<unknown>;
  search(request: never): Promise<unknown>;
}

/** Requests by their names, with errors that name store and operation. */
export interface Milvus {
  ask<Answer>(
    operation: string,
    request: keyof MilvusClient,
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
  const { host, user } = typeof server === "string" ? readAddress(server) : { host: "the client given", user: {} };
  const client: OptionalClient<MilvusClient> = createOptionalClient(
    "milvus",
    host,
    typeof server === "string" ? undefined : server,
    async () => {
      const { MilvusClient } = loadPackage<MilvusLibrary>(
        "@zilliz/milvus2-sdk-node",
        "speaks to Milvus",
        (library) => typeof library.MilvusClient === "function",
        "give createMilvusEngine a client of your own",
      );
      const address = /^\w+:\/\/(?:[^@/]*@)?(.*)$/u.exec(server as string)![1]!.replace(/\/$/u, "");
      const made = new MilvusClient({
        address,
        ssl: (server as string).startsWith("https:"),
        timeout: timeoutMs,
        logLevel: "error",
        ...user,
        ...(token !== undefined && { token }),
        ...(database !== undefined && { database }),
      });
      await made.connectPromise;
      return made;
    },
    (made) => made.closeConnection(),
    explain,
  );
  return {
    ask: <Answer>(
      operation: string,
      request: keyof MilvusClient,
      body: object,
      signal?: AbortSignal,
      expects: readonly number[] = [],
    ) =>
      client.run(
        operation,
        async (one) => {
          const answer = (await one[request](body as never)) as Answer & MilvusStatus & { status?: MilvusStatus };
          const status = answer.status ?? answer;
          const code = status.code ?? 0;
          const isWell = status.error_code === undefined || status.error_code === "Success" || status.error_code === 0;
          if (!isWell && !expects.includes(code)) throw new Refused(status);
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

function explain(cause: unknown) {
  if (cause instanceof Refused) {
    const { code, retriable } = cause.status;
    const hint = /auth|permission|privilege/iu.test(cause.message) ? denied : undefined;
    return { reason: cause.message, isBusy: retriable, hint, status: code };
  }
  const { message, details, code } = cause as { message?: string; details?: string; code?: unknown };
  const reason = details ?? message ?? String(cause);
  const status = typeof code === "number" ? code : undefined;
  const hint = status === unauthorised || /auth check failure/iu.test(reason) ? denied : undefined;
  return { reason, isBusy: status === throttled, hint, ...(status !== unavailable && { status }) };
}

const denied = "Check the token, the user and the password, and the rights that go with them.";

function readAddress(address: string): { readonly host: string; readonly user: object } {
  try {
    const { protocol, host, username, password } = new URL(address);
    if (protocol === "http:" || protocol === "https:") {
      const user = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
      return { host, user: username === "" ? {} : user };
    }
  } catch {
    // Below, with the other wrong addresses.
  }
  throw new IbidError("invalid-argument", "The address of milvus cannot be read.", {
    hint: "Write http://host:19530, or https://… with TLS; encode @ and : in a password as %40 and %3A.",
  });
}
