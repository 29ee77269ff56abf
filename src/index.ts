/**
 * The public door, for any JavaScript runtime: `import "ibid"` loads no third-party module. On Node, `node.ts` is the same door with files and durability.
 *
 * Each room says in its `public.ts` what of it is public. In the order in which a document walks through them:
 */
export * from "./contracts/public.ts";
export * from "./knowledge-base/public.ts";

export * from "./text/public.ts";
export * from "./filters/public.ts";
export * from "./access/public.ts";

export * from "./documents/public.ts";
export * from "./chunks/public.ts";
export * from "./embeddings/public.ts";
export * from "./indexes/public.ts";
export * from "./stores/public.ts";
export * from "./retrieval/public.ts";
export * from "./answers/public.ts";
export * from "./evaluation/public.ts";
export * from "./entities/public.ts";

export * from "./pipeline/public.ts";
export * from "./services/public.ts";
export * from "./tools/public.ts";
export * from "./memory/public.ts";
export * from "./adapters/ai-sdk/public.ts";
