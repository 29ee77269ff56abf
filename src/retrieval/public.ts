/** What of this room is public. Only the doors read it. */
export { compressHits, type CompressHitsOptions } from "./composed/compress-hits.ts";
export { diversify, type DiversifyOptions } from "./composed/diversify.ts";
export { dropDuplicates, type DropDuplicatesOptions } from "./composed/drop-duplicates.ts";
export { expandHits, type ExpandHitsOptions } from "./composed/expand-hits.ts";
export type { SearchFusion } from "./composed/fuse-searches.ts";
export { hyde, type HydeOptions } from "./composed/hyde.ts";
export { mergeAdjacent, type MergeAdjacentOptions } from "./composed/merge-adjacent.ts";
export { multiQuery, type MultiQueryOptions } from "./composed/multi-query.ts";
export { rewriteQuery } from "./composed/rewrite-query.ts";
export type { QueryWriterOptions } from "./composed/write-queries.ts";
export { createRetriever, type RetrieverOptions } from "./create-retriever.ts";
export { createModelReranker, type ModelRerankerOptions } from "./model-reranker.ts";
