import type * as z from "zod";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";

/** Whoever asks, and the knowledge base as they see it. */
export interface Caller {
  readonly name: string;
  readonly kb: KnowledgeBase;
  readonly isOperator: boolean;
  readonly mayWrite: boolean;
  readonly perMinute: number;
}

/** Who may ask a route: anybody, whoever is known, who may also write, or the operator. */
export type Needed = "nobody" | "reader" | "writer" | "operator";

/** A request that was let in, with what was read of it. */
export interface Call<Query = unknown, Body = unknown> {
  readonly kb: KnowledgeBase;
  readonly request: Request;
  readonly requestId: string;
  readonly query: Query;
  readonly body: Body;
  /** Fires when the client has left, or the time is up. */
  readonly signal: AbortSignal;
  /** Notes what went wrong after the answer had begun, for the log. */
  readonly fail: (error: unknown) => void;
}

/** What a route answers: a description, and for each content type the schema of it. */
export interface DescribedResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, z.ZodType | undefined>>;
}

/**
 * One route: what it takes, what it answers, who may ask, and what it does. The service, and its OpenAPI document, are made of these.
 *
 * Paths are compared as they stand: a document's uri is a parameter, since it has slashes in it, and dots.
 */
export interface Route<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** As generated clients call it. */
  readonly name: string;
  readonly summary: string;
  readonly needs: Needed;
  readonly query?: Query;
  /** A schema for JSON; `"bytes"` for a file; `"message"` for JSON that somebody else checks, as bytes. Default: none. */
  readonly body?: Body | "bytes" | "message";
  readonly answers: Readonly<Record<number, DescribedResponse>>;
  /** Whether a model may write it, which takes its time. Default false. */
  readonly isSlow?: true;
  /** What of the body or the parameters is nobody's business (law 10). */
  readonly asked?: (call: Call<z.output<Query>, z.output<Body>>) => readonly string[];
  handle(call: Call<z.output<Query>, z.output<Body>>): Promise<Response>;
  /** What a client is told in place of the usual words when `handle` fails. */
  readonly failed?: () => Response;
}

/** Keeps what a route's schemas say within it, and forgets it outside: routes stand in one list. */
export function defineRoute<Query extends z.ZodType, Body extends z.ZodType>(route: Route<Query, Body>): Route {
  return route;
}

/** **Shape** of data: no cache keeps it, since it is for one caller. */
export function jsonResponse(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}
