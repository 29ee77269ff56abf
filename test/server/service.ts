import { type IncomingHttpHeaders, request as startRequest } from "node:http";
import { onTestFinished } from "vitest";
import type { ChatModel } from "../../src/contracts/chat.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import {
  type AccessKey,
  type RequestLogEntry,
  type RunningService,
  type ServiceOptions,
  startService,
} from "../../src/server/index.node.ts";

/** Four callers, and a document in each scope that says something of the same. */
export const keys = {
  ada: { name: "ada", key: "ada-ada-ada-ada-ada", userId: "ada", teamId: "acme", write: true },
  bob: { name: "bob", key: "bob-bob-bob-bob-bob", userId: "bob", teamId: "umbrella" },
  anyone: { name: "anyone", key: "anyone-anyone-anyone" },
  operator: { name: "operator", key: "operator-operator-op", operator: true, write: true },
} as const satisfies Record<string, AccessKey>;

export type Who = keyof typeof keys;

export async function openWorld(model?: ChatModel): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({
    operations: { events: true },
    history: true,
    reading: { worker: false },
    models: { ...(model && { chat: model }) },
  });
  onTestFinished(() => kb.close());
  const texts = {
    deployment:
      "# Keys\n\nEverybody rotates a key with keyctl rotate.\n\n## Lifetime\n\nA key is valid for ninety days.\n",
    "team:acme": "# Keys of Acme\n\nAcme rotates its key on the first of May.\n",
    "team:umbrella": "# Keys of Umbrella\n\nUmbrella rotates its key in the cellar.\n",
    "user:ada": "# My keys\n\nAda rotates her key under the mat.\n",
  };
  for (const [scope, text] of Object.entries(texts)) {
    const uri = `${scope.replace(":", "-")}.md`;
    await kb.ingest({ uri, text, mediaType: "text/markdown" }, { scope: scope as "deployment" });
  }
  return kb;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // What comes over the wire is looked at freely by tests.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface Sent {
  readonly method?: string;
  readonly key?: string | undefined;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a stream of events is left when it begins: one of jobs has no end while a job lives. */
  readonly leavesStreams?: boolean;
}

/** One request by Node's own client, which sends whatever headers it is told to. */
export function send(
  url: string,
  path: string,
  { method, key, body, headers, leavesStreams }: Sent = {},
): Promise<Answered> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const payload = body === undefined || isRaw ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = startRequest(
      new URL(url).origin,
      {
        // As it is: a URL would tidy it up.
        path,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(payload !== undefined && !isRaw && { "content-type": "application/json" }),
          ...headers,
        },
      },
      (response) => {
        if (leavesStreams === true && response.headers["content-type"]?.startsWith("text/event-stream") === true) {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: "", json: undefined });
          response.destroy();
          return;
        }
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("error", reject);
        response.on("end", () => {
          const isJson = response.headers["content-type"]?.startsWith("application/json") ?? false;
          const json: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      },
    );
    request.on("error", reject);
    request.end(payload);
  });
}

export interface TestService {
  readonly kb: KnowledgeBase;
  readonly service: RunningService;
  readonly log: readonly RequestLogEntry[];
  /** As somebody with a key; `null` for nobody. */
  readonly as: (who: Who | null, path: string, sent?: Omit<Sent, "key">) => Promise<Answered>;
}

/** A real service on loopback, with the four keys unless a test says otherwise. */
export async function startWorld(
  options: ServiceOptions & { readonly keyless?: true } = {},
  given?: KnowledgeBase,
): Promise<TestService> {
  const { keyless, ...rest } = options;
  const kb = given ?? (await openWorld());
  const log: RequestLogEntry[] = [];
  const service = await startService(kb, {
    port: 0,
    ...(keyless === undefined && { keys: Object.values(keys) }),
    log: (entry) => log.push(entry),
    ...rest,
  });
  onTestFinished(() => service.stop());
  return {
    kb,
    service,
    log,
    as: (who, path, sent = {}) =>
      send(service.url, path, { ...sent, ...(who !== null && keyless === undefined && { key: keys[who].key }) }),
  };
}
