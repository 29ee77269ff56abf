import { parseAddress } from "../engines/engine-client.ts";
import { createOptionalClient, type OptionalClient } from "../engines/optional-client.ts";

/**
 * The part of a client of the package `redis` that is used here. A pool or a cluster of that package has it too.
 *
 * @experimental
 */
export interface RedisClient {
  sendCommand(args: readonly (string | Buffer)[], options?: never): Promise<unknown>;
}

/** A part of a command. */
export type Argument = string | number | Buffer;

/** A server that answers, with errors that name store and operation. */
export interface Redis extends OptionalClient<RedisClient> {
  send(operation: string, args: readonly Argument[], signal?: AbortSignal): Promise<unknown>;
  /** A reply of bytes, as they are. **Shape** `undefined` where nothing is there. */
  bytes(operation: string, args: readonly Argument[], signal?: AbortSignal): Promise<Uint8Array | undefined>;
}

/** The package gives a reply of bytes as a text, but for this option. **Source** `RESP_TYPES.BLOB_STRING` of the package. */
const asBytes = { typeMapping: { 36: Buffer } };

interface OwnClient extends RedisClient {
  readonly isOpen: boolean;
  on(event: "error", listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  close?(): Promise<unknown>;
}

type RedisLibrary = { readonly createClient: (options: object) => OwnClient };

/** Tries of a connection that is lost, before commands fail. */
const mostTries = 5;

/** Speaks to the server at an address, which is connected when it is first asked, or through a client that stays open. */
export function connectRedis(server: string | RedisClient, timeoutMs: number): Redis {
  const redis = createOptionalClient<RedisClient, OwnClient, RedisLibrary>({
    engine: "redis",
    asked: ["createRedisEngine", "server"],
    given: server,
    example: "redis://127.0.0.1:6379",
    readHost: (address) => parseAddress("redis", address, ["redis", "rediss"], "redis://host:port, or rediss://…").host,
    library: ["redis", "createClient"],
    async open({ createClient }, url) {
      const reconnectStrategy = (tries: number, cause: Error): number | Error =>
        tries >= mostTries ? cause : 50 * 2 ** tries;
      const client = createClient({ url, socket: { connectTimeout: timeoutMs, reconnectStrategy } });
      // Each command fails with the same error; an event without a listener would end the process.
      client.on("error", () => {});
      await client.connect();
      return client;
    },
    end: (client) => client.close?.(),
    isEnded: ({ isOpen }) => !isOpen,
    signs: {
      isBusy: ({ reason }) => passing.test(reason),
      isDenied: ({ reason }) => /^(?:NOAUTH|WRONGPASS|NOPERM)\b/u.test(reason),
      lacks: [/unknown command/iu, "Use Redis 8, or Redis 7 with the module RediSearch 2.10 or later."],
    },
  });
  const send = (operation: string, args: readonly Argument[], signal?: AbortSignal, options?: object) => {
    const texts = args.map((arg) => (typeof arg === "number" ? String(arg) : arg));
    return redis.run(operation, (client) => client.sendCommand(texts, options as never), signal);
  };
  const bytes: Redis["bytes"] = async (operation, args, signal) => {
    const reply = await send(operation, args, signal, asBytes);
    return reply instanceof Uint8Array ? reply : undefined;
  };
  return Object.assign(redis, { send, bytes });
}

/** Beginnings of errors that pass: the server loads, runs a script, lacks memory, or moves keys. */
const passing = /^(?:LOADING|BUSY|OOM|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/u;

/** A reply of names and values, as a list of the second protocol or a map of the third. */
export function readPairs(reply: unknown): Readonly<Record<string, unknown>> {
  if (!Array.isArray(reply)) return (reply ?? {}) as Readonly<Record<string, unknown>>;
  const pairs: Record<string, unknown> = {};
  for (let i = 0; i + 1 < reply.length; i += 2) pairs[String(reply[i])] = reply[i + 1];
  return pairs;
}

/** A reply of FT.SEARCH: the number of all that matched, and the documents that were asked for. */
export function readFound(reply: unknown): {
  readonly total: number;
  readonly documents: readonly { readonly id: string; readonly fields: Readonly<Record<string, unknown>> }[];
} {
  if (!Array.isArray(reply)) {
    const { total_results: total, results = [] } = reply as { total_results: number; results?: unknown[] };
    const documents = results.map((each) => {
      const { id, extra_attributes: fields } = readPairs(each);
      return { id: String(id), fields: readPairs(fields) };
    });
    return { total, documents };
  }
  const [total, ...rest] = reply as [number, ...unknown[]];
  const documents: { id: string; fields: Readonly<Record<string, unknown>> }[] = [];
  for (const each of rest) {
    if (Array.isArray(each)) documents.push({ ...documents.pop()!, fields: readPairs(each) });
    else documents.push({ id: String(each), fields: {} });
  }
  return { total, documents };
}
