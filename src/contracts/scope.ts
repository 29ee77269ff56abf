/**
 * Where a chunk belongs. Its written form is the value itself.
 *
 * `platform` is for every authenticated caller where the operator enables it, `deployment` for everybody across teams,
 * a team's for that team, a user's for that user.
 * **Source** ToolUp `VectorScope` (T8), in the wire form of its events (T53).
 */
export type Scope = "platform" | "deployment" | `team:${string}` | `user:${string}`;

/**
 * Who is asking. Without a `userId` and a `teamId` the caller is anonymous.
 *
 * **Source** ToolUp `AccessContext` (T21, T27).
 */
export interface AccessContext {
  readonly userId?: string;
  /** The team that the caller acts for. */
  readonly teamId?: string;
}

/** Which of the shared scopes exist for callers at all (T8). The operator reads every scope regardless. */
export interface AccessPolicy {
  /** Default false. */
  readonly platform?: boolean;
  /** Default true. */
  readonly deployment?: boolean;
}

declare const right: unique symbol;

/**
 * Proof that the gate let somebody through, and to where. Only `access/` can make one; stores check at run time that it did (law 3).
 *
 * **Shape** `scopes` sorted, unique and frozen. A `"write"` proof names exactly the scopes that may be written.
 */
export interface AuthorizedScopes<Right extends "read" | "write" = "read"> {
  readonly [right]: Right;
  readonly right: Right;
  readonly scopes: readonly Scope[];
  /** What was asked for before the gate dropped what may not be read; for traces. */
  readonly requested: readonly Scope[];
}

declare const system: unique symbol;

/** Proof that the caller is a maintenance service: vacuum, sealing, listing scopes. Handed only to services (law 3). */
export interface SystemAuthority {
  readonly [system]: true;
}
