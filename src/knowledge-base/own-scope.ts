import { homeScope } from "../access/scopes.ts";
import type { AccessContext, Scope } from "../contracts/scope.ts";

/** Scope of a caller's own notes: themselves, else their team; for the operator and an anonymous caller the deployment. */
export function ownScope(caller: AccessContext | undefined): Scope {
  return caller?.userId === undefined ? homeScope(caller) : `user:${caller.userId}`;
}
