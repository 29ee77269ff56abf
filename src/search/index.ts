/** What of this room is public. Only the doors read it. */
export { compressHits, type CompressHitsOptions } from "./around/compress-hits.ts";
export { diversify, type DiversifyOptions } from "./around/diversify.ts";
export { dropDuplicates, type DropDuplicatesOptions } from "./around/drop-duplicates.ts";
export { expandHits, type ExpandHitsOptions } from "./around/expand-hits.ts";
export type { SearchFusion } from "./around/fuse-searches.ts";
export { hyde, type HydeOptions } from "./around/hyde.ts";
export { mergeAdjacent, type MergeAdjacentOptions } from "./around/merge-adjacent.ts";
export { multiQuery, type MultiQueryOptions } from "./around/multi-query.ts";
export { rewriteQuery } from "./around/rewrite-query.ts";
export type { QueryWriterOptions } from "./around/write-queries.ts";
export { createRetriever, type RetrieverOptions } from "./create-retriever.ts";
export { createModelReranker, type ModelRerankerOptions } from "../models/model-reranker.ts";
