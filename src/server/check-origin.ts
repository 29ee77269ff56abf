import { hostName, isLoopbackName } from "./loopback.ts";
import { Refusal } from "./refusal.ts";

/** From where, and under which names, a service may be asked. */
export interface OriginRules {
  /** Names that it answers to. `"loopback"`: this machine's alone. `"any"`: it has keys, without which a name is worth nothing. */
  readonly hosts: ReadonlySet<string> | "loopback" | "any";
  /** Of pages of other origins that may ask from a browser. */
  readonly origins: ReadonlySet<string>;
}

/**
 * Turns away what a browser sends for somebody else's page.
 *
 * A page can make its own name resolve to this machine (DNS rebinding): then `Host` is that name. Or it can send a request across: then `Origin` is its own, or,
 * where a browser sends none, `Sec-Fetch-Site` says so. What no browser sent has neither, and is judged by its key.
 *
 * **Source** the Fetch standard (`Origin`, CORS), Fetch Metadata (`Sec-Fetch-Site`).
 */
export function checkOrigin(request: Request, { hosts, origins }: OriginRules): void {
  const host = hostOf(request);
  const name = hostName(host);
  const isKnown =
    name !== undefined && (hosts === "any" || (hosts === "loopback" ? isLoopbackName(name) : hosts.has(name)));
  if (!isKnown) throw new Refusal(421, "unknown-host", "This service does not answer to that name.");

  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOwn = origin === null ? site === null || site === "same-origin" || site === "none" : isSame(origin, host);
  const isFollowed =
    origin === null && request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
  if (isOwn || isFollowed || (origin !== null && origins.has(origin))) return;
  throw new Refusal(403, "forbidden-origin", "Pages of that origin may not ask this service.");
}

/** What lets a page of an allowed origin see the answer; nothing for any other. */
export function corsHeaders(request: Request, { origins }: OriginRules): Readonly<Record<string, string>> {
  const origin = request.headers.get("origin");
  if (origin === null || !origins.has(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-request-id, retry-after",
    "cross-origin-resource-policy": "cross-origin",
  };
}

/** The answer to a browser that asks whether it may ask. */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers":
      "authorization, content-type, accept, x-request-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name",
    "access-control-max-age": "600",
  };
}

function hostOf(request: Request): string {
  return request.headers.get("host") ?? new URL(request.url).host;
}

function isSame(origin: string, host: string): boolean {
  return [`http://${host}`, `https://${host}`].includes(origin.toLowerCase());
}
