import { platformNow } from "../runtime/platform-clock.ts";
import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { untilAborted } from "../runtime/abort.ts";
import { createActivity } from "./activity.ts";
import { createBodyRoom } from "./body-room.ts";
import { createCallerUsage } from "./caller-usage.ts";
import { createIdentification } from "./caller-keys.ts";
import { allowedHeaders, exposedHeaders } from "./origin-headers.ts";
import { checkOrigin, type OriginRules } from "./check-origin.ts";
import { describeFailure } from "./describe-failure.ts";
import { checkHandlerOptions, type ConnectionFacts, type HandlerOptions } from "./handler-options.ts";
import { createKeyRoutes, noteUse } from "./key-routes.ts";
import { openJobs } from "./jobs/open-jobs.ts";
import { addressGroup } from "./limits.ts";
import { createOriginals } from "./originals.ts";
import { createPaths, isRepeatable } from "./paths.ts";
import { createPublicNames } from "./public-names.ts";
import { followPurges } from "./follow-purges.ts";
import { createThreads } from "./threads.ts";
import { missingPage, wantsPage } from "./page/page-routes.ts";
import { createDeadline } from "./deadline.ts";
import { type DirectExchange, directExchange } from "./direct-exchange.ts";
import { whenRead } from "./event-response.ts";
import { createAnswerStreams } from "./answer-streams.ts";
import { readBytes, readJson, readNothing, readParams, readQuery, nearest } from "./read-request.ts";
import { errorJson, openAiFacts, Refusal, toRefusal } from "./refusal.ts";
import {
  type Call,
  type Caller,
  jsonResponse,
  packResponse,
  type Route,
  takesGzip,
  wholeBodyOf,
  withBody,
} from "./route.ts";
import { createSlots } from "./slots.ts";
import { challengeOf } from "./resource-metadata.ts";
import { createActivityRoute, createDiskRoute } from "./service-routes.ts";
import { chooseRoutes } from "./choose-routes.ts";

/**
 * A service for any host with web-standard requests: Node, Deno, Bun, a worker, a route of a framework.
 *
 * @experimental
 */
export interface Handler {
  (request: Request, connection?: ConnectionFacts): Promise<Response>;
  /** Ends event streams, and breaks off jobs that are being done. With `files` the next handler goes on with them. */
  close(): Promise<void>;
}

/** Values that belong to one request. */
interface Environment {
  Bindings: ConnectionFacts & { readonly [directExchange]?: DirectExchange };
  Variables: {
    requestId: string;
    /** Name of the caller, once it is known. */
    caller?: string;
    /** Headers with the requests that the caller has left. */
    rate?: Readonly<Record<string, string>>;
    /** Private texts of the request. */
    asked?: readonly string[];
    failure?: unknown;
    refused?: string;
    /** Returns the slot of a streamed response when its body ends. */
    release?: () => void;
    /** Whether the client left before the body of the response ended. */
    isGivenUp?: boolean;
  };
}

/** A request that may pass. */
interface Admitted {
  /** Absent where the route is open to all. */
  readonly caller?: Caller;
  readonly countedAs: string;
}

/** Headers of every response: it is private, and no other site may embed it. */
const usualHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  vary: "Origin, Authorization, Cookie, Accept-Encoding",
} as const;

/**
 * Serves a knowledge base over HTTP, as a function from a request to a response.
 *
 * | route | for | |
 * |---|---|---|
 * | `POST /search`, `POST /ask` | readers | hits; an answer, or with `accept: text/event-stream` its events |
 * | `POST /rag/query` | readers | `{query}` to `{response}`, the shape of Ballerina's service |
 * | `POST /chat` | readers | for `useChat` of the AI SDK |
 * | `GET /documents`, `/document?uri=`, `/outline?uri=` | readers | the documents |
 * | `POST /documents`, `PUT` and `DELETE /document?uri=` | writers | a text, a file, a deletion |
 * | `POST /jobs`, `/uploads`, `GET /jobs`, `/jobs/events` | writers | documents that are ingested in the background; resumable uploads |
 * | `POST /mcp` | readers | for agents, over MCP |
 * | `GET /health/rag` | operators | the last minute |
 * | `GET /livez`, `GET /readyz` | all | probes |
 * | `GET /openapi.json`, `GET /` | all | the interface; a page |
 *
 * **Shape** the function never rejects: an error becomes JSON with code, message, hint and uri. `log` gets the details, but never a word of the question. A
 * caller sees the view `kb.as(…)` of its key; a document outside that view answers like one that does not exist.
 * **Errors** `invalid-argument` for wrong options, when the handler is made.
 * **Cost** `limits.concurrent` requests run at once, and `limits.waiting` wait; one caller has `limits.perCaller` of these slots at most. A caller without a slot gets one
 * beyond them, up to 256 callers. A body is read before its request takes a slot.
 */
export function createHandler(kb: KnowledgeBase, options: HandlerOptions = {}): Handler {
  const limits = checkHandlerOptions(options);
  const hasKeys = options.keys !== undefined || options.authenticate !== undefined;
  const rules: OriginRules = {
    hosts: options.hosts ? new Set(options.hosts.map((name) => name.toLowerCase())) : hasKeys ? "any" : "loopback",
    origins: new Set(options.origins),
  };
  const identify = createIdentification(kb, options, limits);
  const activity = createActivity();
  const usedAt = new Map<string, number>();
  const { countRequest, countDay, metered } = createCallerUsage(limits, activity.spend);
  const pools = {
    light: createSlots(limits),
    heavy: createSlots(limits),
    events: createSlots(limits),
    uploads: createSlots(limits),
  };
  const largestBody = Math.max(limits.maxUploadBytes, limits.maxJsonBytes);
  const bodiesOfCaller = Math.max(largestBody, (limits.maxBufferedBytes * limits.perCaller) / limits.concurrent);
  const bodies = createBodyRoom(limits.maxBufferedBytes, bodiesOfCaller);
  const names = createPublicNames(kb);
  const kept = createOriginals(kb, options.files, options.readSource, names.resolveAll);
  const jobs = openJobs(kb, options, limits, kept);
  const streams = createAnswerStreams(limits);
  const { files, threadDays = 30 } = options;
  const threads = files === undefined || threadDays === 0 ? undefined : createThreads(files, threadDays);
  const beside = { originals: kept, threads, jobs, streams };
  const keyRoutes = createKeyRoutes(options, usedAt);
  const operating = [createActivityRoute(activity), createDiskRoute(options), ...keyRoutes];
  const chosen = chooseRoutes(options, hasKeys, limits, beside, operating);
  const routes = chosen.filter(({ absent }) => absent === undefined);
  const pathHeaders = new Map(routes.flatMap(({ path, headers }) => (headers ? [[path, headers] as const] : [])));
  const paths = createPaths(chosen);
  const methods = new Map(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, own]) => {
      const names: readonly string[] = own.map(({ method }) => method);
      return [path, [...names, ...(names.includes("GET") ? ["HEAD"] : []), "OPTIONS"]] as [string, string[]];
    }),
  );
  const probes = new Set(routes.flatMap(({ isProbe, path }) => (isProbe === true ? [path] : [])));
  const allowed = (context: Context): string[] => methods.get(paths.of(context.req.path) ?? "") ?? ["OPTIONS"];

  const views = new WeakMap<Caller, { readonly countedAs: string; readonly kb: KnowledgeBase }>();
  /** The knowledge base as a caller has it. It is kept, since a copy for each request is garbage. */
  const viewOf = (caller: Caller, countedAs: string): KnowledgeBase => {
    const before = views.get(caller);
    if (before?.countedAs === countedAs) return before.kb;
    const own = followPurges(metered(countedAs, caller), beside);
    const view = caller.isOperator ? own : names.hide(own);
    views.set(caller, { countedAs, kb: view });
    return view;
  };

  /** Counts the request, and returns its caller, with the name that limits know. **Errors** 401, 403, 429. */
  const admit = async (context: Context<Environment>, { needs }: Route): Promise<Admitted> => {
    const address = context.env.remoteAddress;
    const group = `address ${addressGroup(address ?? "unknown")}`;
    if (needs === "nobody") {
      countRequest(group, limits.requestsPerMinute);
      return { countedAs: group };
    }
    const caller = await identify(context.req.raw, context.env);
    if (caller === undefined) {
      countRequest(`stranger ${group}`, limits.strangersPerMinute);
      throw new Refusal(401, "unauthenticated", "Send a key: this request has none that is valid.", {
        hint: "Send the header authorization: Bearer, and the key after it.",
        headers: { "www-authenticate": challengeOf(context.req.raw, homeOf(context), options.authorizationServers) },
      });
    }
    if (options.keys !== undefined) noteUse(usedAt, caller.name);
    // The log names a caller also when the request is refused.
    context.set("caller", caller.name);
    const countedAs = hasKeys ? `caller ${caller.name}` : group;
    context.set("rate", countRequest(countedAs, caller.perMinute));
    if ((needs === "operator" && !caller.isOperator) || (needs === "writer" && !caller.mayWrite)) {
      const right = needs === "operator" ? "the operator's key" : "the right to write";
      throw new Refusal(403, "access-denied", `This route needs ${right}.`, {
        hint: hasKeys
          ? `Ask the operator for a key with ${needs === "operator" ? '"operator": true' : '"write": true'}.`
          : `Start the service ${needs === "operator" ? "without --as-user and --as-team" : "with --write"}.`,
      });
    }
    countDay(countedAs, caller, "requests", 1);
    return { caller, countedAs };
  };

  const readBody = async (
    { req: { raw: request }, env }: Context<Environment>,
    body: Route["body"],
    onPart: (bytes: number) => void,
  ): Promise<unknown> => {
    if (body === "stream") return undefined;
    const { bodyTimeoutMs: timeoutMs, maxJsonBytes, maxUploadBytes } = limits;
    if (body === undefined) return readNothing(request, { maxBytes: maxJsonBytes, timeoutMs, onPart });
    const maxBytes = body === "bytes" ? maxUploadBytes : maxJsonBytes;
    const bounds = { maxBytes, timeoutMs, onPart, stream: env[directExchange]?.body };
    return body === "bytes" || body === "message" ? readBytes(request, bounds) : readJson(request, body, bounds);
  };

  /** Reads a request, then runs its route in a slot. The slot and the body stay held while the work goes on, even after the client left. */
  const serve = async (context: Context<Environment>, route: Route): Promise<Response> => {
    const request = context.req.raw;
    const { caller, countedAs } = await admit(context, route);
    const timeoutMs = route.isSlow === true ? limits.answerTimeoutMs : limits.timeoutMs;
    const deadline = createDeadline(request.signal, timeoutMs);
    const { signal } = deadline;
    const held = bodies.open(countedAs);
    let leaveSlot: (() => void) | undefined;
    const giveBack = (): void => {
      deadline.release();
      leaveSlot?.();
      held.release();
    };
    let work: Promise<Response> | undefined;
    let isServed = false;
    let isDetached = false;
    try {
      const params: unknown = readParams(context.req.param(), route.params);
      const query = readQuery(request, route.query);
      const count = (bytes: number): void => caller && countDay(countedAs, caller, "bytes", bytes);
      const body = await readBody(context, route.body, (bytes) => {
        held.add(bytes);
        count(bytes);
      });
      leaveSlot = await pools[route.pool ?? (route.isLight === true ? "light" : "heavy")].take(countedAs, signal);
      const call: Call = {
        params,
        query,
        body,
        kb: caller === undefined ? kb : viewOf(caller, countedAs),
        caller,
        request,
        takesBytes: takesBytes(context),
        requestId: context.get("requestId"),
        get home() {
          return homeOf(context);
        },
        signal,
        hold: (bytes) => held.add(bytes),
        count,
        detach() {
          isDetached = true;
          const own = createDeadline(new AbortController().signal, timeoutMs);
          return {
            signal: own.signal,
            release() {
              own.release();
              giveBack();
            },
          };
        },
        fail: (error) => context.set("failure", error),
      };
      context.set("asked", route.asked?.(call) ?? []);
      work = route.handle(call);
      const response = await untilAborted(work, signal, "The request");
      isServed = true;
      if (isDetached) deadline.release();
      else if (isStream(response)) context.set("release", giveBack);
      else giveBack();
      return response;
    } catch (error) {
      const { status } = toRefusal(error);
      // A request that is wrong is no failure of the service.
      if (work !== undefined && route.failed !== undefined && ![400, 422, 499].includes(status)) {
        context.set("failure", error);
        return route.failed();
      }
      throw error;
    } finally {
      if (work === undefined) giveBack();
      else if (!isServed) work.then(discard, () => {}).finally(giveBack);
    }
  };

  const log = (context: Context<Environment>, started: number, sent: number): void => {
    const caller = context.get("caller");
    const refused = context.get("refused");
    const failure = context.get("failure");
    const { method } = context.req;
    const path = paths.of(context.req.path);
    if (path !== undefined && probes.has(path)) return;
    const { remoteAddress } = context.env;
    const status = context.get("isGivenUp") === true ? 499 : sent;
    const ms = Math.round(performance.now() - started);
    activity.request({ path: path ?? null, status, ms });
    try {
      options.log?.({
        at: new Date(platformNow()).toISOString(),
        id: context.get("requestId"),
        method: knownMethods.has(method) ? method : "?",
        path: path ?? null,
        status,
        ms,
        ...(caller !== undefined && { caller }),
        ...(refused !== undefined && { refused }),
        ...(remoteAddress !== undefined && { address: remoteAddress }),
        ...(failure !== undefined && { failure: describeFailure(failure, context.get("asked") ?? []) }),
      });
    } catch {
      // A log that fails does not stop the response.
    }
  };

  // hono decodes paths by default. Here they are compared as they arrive, so that nothing can hide in them.
  const app = new Hono<Environment>({ getPath: ({ url }) => pathOf(url) });
  app.use(async (context, next) => {
    const started = performance.now();
    context.set("requestId", readRequestId(context.req.raw));
    await next();
    const { res } = context;
    const { method } = context.req;
    const headers = new Map(Object.entries({ ...usualHeaders, "x-request-id": context.get("requestId") }));
    for (const [name, value] of Object.entries(context.get("rate") ?? {})) headers.set(name, value);
    // A response may set several cookies, each in a header of its own.
    const cookies = res.headers.getSetCookie();
    for (const [name, value] of res.headers) if (name !== "set-cookie") headers.set(name, value);
    // A client may keep what has an ETag, and asks each time whether it is still so.
    if (headers.has("etag") && !res.headers.has("cache-control")) headers.set("cache-control", "private, no-cache");
    if (headers.has("access-control-allow-origin")) headers.set("cross-origin-resource-policy", "cross-origin");
    headers.set("vary", usualHeaders.vary);
    const own = pathHeaders.get(context.req.path);
    for (const [name, value] of Object.entries(own?.always ?? {})) headers.set(name, value);
    if (method === "OPTIONS") {
      headers.set("allow", allowed(context).join(", "));
      for (const [name, value] of Object.entries(own?.options ?? {})) headers.set(name, value);
    }
    const finish = (isGivenUp = false): void => {
      // The work notices first that the client left, and may end the body before it is cancelled.
      context.set("isGivenUp", isGivenUp || (isStream(res) && context.req.raw.signal.aborted));
      context.get("release")?.();
      log(context, started, res.status);
    };
    const bytes = method === "HEAD" ? undefined : wholeBodyOf(res);
    // hono merges the old headers into a response that replaces another.
    context.res = undefined;
    if (bytes !== undefined && context.env[directExchange] !== undefined) {
      // The log has a request before its client has the response.
      finish();
      context.res = context.env[directExchange].send(res.status, headers, cookies, bytes);
      return;
    }
    context.res = new Response(isStream(res) ? whenRead(res.body, finish) : res.body, {
      status: res.status,
      headers: [...headers, ...cookies.map((cookie): [string, string] => ["set-cookie", cookie])],
    });
    if (!isStream(res)) finish();
  });
  for (const route of routes.filter(({ isProbe }) => isProbe)) {
    app.on(route.method, route.path, (context) => {
      const request = context.req.raw;
      return route.handle({
        kb,
        request,
        requestId: context.get("requestId"),
        home: homeOf(context),
        params: undefined,
        query: undefined,
        body: undefined,
        signal: request.signal,
        hold() {},
        count() {},
        detach: () => ({ signal: request.signal, release() {} }),
        fail() {},
      });
    });
  }
  app.use((context, next) => {
    checkOrigin(context.req.raw, rules);
    return next();
  });
  const answerOrigins = cors({
    origin: [...rules.origins],
    allowMethods: (_origin, context) => allowed(context),
    allowHeaders: allowedHeaders,
    exposeHeaders: exposedHeaders,
    maxAge: 600,
  });
  // Its headers are for pages of other sites. They would replace each response by another one.
  app.use((context, next) =>
    context.req.method === "OPTIONS" || context.req.header("origin") !== undefined
      ? answerOrigins(context, next)
      : next(),
  );
  // A person who types the name of the threads gets their screen, with or without a key.
  if (methods.has("/") && methods.has("/threads"))
    app.use(paths.pattern("/threads"), async (context, next) => {
      if (!wantsPage(context.req.raw)) return next();
      return new Response(null, { status: 303, headers: { location: `${new URL(homeOf(context)).pathname}history` } });
    });
  const compressed = compress();
  app.use(async (context, next) => {
    const accepted = context.req.header("accept-encoding");
    if (accepted === undefined) return next();
    const pack = context.env[directExchange]?.pack;
    if (pack === undefined || context.req.method === "HEAD" || !takesGzip(accepted)) return compressed(context, next);
    await next();
    const { res } = context;
    if (res.headers.has("content-encoding")) return;
    const packed = packResponse(res, pack);
    // hono merges the old headers into a response that replaces another.
    context.res = undefined;
    context.res = packed ?? withBody(res);
    if (packed === undefined) await compressed(context, async () => {});
  });
  for (const path of routes.filter(isRepeatable).map(({ path }) => path)) app.on("GET", paths.pattern(path), etag());
  for (const route of routes) {
    if (route.isProbe === true) continue;
    app.on(route.method, paths.pattern(route.path), (context) =>
      serve(context, route).catch((error: unknown) => {
        // hono handles nothing but an Error; an application may throw anything.
        throw error instanceof Error ? error : new Error(String(error));
      }),
    );
  }
  for (const { method, path, absent } of chosen) {
    if (absent === undefined) continue;
    app.on(method, paths.pattern(path), () => {
      throw new Refusal(400, "unsupported", absent.message, { hint: absent.hint });
    });
  }
  for (const path of methods.keys()) {
    app.all(paths.pattern(path), (context) => {
      const allow = allowed(context).join(", ");
      throw new Refusal(405, "method-not-allowed", `${path} does not take this method.`, {
        hint: `Use ${allow}.`,
        headers: { allow },
      });
    });
  }
  const near = nearest([...methods.keys()].filter((path) => path.length > 3));
  app.notFound((context) => {
    if (methods.has("/") && wantsPage(context.req.raw)) {
      context.set("refused", "not-found");
      return missingPage(homeOf(context), context.get("requestId"));
    }
    const [route] = near(context.req.path);
    throw new Refusal(404, "not-found", "This service has no such route.", {
      hint: route === undefined ? "GET /openapi.json lists the routes." : `Did you mean ${route}?`,
    });
  });
  app.onError((error, context) => {
    const refusal = toRefusal(error);
    if (refusal.status < 500) context.set("refused", refusal.code);
    // The log alone has what the operator has to set up.
    if (refusal.status >= 500 || refusal.code.endsWith("-missing")) context.set("failure", error);
    const shape = context.req.path.startsWith("/v1/") ? openAiFacts(refusal) : {};
    const described = { ...errorJson(refusal, context.get("requestId")), ...shape };
    return jsonResponse({ error: described }, refusal.status, refusal.headers);
  });
  const handle = async (request: Request, connection: ConnectionFacts = {}): Promise<Response> =>
    app.fetch(request, connection);
  return Object.assign(handle, {
    async close() {
      streams.close();
      await jobs?.close();
    },
  });
}

const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Whether the bytes of a whole response reach the client without a body around them: no middleware of hono copies the response. */
function takesBytes({ req, env }: Context<Environment>): boolean {
  if (env[directExchange] === undefined || req.method === "HEAD" || req.header("origin") !== undefined) return false;
  const accepted = req.header("accept-encoding");
  return accepted === undefined || takesGzip(accepted);
}

/** Path of a request's address, which its host has normalised. */
function pathOf(url: string): string {
  const [path = ""] = url.slice(url.indexOf("/", url.indexOf("//") + 2)).split(/[?#]/u, 1);
  return path;
}

function homeOf({ req, env }: Context<Environment>): string {
  const { protocol, host } = new URL(req.url);
  return `${env.protocol === undefined ? protocol : `${env.protocol}:`}//${host}${env.basePath ?? ""}/`;
}

/** The client's own id if it is fit for a log, else a new one. */
function readRequestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{1,64}$/u.test(given) ? given : crypto.randomUUID();
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}

function isStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
