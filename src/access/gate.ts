import { IbidError } from "../contracts/errors.ts";
import type { AccessContext, AccessPolicy, AuthorizedScopes, Scope, SystemAuthority } from "../contracts/scope.ts";
import { parseScope } from "./scopes.ts";

/**
 * The caller who owns the knowledge base: reads and writes every scope. A unique symbol, so that no request body can claim it.
 *
 * @experimental
 */
export const operator: unique symbol = Symbol("operator");

/**
 * The caller: an access context, or the operator.
 *
 * @experimental
 */
export type Caller = AccessContext | typeof operator;

/** Every proof that this module made and nobody else can make; looked up, never trusted by shape. */
const proofs = new WeakSet<object>();

/**
 * The one place that decides who may read and write which scopes.
 *
 * **Source** ToolUp's `authorisedScopes`.
 *
 * @experimental
 */
export interface Gate {
  /**
   * Proves the scopes that a caller may read, narrowed to `requested` when given. Unreadable scopes are dropped without an error;
   * with none left the proof is empty. `existing` are the scopes with content: the meaning of "every scope" for the operator.
   */
  read(caller: Caller, existing: readonly Scope[], requested?: readonly Scope[]): AuthorizedScopes;
  /** Lets a caller write one scope. **Errors** `access-denied` when it is not theirs. */
  write(caller: Caller, scope: Scope): AuthorizedScopes<"write">;
  /** The scopes of `existing` that the caller may write. */
  writable(caller: Caller, existing: readonly Scope[]): readonly Scope[];
}

/** Whether a value is a `Proxy` that was revoked: nothing of it can be read. The gate imports contracts alone, so it asks by itself. */
function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}

/**
 * Makes a gate for one policy. Without one, the deployment scope is there and the platform scope is not.
 *
 * @experimental
 */
export function createGate(policy: AccessPolicy = {}): Gate {
  if (typeof policy !== "object" || policy === null || isRevoked(policy)) {
    throw new IbidError(
      "invalid-argument",
      `createGate: policy is of the type ${typeof policy}; it must be an object.`,
      {
        hint: "Give { platform, platformFor, deployment }, or leave policy out.",
      },
    );
  }
  const platform = policy.platform ?? false;
  const deployment = policy.deployment ?? true;
  const isForAll = readPlatformFor(policy) === "everyone";

  const readable = (caller: AccessContext): Scope[] => {
    const scopes = ownScopes(caller);
    // Where it is enabled, the platform scope is for authenticated callers, unless the policy opens it.
    if (platform && (isForAll || scopes.length > 0)) scopes.push("platform");
    if (deployment) scopes.push("deployment");
    return scopes;
  };

  return {
    read(caller, existing, requested) {
      const permitted = caller === operator ? [...existing, ...(requested ?? [])] : readable(caller);
      const wanted = requested?.map(parseScope);
      return prove(
        "read",
        wanted ? permitted.filter((scope) => wanted.includes(scope)) : permitted,
        wanted ?? permitted,
      );
    },
    write(caller, scope) {
      const wanted = parseScope(scope);
      if (!mayWrite(caller, wanted)) {
        throw new IbidError("access-denied", `This caller may not write to ${wanted}.`, {
          hint: "Callers write to their own user and team scopes; the operator writes to the others.",
        });
      }
      return prove("write", [wanted], [wanted]);
    },
    writable(caller, existing) {
      if (isRevoked(existing) || !Array.isArray(existing))
        throw new IbidError("invalid-argument", "existing is no list of scopes.", {
          hint: "Give the scopes with content.",
        });
      return (existing as readonly Scope[]).filter((scope) => mayWrite(caller, scope));
    },
  };
}

/** **Errors** `invalid-argument` for another word, and for readers of a platform scope that is not there. */
function readPlatformFor({ platform = false, platformFor }: AccessPolicy): AccessPolicy["platformFor"] {
  if (platformFor === undefined) return undefined;
  if (platformFor !== "authenticated" && platformFor !== "everyone") {
    throw new IbidError("invalid-argument", `access.platformFor is ${JSON.stringify(platformFor)}.`, {
      hint: "Give authenticated or everyone.",
    });
  }
  if (platform || platformFor === "authenticated") return platformFor;
  throw new IbidError("invalid-argument", "access.platformFor is everyone, and the platform scope is not enabled.", {
    hint: "Give access.platform: true as well, or leave access.platformFor out.",
  });
}

/** Whether a caller may write a scope. **Shape** an answer, not a proof: no store accepts it. */
export function mayWrite(caller: Caller, scope: Scope): boolean {
  return caller === operator || ownScopes(caller).includes(scope);
}

function ownScopes(caller: AccessContext): Scope[] {
  if (typeof caller !== "object" || caller === null || isRevoked(caller)) {
    throw new IbidError(
      "invalid-argument",
      `The caller is of the type ${typeof caller}; it must be an access context.`,
      {
        hint: "Give { userId, teamId, teams }, or the operator.",
      },
    );
  }
  const teams = new Set([...(caller.teamId === undefined ? [] : [caller.teamId]), ...(caller.teams ?? [])]);
  const scopes = Array.from(teams, (team) => parseScope(`team:${team}`));
  if (caller.userId !== undefined) scopes.push(parseScope(`user:${caller.userId}`));
  return scopes;
}

/**
 * The proof that maintenance carries. Only `services/`, `knowledge-base/` and the contract packs may call this; the architecture test holds them to it.
 *
 * @experimental
 */
export function systemAuthority(): SystemAuthority {
  const authority = Object.freeze({}) as SystemAuthority;
  proofs.add(authority);
  return authority;
}

/** **Errors** `access-denied` unless the gate made `proof` for `right`. Called by the guard before every operation. */
export function assertAuthorized(proof: AuthorizedScopes<"read" | "write">, right: "read" | "write"): void {
  if (typeof proof !== "object" || proof === null || !proofs.has(proof) || proof.right !== right) {
    throw denied(`Nothing can be ${right === "read" ? "read" : "written"} without the gate's permission to ${right}.`);
  }
}

/** **Errors** `access-denied` unless {@link systemAuthority} made it. */
export function assertSystem(authority: SystemAuthority): void {
  if (typeof authority !== "object" || authority === null || !proofs.has(authority) || "right" in authority) {
    throw denied("Maintenance needs the system's authority.");
  }
}

/**
 * A permission for fewer scopes, out of one that the gate gave: it can only lose some. **Errors** `access-denied` for what the gate did not make.
 */
export function narrowProof(proof: AuthorizedScopes, scopes: readonly Scope[]): AuthorizedScopes {
  assertAuthorized(proof, "read");
  return prove(
    "read",
    proof.scopes.filter((scope) => scopes.includes(scope)),
    proof.requested,
  );
}

function denied(message: string): IbidError {
  return new IbidError("access-denied", message, { hint: "Ask through the knowledge base, which asks the gate." });
}

function prove<Right extends "read" | "write">(
  right: Right,
  scopes: readonly Scope[],
  requested: readonly Scope[],
): AuthorizedScopes<Right> {
  const proof = Object.freeze({
    right,
    scopes: Object.freeze([...new Set(scopes)].toSorted()),
    requested: Object.freeze([...new Set(requested)].toSorted()),
  }) as AuthorizedScopes<Right>;
  proofs.add(proof);
  return proof;
}
