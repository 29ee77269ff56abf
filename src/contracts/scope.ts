/**
 * Home of a chunk. Its written form is the value itself.
 *
 * `platform` is for every authenticated caller where the operator enables it, or for anonymous ones too; `deployment` for all teams,
 * a team's for that team, a user's for that user.
 * **Source** ToolUp `VectorScope`, in the wire form of its events.
 */
export type Scope = "platform" | "deployment" | `team:${string}` | `user:${string}`;

/**
 * The caller. Without a user and a team the caller is anonymous.
 *
 * **Source** ToolUp `AccessContext`.
 */
export interface AccessContext {
  readonly userId?: string | undefined;
  /** The team that the caller acts for at the moment. */
  readonly teamId?: string | undefined;
  /** Every team that the caller belongs to, the active one among them. Default: the active one alone. */
  readonly teams?: readonly string[] | undefined;
}

/** Named choice among the readable scopes for a question; the active team is `teamId`'s. */
export type ScopeStrategyName = "active-team" | "active-team-plus-user" | "active-team-plus-platform" | "all";

/**
 * A strategy by name, or a function from the caller and the readable scopes to scopes. Other scopes in its result are dropped: a strategy can only narrow.
 *
 * **Source** ToolUp `ScopeStrategy`.
 */
export type ScopeStrategy =
  | ScopeStrategyName
  | ((caller: AccessContext | "operator", readable: readonly Scope[]) => readonly Scope[] | Promise<readonly Scope[]>);

/** Shared scopes that exist for callers. The operator reads every scope regardless. */
export interface AccessPolicy {
  /** Default false. */
  readonly platform?: boolean | undefined;
  /** Readers of the platform scope, where it is enabled: callers with a user or a team, or anonymous ones too. Default `"authenticated"`. */
  readonly platformFor?: "authenticated" | "everyone" | undefined;
  /** Default true. */
  readonly deployment?: boolean | undefined;
}

/** Absent at run time: a private member makes a type that no other value has the shape of, not even a copy by `...`. */
declare class Proof<Right> {
  private readonly proves: Right;
}

/**
 * Proof that the gate admitted a caller to scopes. Only `access/` can make one, and stores check that at run time.
 *
 * **Shape** `scopes` sorted, unique and frozen. A `"write"` proof names exactly the scopes that may be written.
 *
 * @experimental
 */
export interface AuthorizedScopes<Right extends "read" | "write" = "read"> extends Proof<Right> {
  readonly right: Right;
  readonly scopes: readonly Scope[];
  /** Requested scopes, before the gate dropped the unreadable ones; for traces. */
  readonly requested: readonly Scope[];
}

/**
 * Proof that the caller is a maintenance service: vacuum, sealing, listing scopes. Handed only to services.
 *
 * @experimental
 */
export interface SystemAuthority extends Proof<"maintain"> {}
