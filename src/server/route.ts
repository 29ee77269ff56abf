import type { z } from "zod";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessContext } from "../contracts/scope.ts";
import type { DayLimits } from "./limits.ts";

/** The sender of a request, with the knowledge base as that sender sees it. */
export interface Caller {
  readonly name: string;
  readonly kb: KnowledgeBase;
  readonly access: AccessContext | "operator";
  readonly isOperator: boolean;
  readonly mayWrite: boolean;
  readonly perMinute: number;
  readonly perDay: DayLimits;
}

/** The right that a route needs; `nobody`: it is open to all. */
export type NeededRight = "nobody" | "reader" | "writer" | "operator";

/** The group of a route in the OpenAPI document. */
export type RouteTag =
  | "questions"
  | "documents"
  | "jobs"
  | "threads"
  | "notes"
  | "records"
  | "openai"
  | "agents"
  | "service"
  | "operation"
  | "page";

/** An admitted request, with its parameters and its body checked. */
export interface Call<Query = unknown, Body = unknown, Params = unknown> {
  readonly kb: KnowledgeBase;
  /** Absent where the route is open to all. */
  readonly caller?: Caller | undefined;
  readonly request: Request;
  /** Whether a response needs no body, since its bytes are sent as they are: see {@link bytesResponse}. */
  readonly takesBytes?: boolean;
  readonly requestId: string;
  /** Address of the service as its client sees it, with a slash at its end. */
  readonly home: string;
  /** Parts of the path that the route names. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Fires when the client leaves, or the time is up. */
  readonly signal: AbortSignal;
  /** Counts bytes of the request that are in memory until it is over. **Errors** 503 where there is no room. */
  readonly hold: (bytes: number) => void;
  /** Counts bytes of a body that `handle` reads itself, for the caller's day. **Errors** 429. */
  readonly count: (bytes: number) => void;
  /** Lets the work outlive the client: it has the slot until `release`, and a signal that fires when the time is up. */
  readonly detach: () => { readonly signal: AbortSignal; readonly release: () => void };
  /** Reports a failure after the response began; the log gets it. */
  readonly fail: (error: unknown) => void;
}

/** A response of a route: a description, and the schema of each content type. */
export interface DescribedResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, z.ZodType | undefined>>;
  /** Server-sent events by name, each with the schema of its data. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** Data of the last event, which is no JSON. */
  readonly end?: "[DONE]";
}

/**
 * One route. The table of routes makes both the router and the OpenAPI document.
 *
 * A path names its parameters in braces, `/v1/files/{file}`, for ids that the service makes. The uri of a document contains slashes and dots, so it is a parameter of the address.
 */
export interface Route<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Name in generated clients. */
  readonly name: string;
  readonly summary: string;
  readonly tag: RouteTag;
  readonly needs: NeededRight;
  readonly params?: Params;
  readonly query?: Query;
  /** A schema for JSON; `"bytes"` for a file; `"stream"` for one that `handle` reads; `"message"` for JSON that `handle` checks itself, as bytes. Default: none. */
  readonly body?: Body | "bytes" | "stream" | "message";
  /** Content types of a body of bytes, for the description. Default: any. */
  readonly accepts?: Readonly<Record<string, z.ZodType | undefined>>;
  readonly answers: Readonly<Record<number, DescribedResponse>>;
  /** Whether a model may write the response, which takes longer. Default false. */
  readonly isSlow?: true;
  /** Whether the route only reads a few rows. Such routes have slots of their own. Default false. */
  readonly isLight?: true;
  /** Slots of their own, for routes that hold one as long as a client reads events or sends a file. Default: those of `isLight`. */
  readonly pool?: "events" | "uploads";
  /** Headers of every response at this path, and of those to OPTIONS. */
  readonly headers?: {
    readonly always: Readonly<Record<string, string>>;
    readonly options: Readonly<Record<string, string>>;
  };
  /** Reason for which this service lacks the route: requests are refused with it, and no description has it. */
  readonly absent?: { readonly message: string; readonly hint: string };
  /** Whether the route answers any host name, without slot and log. Default false. */
  readonly isProbe?: true;
  /** Private texts of the request, which the log must not repeat. */
  readonly asked?: (call: Call<z.output<Query>, z.output<Body>, z.output<Params>>) => readonly string[];
  handle(call: Call<z.output<Query>, z.output<Body>, z.output<Params>>): Promise<Response>;
  /** The response in place of the usual error when `handle` fails. */
  readonly failed?: () => Response;
}

/** Types a route by its schemas. The result has the general type, so that all routes fit into one list. */
export function defineRoute<Query extends z.ZodType, Body extends z.ZodType, Params extends z.ZodType>(
  route: Route<Query, Body, Params>,
): Route {
  return route;
}

/** A response with JSON. */
export function jsonResponse(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return bytesResponse(new TextEncoder().encode(JSON.stringify(value)), { status, headers });
}

/** Bodies of responses that are whole. A host that takes bytes is spared their stream. */
const wholeBodies = new WeakMap<Response, Uint8Array>();

/** The bytes of a response's body, where it was made by {@link bytesResponse}. */
export const wholeBodyOf = (response: Response): Uint8Array | undefined => wholeBodies.get(response);

/** A response whose bytes are known. **Cost** a body is a copy of the bytes and a stream, which take longer than all other parts of a response. */
function wholeResponse(bytes: Uint8Array, init: ResponseInit, hasBody: boolean): Response {
  const response = new Response(hasBody ? (bytes as Uint8Array<ArrayBuffer>) : null, init);
  wholeBodies.set(response, bytes);
  return response;
}

/** A response with JSON that is in bytes already. **Shape** without a body where the call takes bytes. */
export function bytesResponse(
  bytes: Uint8Array,
  {
    status = 200,
    headers = {},
    takesBytes = false,
  }: Pick<Call, "takesBytes"> & { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const usual = { "content-type": "application/json; charset=utf-8", "content-length": String(bytes.length) };
  return wholeResponse(bytes, { status, headers: { ...usual, ...headers } }, !takesBytes);
}

/** The same response with a body, for middleware that reads it. */
export function withBody(response: Response): Response {
  const bytes = response.body === null ? wholeBodies.get(response) : undefined;
  return bytes === undefined ? response : wholeResponse(bytes, response, true);
}

/** The same response with its whole body packed with gzip, as bytes alone. **Shape** `undefined` where it has no whole body, or `pack` leaves it. */
export function packResponse(
  response: Response,
  pack: (body: Uint8Array) => Uint8Array | undefined,
): Response | undefined {
  const body = wholeBodies.get(response);
  const packed = body && pack(body);
  if (packed === undefined) return undefined;
  const { status, headers } = response;
  const result = wholeResponse(packed, { status, headers }, false);
  result.headers.set("content-encoding", "gzip");
  result.headers.set("content-length", String(packed.length));
  const etag = headers.get("etag") ?? "W/";
  if (!etag.startsWith("W/")) result.headers.set("etag", `W/${etag}`);
  return result;
}

/** Whether a client names gzip without a weight. The middleware of hono weighs all others. */
export const takesGzip = (accepted: string | null | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:,|$)/iu.test(accepted ?? "");
