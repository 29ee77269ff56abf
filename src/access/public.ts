/** What of this room is public. Only the doors read it. */
export { type Caller, createGate, type Gate, operator } from "./gate.ts";
export { parseScope } from "./scopes.ts";
