import { hostName, isLoopbackName } from "./loopback.ts";
import { Refusal } from "./refusal.ts";

/** Host names and origins that a service accepts. */
export interface OriginRules {
  /** Host names that the service answers to. `"loopback"`: names of this machine. `"any"`: with keys, the name does not matter. */
  readonly hosts: ReadonlySet<string> | "loopback" | "any";
  /** Origins of other sites whose pages may send requests. */
  readonly origins: ReadonlySet<string>;
}

/**
 * Refuses requests that a browser sends for a page of another site.
 *
 * A page can make its own name resolve to this machine (DNS rebinding); then `Host` is that name. A page can also send a request across sites. Then `Origin` is
 * its own, or `Sec-Fetch-Site` says so. Requests from other programs have neither header, and only their key decides.
 *
 * **Errors** 421 for an unknown host name, 403 for another origin. **Source** the Fetch standard, Fetch Metadata.
 */
export function checkOrigin(request: Request, { hosts, origins }: OriginRules): void {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const name = hostName(host);
  const isKnown =
    name !== undefined && (hosts === "any" || (hosts === "loopback" ? isLoopbackName(name) : hosts.has(name)));
  if (!isKnown) {
    throw new Refusal(421, "unknown-host", "The Host of this request is not a name of this service.", {
      hint: "Ask under its own name. The operator allows another with --allow-host, or `hosts` in a program.",
    });
  }
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOwn = origin === null ? site === null || site === "same-origin" || site === "none" : isSame(origin, host);
  const isLink = origin === null && request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
  if (isOwn || isLink || (origin !== null && origins.has(origin))) return;
  throw new Refusal(403, "forbidden-origin", "Pages of this origin may not send requests to this service.", {
    hint: "The operator allows an origin with --allow-origin, or `origins` in a program.",
  });
}

function isSame(origin: string, host: string): boolean {
  return [`http://${host}`, `https://${host}`].includes(origin.toLowerCase());
}
