import type { IsInNetworks } from "./client-address.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import type { ConnectionFacts, HandlerOptions, KnownCaller } from "./handler-options.ts";

/** The option `authenticate` of a service. */
export type Authenticate = NonNullable<HandlerOptions["authenticate"]>;

/**
 * Claims of a token, or headers of a proxy, that say who a caller is.
 *
 * **Shape** a claim within another is named with dots: `realm_access.roles`. A list is an array, or a text with blanks or commas between its parts.
 *
 * @experimental
 */
export interface ClaimRules {
  /** Claim with the id of the user. Default `sub`. */
  readonly user?: string;
  /** Claim with the name in the log. Default: the id of the user. */
  readonly name?: string;
  /** Claim with the teams. Default `groups`. */
  readonly teams?: string;
  /** Claim with the team that the caller acts for, among the teams. Default: none. */
  readonly team?: string;
  /** Callers that may upload and delete: those whose claim has this value. Default: none. */
  readonly write?: ClaimValue;
  /** Callers that own the knowledge base: those whose claim has this value. Default: none. */
  readonly operator?: ClaimValue;
}

/**
 * A value of a claim, such as `{ claim: "scope", value: "ibid.write" }`.
 *
 * @experimental
 */
export interface ClaimValue {
  readonly claim: string;
  readonly value: string;
}

const claimRules = { user: true, name: true, teams: true, team: true, write: true, operator: true } as const;

/** **Errors** `invalid-argument` for unknown rules. */
export function checkClaimRules(where: string, rules: ClaimRules = {}): ClaimRules {
  checkOptions(where, rules, claimRules);
  for (const [name, rule] of [
    ["write", rules.write],
    ["operator", rules.operator],
  ] as const)
    checkOptions(`${where}.${name}`, rule, { claim: true, value: true });
  return rules;
}

/** A caller by claims that were verified. **Shape** `undefined` where no user is named. */
export function callerOf(claims: Readonly<Record<string, unknown>>, rules: ClaimRules): KnownCaller | undefined {
  const { user = "sub", teams = "groups", team, write, operator } = rules;
  const userId = oneOf(claims, user);
  if (userId === undefined) return undefined;
  const has = (wanted: ClaimValue | undefined): boolean =>
    wanted !== undefined && listOf(claims, wanted.claim).includes(wanted.value);
  const own = listOf(claims, teams);
  const teamId = team === undefined ? undefined : oneOf(claims, team);
  return {
    name: (rules.name === undefined ? undefined : oneOf(claims, rules.name)) ?? userId,
    access: has(operator)
      ? "operator"
      : {
          userId,
          ...(own.length > 0 && { teams: own }),
          ...(teamId !== undefined && own.includes(teamId) && { teamId }),
        },
    write: has(write) || has(operator),
  };
}

function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  // A claim may have dots in its own name, as those of Auth0 have.
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split(".").reduce<unknown>((value, name) => {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isThere ? (value as Record<string, unknown>)[name] : undefined;
  }, claims);
}

function oneOf(claims: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const value = claimAt(claims, path);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function listOf(claims: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  const value = claimAt(claims, path);
  const parts: readonly unknown[] =
    typeof value === "string" ? value.split(/[\s,]+/u) : Array.isArray(value) ? value : [];
  return [...new Set(parts.filter((part) => typeof part === "string" && part.trim() !== "") as string[])];
}

/**
 * Joins several ways to name callers: the first that finds one decides.
 *
 * @experimental
 */
export function firstOf(ways: readonly Authenticate[]): Authenticate {
  return async (request, connection) => {
    for (const way of ways) {
      const caller = await way(request, connection);
      if (caller !== undefined) return caller;
    }
    return undefined;
  };
}

/**
 * Options of {@link trustHeaders}.
 *
 * @experimental
 */
export interface TrustedHeaders {
  /** Networks of the proxies that write the headers, such as `10.0.0.5` or `10.0.0.0/24`. */
  readonly networks: readonly string[];
  /** Header with the id of the user. Default `x-forwarded-user`. */
  readonly user?: string | undefined;
  /** Header with the teams. Default `x-forwarded-groups`. */
  readonly teams?: string | undefined;
  /** Team whose members may upload and delete. Default: none. */
  readonly writers?: string | undefined;
  /** Team whose members own the knowledge base. Default: none. */
  readonly operators?: string | undefined;
}

/**
 * Takes the caller from headers that a proxy writes, such as oauth2-proxy or Authelia.
 *
 * **Shape** headers count only where the connection itself comes from one of the networks. The proxy must replace headers of these names that a client sends.
 * **Errors** `invalid-argument` for no networks, and for wrong ones.
 *
 * @experimental
 */
export async function trustHeaders(options: TrustedHeaders): Promise<Authenticate> {
  checkGiven("trustHeaders", "options", options, "object");
  checkOptions("trustHeaders", options, { networks: true, user: true, teams: true, writers: true, operators: true });
  const { networks, user = "x-forwarded-user", teams = "x-forwarded-groups", writers, operators } = options;
  if (!Array.isArray(networks) || networks.length === 0)
    throw new IbidError("invalid-argument", "trustHeaders: networks is empty, so every client could name itself.", {
      hint: "List the addresses of the proxies.",
    });
  const { readNetworks } = await import("./client-address.ts");
  const isProxy: IsInNetworks = readNetworks("networks", networks);
  const valueOf = (claim: string | undefined): ClaimValue | undefined =>
    claim === undefined ? undefined : { claim: "teams", value: claim };
  const [write, operator] = [valueOf(writers), valueOf(operators)];
  const rules: ClaimRules = { user: "user", teams: "teams", ...(write && { write }), ...(operator && { operator }) };
  return ({ headers }, { peerAddress, remoteAddress }: ConnectionFacts) => {
    const address = peerAddress ?? remoteAddress;
    if (address === undefined || !isProxy(address)) return undefined;
    return callerOf({ user: headers.get(user) ?? "", teams: headers.get(teams) ?? "" }, rules);
  };
}
