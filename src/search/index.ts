/** `ibid/search`. */
export type {
  FieldConditions,
  FilterOperand,
  FilterValue,
  PlainFilter,
  WireCondition,
  TaggedFilter,
  WireFilter,
} from "../contracts/filter.ts";
export type {
  FieldScores,
  HeadingScore,
  NameScore,
  QuerySyntax,
  QueryTerm,
  SynonymRule,
  TermScore,
} from "../contracts/leg.ts";
export type {
  FusionSettings,
  FusionWeights,
  LatentExplanation,
  HitCopies,
  HitCopy,
  HitGroup,
  HandedRetriever,
  HitPart,
  LegScore,
  RetrieveOptions,
  Retriever,
  RetrieverParts,
  RetrieverStep,
  SearchWarning,
  WrapRetriever,
} from "../contracts/retriever.ts";
export { allOf, anyOf, not, where } from "../engine/filters/build-filter.ts";
export { compileFilter } from "../engine/filters/compile-filter.ts";
export { type FilterDialect, parseFilter } from "../engine/filters/parse-filter.ts";
export { adaptTopK, type AdaptOptions, boostHits, type BoostOptions } from "./around/boost-hits.ts";
export { inflateTopK, type InflationStrategy } from "./around/inflate-top-k.ts";
export { compressHits, type CompressHitsOptions } from "./around/compress-hits.ts";
export { diversify, type DiversifyOptions } from "./around/diversify.ts";
export { dropDuplicates, type DropDuplicatesOptions } from "./around/drop-duplicates.ts";
export { expandHits, type ExpandHitsOptions } from "./around/expand-hits.ts";
export type { SearchFusion } from "./around/fuse-searches.ts";
export { hyde, type HydeOptions } from "./around/hyde.ts";
export { multiQuery, type MultiQueryOptions } from "./around/multi-query.ts";
export { rewriteQuery } from "./around/rewrite-query.ts";
export type { QueryWriterOptions } from "./around/write-queries.ts";
export type { HitGroupJson } from "./group-hits.ts";
export { toHitJson, type HitJson } from "./hit-json.ts";
export { createRetriever, type RetrieverOptions } from "./create-retriever.ts";
export { searchOptions } from "./search-options.ts";
export type { FindOptions, MatchOrder, VectorSearchOptions } from "../contracts/vector-store.ts";
