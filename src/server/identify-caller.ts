import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessContext } from "../contracts/scope.ts";
import type { HandlerOptions, KnownCaller } from "./handler-options.ts";
import { createKeyring } from "./keys.ts";
import { isLoopbackAddress } from "./loopback.ts";
import { Refusal } from "./refusal.ts";
import type { Caller } from "./route.ts";

/** Tells who asks; `undefined` for nobody. */
export type IdentifyCaller = (request: Request, address: string | undefined) => Promise<Caller | undefined>;

/** A proxy on this machine brings requests from anywhere, and says so. */
const forwardedBy = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;

/**
 * How a service tells who asks: by their key, by what the application says, or, where there is neither, by their being on this machine.
 *
 * **Errors** of keys and contexts at once, not when somebody comes with one.
 */
export function createIdentification(
  kb: KnowledgeBase,
  { keys, authenticate, local }: HandlerOptions,
  requestsPerMinute: number,
): IdentifyCaller {
  const seenBy = (access: AccessContext | "operator"): KnowledgeBase => (access === "operator" ? kb : kb.as(access));
  const toCaller = ({ name, access, write = false }: KnownCaller, perMinute = requestsPerMinute): Caller => ({
    name,
    kb: seenBy(access),
    isOperator: access === "operator",
    mayWrite: write,
    perMinute,
  });

  if (authenticate !== undefined) {
    return async (request) => {
      const known = await authenticate(request);
      return known && toCaller(known);
    };
  }
  if (keys !== undefined) {
    const ring = createKeyring(keys);
    const callers = new Map(
      ring.known.map((each) => {
        const { name, write, requestsPerMinute: own } = each.entry;
        return [each, toCaller({ name, access: each.access, ...(write !== undefined && { write }) }, own)] as const;
      }),
    );
    return async (request) => {
      const presented = bearerToken(request);
      const found = presented === undefined ? undefined : ring.find(presented);
      return found && callers.get(found);
    };
  }
  const here = toCaller({ access: "operator", ...local, name: "local" });
  return async (request, address) => {
    const isHere = address !== undefined && isLoopbackAddress(address);
    const isForwarded = forwardedBy.some((name) => request.headers.has(name));
    if (isHere && !isForwarded) return here;
    throw new Refusal(403, "access-denied", "Without keys this service answers its own machine alone.");
  };
}

function bearerToken(request: Request): string | undefined {
  const [, token] = /^Bearer +(\S{1,1000})$/iu.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];
  return token;
}
