import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { untilAborted } from "../runtime/abort.ts";
import { askRoutes } from "./ask-routes.ts";
import { checkOrigin, corsHeaders, type OriginRules, preflightHeaders } from "./check-origin.ts";
import { describeFailure } from "./describe-failure.ts";
import { documentRoutes } from "./document-routes.ts";
import { checkHandlerOptions, type HandlerOptions } from "./handler-options.ts";
import { healthRoutes } from "./health-routes.ts";
import { createIdentification } from "./identify-caller.ts";
import { createOpenApiRoute } from "./openapi.ts";
import { createMcpRoute } from "./mcp-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { addressGroup, createRateLimiter } from "./rate-limiter.ts";
import { readBytes, readJson, readQuery } from "./read-body.ts";
import { Refusal, refusalBody, toRefusal } from "./refusal.ts";
import type { Call, Caller, Route } from "./route.ts";
import { searchRoutes } from "./search-routes.ts";
import { createSlots } from "./slots.ts";
import { whenBodyEnds } from "./when-body-ends.ts";

/** What a host knows of a connection, and a `Request` does not say. */
export interface ConnectionFacts {
  /** The other side's IP address, as the socket has it. Without it nobody is taken for this machine. */
  readonly remoteAddress?: string | undefined;
}

/** A service, for any host that has web-standard requests: Node, Deno, Bun, a worker, a framework's route. */
export type Handler = (request: Request, connection?: ConnectionFacts) => Promise<Response>;

/** Whoever gives no key that is known may do so so often a minute, by address, before they are not even answered 401. */
const strangersPerMinute = 60;

/** On every answer: none of it is a page of somebody else's, or for a cache. */
const usualHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  vary: "Origin, Authorization",
} as const;

/**
 * A knowledge base over HTTP.
 *
 * | route | for | |
 * |---|---|---|
 * | `POST /rag/query` | readers | `{query}` to `{response}`, as Ballerina's service |
 * | `POST /search`, `POST /ask` | readers | hits; an answer, or with `accept: text/event-stream` its events |
 * | `POST /chat` | readers | for `useChat` of the AI SDK |
 * | `GET /documents`, `/document?uri=`, `/outline?uri=` | readers | what is there |
 * | `POST /documents`, `PUT` and `DELETE /document?uri=` | writers | a text, a file, taking it out |
 * | `POST /mcp` | readers | for agents, over MCP |
 * | `GET /health/rag` | operators | the last minute |
 * | `GET /openapi.json`, `GET /` | anybody | the interface; a page |
 *
 * **Shape** never rejects: what goes wrong is an answer, with a sentence that says nothing of the inside; `log` is told the rest, but never what was asked (law
 * 10). Every caller gets what `kb.as(…)` gives them, and what they may not read answers as what is not there (law 3).
 * **Errors** `invalid-argument`, when it is made.
 * **Cost** at most `limits.concurrent` requests are worked on, and `limits.waiting` wait. **Source** Ballerina (B46), ToolUp (T54).
 */
export function createHandler(kb: KnowledgeBase, options: HandlerOptions = {}): Handler {
  const limits = checkHandlerOptions(options);
  const hasKeys = options.keys !== undefined || options.authenticate !== undefined;
  const rules: OriginRules = {
    hosts: options.hosts ? new Set(options.hosts.map((name) => name.toLowerCase())) : hasKeys ? "any" : "loopback",
    origins: new Set(options.origins),
  };
  const identify = createIdentification(kb, options, limits.requestsPerMinute);
  const limiter = createRateLimiter();
  const slots = createSlots(limits.concurrent, limits.waiting);
  const { mcp = true, only, page = true } = options;
  const routes: Route[] = mcp === false ? [] : [createMcpRoute(mcp === true ? {} : mcp)];
  if (only !== "mcp") {
    routes.unshift(...askRoutes, ...searchRoutes, ...documentRoutes, ...healthRoutes, ...(page ? pageRoutes : []));
  }
  routes.push(createOpenApiRoute(() => routes, hasKeys));
  const byPath = Map.groupBy(routes, ({ path }) => path);

  const countRequest = (who: string, perMinute: number): void => {
    const wait = limiter.take(who, perMinute);
    if (wait === 0) return;
    throw new Refusal(429, "rate-limited", "Too many requests. Try again later.", { "retry-after": String(wait) });
  };

  /** Who may go on with a route, and is counted for it. */
  const admit = async (
    route: Route,
    request: Request,
    address: string | undefined,
    know: (name: string) => void,
  ): Promise<Caller | undefined> => {
    const group = `address ${addressGroup(address ?? "unknown")}`;
    if (route.needs === "nobody") {
      countRequest(group, limits.requestsPerMinute);
      return undefined;
    }
    const caller = await identify(request, address);
    if (caller === undefined) {
      countRequest(`stranger ${group}`, strangersPerMinute);
      throw new Refusal(401, "unauthenticated", "Send a key: authorization: Bearer …", {
        "www-authenticate": "Bearer",
      });
    }
    // Who was turned away is what the operator wants to know of it.
    know(caller.name);
    countRequest(hasKeys ? `caller ${caller.name}` : group, caller.perMinute);
    if ((route.needs === "operator" && !caller.isOperator) || (route.needs === "writer" && !caller.mayWrite))
      throw new Refusal(403, "access-denied", `This is for ${route.needs}s.`);
    return caller;
  };

  const read = async (
    route: Route,
    request: Request,
    maxBody: typeof limits,
  ): Promise<Pick<Call, "query" | "body">> => {
    const query = route.query === undefined ? undefined : readQuery(request, route.query);
    if (route.query === undefined && new URL(request.url).search !== "")
      throw new Refusal(400, "invalid-argument", "This takes no parameters in its address.");
    const { bodyTimeoutMs: timeoutMs, maxJsonBytes, maxUploadBytes } = maxBody;
    if (route.body === "bytes")
      return { query, body: await readBytes(request, { maxBytes: maxUploadBytes, timeoutMs }) };
    if (route.body === "message")
      return { query, body: await readBytes(request, { maxBytes: maxJsonBytes, timeoutMs }) };
    if (route.body === undefined) return { query, body: undefined };
    return { query, body: await readJson(request, route.body, { maxBytes: maxJsonBytes, timeoutMs }) };
  };

  return async (request, connection = {}) => {
    const started = performance.now();
    const requestId = readRequestId(request);
    const known = byPath.get(pathOf(request));
    const entry: { caller?: string; refused?: string } = {};
    let asked: readonly string[] = [];
    let failure: unknown;

    const finish = (status: number): void => {
      try {
        options.log?.({
          at: new Date().toISOString(),
          id: requestId,
          method: methods.has(request.method) ? request.method : "?",
          path: known?.[0]?.path ?? null,
          status,
          ms: Math.round(performance.now() - started),
          ...entry,
          ...(connection.remoteAddress !== undefined && { address: connection.remoteAddress }),
          ...(failure !== undefined && { failure: describeFailure(failure, asked) }),
        });
      } catch {
        // A log that cannot be written stops no answer.
      }
    };

    const answer = async (): Promise<Response> => {
      checkOrigin(request, rules);
      const allowed = allowedMethods(known);
      if (request.method === "OPTIONS")
        return new Response(null, { status: 204, headers: { allow: allowed, ...preflightHeaders(allowed) } });
      if (known === undefined) throw new Refusal(404, "not-found", "There is no such address here.");
      const method = request.method === "HEAD" ? "GET" : request.method;
      const route = known.find((each) => each.method === method);
      if (route === undefined) throw new Refusal(405, "method-not-allowed", `Use ${allowed}.`, { allow: allowed });

      const caller = await admit(route, request, connection.remoteAddress, (name) => (entry.caller = name));
      const timeoutMs = route.isSlow === true ? limits.answerTimeoutMs : limits.timeoutMs;
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      const giveBack = await slots.take(signal);
      let work: Promise<Response> | undefined;
      let isServed = false;
      try {
        const given = await read(route, request, limits);
        const call: Call = {
          ...given,
          kb: caller?.kb ?? kb,
          request,
          requestId,
          signal,
          fail: (error) => (failure = error),
        };
        asked = route.asked?.(call) ?? [];
        work = route.handle(call);
        const response = await untilAborted(work, signal, "The request");
        isServed = true;
        if (isStream(response)) return whenBodyEnds(response, giveBack);
        giveBack();
        return response;
      } catch (error) {
        const refusal = toRefusal(error);
        const isOurFault = refusal.status >= 500 || route.failed !== undefined;
        if (work === undefined || !isOurFault) throw error;
        failure = error;
        if (route.failed === undefined || refusal.status === 499) throw error;
        return route.failed();
      } finally {
        // Work that goes on although nobody waits for it still takes its slot.
        if (work === undefined) giveBack();
        else if (!isServed) work.then(letGo, () => {}).finally(giveBack);
      }
    };

    let response: Response;
    try {
      response = await answer();
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal.status < 500) entry.refused = refusal.code;
      else failure = error;
      response = new Response(JSON.stringify(refusalBody(refusal, requestId)), {
        status: refusal.status,
        headers: { "content-type": "application/json; charset=utf-8", ...refusal.headers },
      });
    }
    const headers = new Headers({ ...usualHeaders, ...corsHeaders(request, rules), "x-request-id": requestId });
    for (const [name, value] of response.headers) headers.set(name, value);
    const { status } = response;
    if (isStream(response)) return whenBodyEnds(new Response(response.body, { status, headers }), () => finish(status));
    finish(status);
    return new Response(request.method === "HEAD" ? null : response.body, { status, headers });
  };
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

function allowedMethods(routes: readonly Route[] = []): string {
  const own = routes.map(({ method }) => method as string);
  return [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** As it stands: nothing in it is decoded, so nothing can be hidden in it. */
function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}

/** The client's own, where it is one that can stand in a log; else a new one. */
function readRequestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{1,64}$/u.test(given) ? given : crypto.randomUUID();
}

/** Of an answer that came too late: nobody reads it. */
async function letGo(response: Response): Promise<void> {
  await response.body?.cancel();
}

function isStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
