/** `ibid/chunkers`. */
export { type AutoChunkerOptions, createAutoChunker } from "./auto-chunker.ts";
export type { DocumentKind } from "./chunk-by-kind.ts";
export { createChunkFactory } from "./create-chunk.ts";
export { createTextChunk, type TextChunkOptions } from "./create-text-chunk.ts";
export { createHtmlChunker, type HtmlChunkerOptions, type HtmlStrategy } from "./html-chunker.ts";
export { createLineChunker, type LineChunkerOptions } from "./line-chunker.ts";
export { createMarkdownChunker, type MarkdownChunkerOptions, type MarkdownStrategy } from "./markdown-chunker.ts";
export { createRecursiveChunker } from "./recursive-chunker.ts";
export { createSectionChunker } from "./section-chunker.ts";
export { createSemanticChunker, type SemanticChunkerOptions } from "./semantic-chunker.ts";
export { createSentenceChunker, type SentenceChunkerOptions } from "./sentence-chunker.ts";
export { createSeparatorChunker, type SeparatorChunkerOptions } from "./separator-chunker.ts";
export { createSpreadsheetChunker, type SpreadsheetChunkerOptions } from "./spreadsheet-chunker.ts";
export { type ChunkingConfig, createTokenChunker, type TokenChunkerOptions } from "./token-chunker.ts";
export { chainTransformers } from "./transformers/chain-transformers.ts";
export {
  type ContextCache,
  type ContextTransformerOptions,
  createContextTransformer,
} from "./transformers/context-transformer.ts";
export { createTransformer } from "./transformers/create-transformer.ts";
export type { ChunkDescriber } from "./transformers/describe-chunks.ts";
export { type ChunkMetadata, createMetadataTransformer } from "./transformers/metadata-transformer.ts";
export { createTitleTransformer } from "./transformers/title-transformer.ts";
export { createWholeChunker } from "./whole-chunker.ts";
export { createWindowChunker, type WindowChunkerOptions } from "./window-chunker.ts";
export type { ChunkStructure } from "../contracts/chunk.ts";
export type {
  AsyncChunker,
  Chunker,
  ChunkOptions,
  ChunkSpan,
  ChunkTransformer,
  CustomChunker,
  LengthFunction,
  TransformContext,
} from "../contracts/chunker.ts";
export { countInPieces, type CountInPiecesOptions } from "../text/count-in-pieces.ts";
export { characters, codePoints, heuristicTokens } from "../text/length.ts";
