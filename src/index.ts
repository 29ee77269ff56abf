/**
 * The public door, for any JavaScript runtime: `import "ibid"` loads no third-party module. On Node, `node.ts` is the same door with files and durability.
 *
 * Each room says in its `public.ts` what of it is public. In the order in which a document walks through them:
 */
export * from "./contracts/public.ts";
export * from "./knowledge-base/public.ts";

export * from "./text/index.ts";
export * from "./engine/filters/public.ts";
export * from "./access/public.ts";

export * from "./readers/index.ts";
export * from "./chunkers/index.ts";
export * from "./models/index.ts";
export * from "./engine/public.ts";
export * from "./stores/index.ts";
export * from "./search/index.ts";
export * from "./answers/index.ts";
export * from "./eval/index.ts";
export * from "./knowledge-base/entities/public.ts";

export * from "./ingest/public.ts";
export * from "./knowledge-base/operations/public.ts";
export * from "./integrations/tools/index.ts";
export * from "./integrations/compat/index.ts";
export * from "./models/ai-sdk/public.ts";
