/** What of this room is public. Only the doors read it. */
export type { Bm25Options } from "./bm25/bm25-settings.ts";
export type { Bm25Variant } from "./bm25/bm25-variants.ts";
