/** What of this room is public. Only the doors read it. */
export { allOf, anyOf, not, where } from "./build-filter.ts";
export { compileFilter } from "./compile-filter.ts";
export { parseFilter } from "./parse-filter.ts";
