/** `ibid`, in any runtime: a knowledge base in memory. */
export type { Answer, AnswerEvent, AskOptions, Citation, Grounding, Support } from "./contracts/answer.ts";
export type { Chunk } from "./contracts/chunk.ts";
export type { DocumentSummary } from "./contracts/document-store.ts";
export type { Document, MediaDocument, Origin, Section, TextDocument } from "./contracts/document.ts";
export { IbidError, type IbidErrorCode, type IbidErrorOptions } from "./contracts/errors.ts";
export type { ChunkAddress, Excerpt, ExpandOptions, Outline } from "./contracts/expansion.ts";
export type { Filter, FilterInput } from "./contracts/filter.ts";
export type {
  AskRun,
  ByteContent,
  BytesInput,
  ChunkInput,
  ChunksInput,
  ChunkListOptions,
  DeletedDocument,
  DocumentAddress,
  DocumentView,
  IngestInput,
  IngestOptions,
  IngestProgress,
  IngestResult,
  IngestRun,
  IngestSummary,
  KnowledgeBase,
  TextInput,
  ViewOptions,
} from "./contracts/knowledge-base.ts";
export type { Receipt } from "./contracts/leg.ts";
export type { JsonValue, Metadata } from "./contracts/metadata.ts";
export type { FusionName, Hit, HitExplanation, HitSource, SearchMode, SearchOptions } from "./contracts/retriever.ts";
export type { Run } from "./contracts/run.ts";
export type { AccessContext, AccessPolicy, Scope, ScopeStrategy } from "./contracts/scope.ts";
export type { DeleteOptions } from "./contracts/store.ts";
export { openKnowledgeBase } from "./knowledge-base/open-in-memory.ts";
export type { OpenOptions } from "./knowledge-base/open/open-options.ts";
