/** `ibid/access`. */
export { type Caller, createGate, type Gate, operator, systemAuthority } from "./gate.ts";
export { parseScope } from "./scopes.ts";
export type { AuthorizedScopes, SystemAuthority } from "../contracts/scope.ts";
