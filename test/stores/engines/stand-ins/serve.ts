import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request to a stand-in. */
export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A loopback server in the place of a hosted service. */
export interface StandIn {
  readonly url: string;
  /** Requests so far, without those that were refused. */
  readonly requests: readonly Request[];
  /** The next requests get this answer in place of their own. */
  refuse(answer: Answer, times?: number): void;
  stop(): void;
}

/** Serves a function of requests. A failure of the function is status 500, with its message. */
export async function serve(answer: (request: Request) => Answer): Promise<StandIn> {
  const requests: Request[] = [];
  const refusals: Answer[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const piece of incoming.setEncoding("utf8")) text += String(piece);
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const isJson = incoming.headers["content-type"]?.startsWith("application/json") === true && text !== "";
    const given: Answer = refusals.shift() ?? attempt();
    response.writeHead(given.status, { "content-type": "application/json", ...given.headers });
    response.end(typeof given.body === "string" ? given.body : given.body && JSON.stringify(given.body));

    function attempt(): Answer {
      try {
        const body: unknown = isJson ? parse(text) : undefined;
        const request = { method: incoming.method ?? "GET", url, headers: incoming.headers, text, body };
        requests.push(request);
        return answer(request);
      } catch (error) {
        if (error instanceof Refusal) return error.answer;
        return { status: 500, body: String(error instanceof Error ? error.stack : error) };
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refuse: (given, times = 1) => void refusals.push(...Array.from({ length: times }, () => given)),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** **Shape** `undefined` for lines of JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Thrown by a stand-in in place of an answer. */
export class Refusal extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

/** Rows that are seen some time after they were written. */
export interface Rows<Row> {
  put(key: string, row: Row): void;
  delete(key: string): void;
  has(key: string): boolean;
  all(): readonly Row[];
}

/** @param lateMs how long a write is not seen. **Units** milliseconds. */
export function createRows<Row>(lateMs: number): Rows<Row> {
  const rows = new Map<string, Row>();
  const later: { readonly at: number; readonly run: () => void }[] = [];
  const write = (run: () => void): void => {
    if (lateMs === 0) run();
    else later.push({ at: Date.now() + lateMs, run });
  };
  const settle = (): void => {
    while (later[0] !== undefined && later[0].at <= Date.now()) later.shift()!.run();
  };
  return {
    put: (key, row) => write(() => rows.set(key, row)),
    delete: (key) => write(() => rows.delete(key)),
    has: (key) => (settle(), rows.has(key)),
    all: () => (settle(), [...rows.values()]),
  };
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** Likeness and distances of two vectors. */
export const measures = {
  dot,
  cosine: (a: readonly number[], b: readonly number[]): number => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)),
  squared: (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0),
};
