import { parseAddress } from "../engines/engine-client.ts";
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
export interface Milvus extends OptionalClient<MilvusClient> {
  ask<Answer>(operation: string, request: Request, body: object, signal?: AbortSignal): Promise<Answer>;
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
    asked: ["createMilvusEngine", "server"],
    given: server,
    example: "http://127.0.0.1:19530",
    readHost: (address) => read(address).host,
    library: ["@zilliz/milvus2-sdk-node", "MilvusClient"],
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
    signs: {
      isBusy: ({ retriable, status }) => retriable || status === throttled,
      isDenied: ({ reason, status }) => status === unauthorised || /auth|permission|privilege/iu.test(reason),
    },
  });
  const ask = <Answer>(operation: string, request: Request, body: object, signal?: AbortSignal) =>
    client.run(
      operation,
      async (one) => {
        const answer = (await one[request](body as never)) as Answer & MilvusStatus & { status?: MilvusStatus };
        const { error_code: error = 0, reason = "no reason was given", code, retriable } = answer.status ?? answer;
        if (error === 0 || error === "Success") return answer;
        throw Object.assign(new Error(reason), { code, retriable });
      },
      signal,
    );
  return Object.assign(client, { ask });
}

/** Codes of gRPC: the server throttles; the user may not. Milvus's own code of a throttled request is the same. */
const [throttled, unauthorised] = [8, 16];
