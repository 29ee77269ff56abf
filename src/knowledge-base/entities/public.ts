/** What of this room is public. Only the doors read it. */
export { defineEntityType } from "./define-entity-type.ts";
export { hasAnyLabel } from "./has-any-label.ts";
export { type EntitiesOptions, openEntities } from "./open-entities.ts";
