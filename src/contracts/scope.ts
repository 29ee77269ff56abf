/**
 * Where a chunk belongs. Its written form is the value itself.
 *
 * `platform` is for every authenticated caller where the operator enables it, `deployment` for everybody across teams,
 * a team's for that team, a user's for that user.
 * **Source** ToolUp `VectorScope`, in the wire form of its events.
 */
export type Scope = "platform" | "deployment" | `team:${string}` | `user:${string}`;

/**
 * Who is asking. Without a user and a team the caller is anonymous.
 *
 * **Source** ToolUp `AccessContext`.
 */
export interface AccessContext {
  readonly userId?: string;
  /** The team that the caller acts for at the moment. */
  readonly teamId?: string;
  /** Every team that the caller belongs to, the active one among them. Default: the active one alone. */
  readonly teams?: readonly string[];
}

/** Which of the scopes that a caller may read a question is put to; the active team is `teamId`'s. */
export type ScopeStrategyName = "active-team" | "active-team-plus-user" | "active-team-plus-platform" | "all";

/**
 * A strategy by name, or one of your own: it is told who asks and what they may read, and names scopes. What it names beyond that is dropped: a strategy can
 * only narrow.
 *
 * **Source** ToolUp `ScopeStrategy`.
 */
export type ScopeStrategy =
  | ScopeStrategyName
  | ((caller: AccessContext | "operator", readable: readonly Scope[]) => readonly Scope[] | Promise<readonly Scope[]>);

/** Which of the shared scopes exist for callers at all. The operator reads every scope regardless. */
export interface AccessPolicy {
  /** Default false. */
  readonly platform?: boolean;
  /** Default true. */
  readonly deployment?: boolean;
}

/** Never there at run time: a private member makes a type that nothing else has the shape of, not even a copy of it by `...`. */
declare class Proof<Right> {
  private readonly proves: Right;
}

/**
 * Proof that the gate let somebody through, and to where. Only `access/` can make one; stores check at run time that it did.
 *
 * **Shape** `scopes` sorted, unique and frozen. A `"write"` proof names exactly the scopes that may be written.
 */
export interface AuthorizedScopes<Right extends "read" | "write" = "read"> extends Proof<Right> {
  readonly right: Right;
  readonly scopes: readonly Scope[];
  /** What was asked for before the gate dropped what may not be read; for traces. */
  readonly requested: readonly Scope[];
}

/** Proof that the caller is a maintenance service: vacuum, sealing, listing scopes. Handed only to services. */
export interface SystemAuthority extends Proof<"maintain"> {}
