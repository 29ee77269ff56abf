/** What of this room is public. Only the doors read it. */
export { type AutoChunkerOptions, createAutoChunker } from "./auto-chunker.ts";
export { chainTransformers } from "./transformers/chain-transformers.ts";
export type { DocumentKind } from "./chunk-by-kind.ts";
export { chunkSpreadsheet } from "./chunk-spreadsheet.ts";
export {
  type ContextCache,
  type ContextTransformerOptions,
  createContextTransformer,
  withContextualHeader,
} from "./transformers/context-transformer.ts";
export { createChunkFactory } from "./create-chunk.ts";
export { createTransformer } from "./transformers/create-transformer.ts";
export type { ChunkDescriber } from "./transformers/describe-chunks.ts";
export { createHtmlChunker, type HtmlChunkerOptions, type HtmlStrategy } from "./html-chunker.ts";
export { createLineChunker, type LineChunkerOptions } from "./line-chunker.ts";
export { createMarkdownChunker, type MarkdownChunkerOptions, type MarkdownStrategy } from "./markdown-chunker.ts";
export { type ChunkMetadata, createMetadataTransformer } from "./transformers/metadata-transformer.ts";
export { pathFromRoot } from "./path-from-root.ts";
export { chunkDocumentRecursively, createRecursiveChunker } from "./recursive-chunker.ts";
export { createSectionChunker } from "./section-chunker.ts";
export { createSemanticChunker, type SemanticChunkerOptions } from "./semantic-chunker.ts";
export { createSentenceChunker, type SentenceChunkerOptions, splitBySentence } from "./sentence-chunker.ts";
export { createSeparatorChunker, type SeparatorChunkerOptions, splitTextRecursively } from "./separator-chunker.ts";
export {
  splitMarkdownLines,
  splitMarkdownParagraphs,
  splitPlainTextLines,
  splitPlainTextParagraphs,
  type TokenCounter,
} from "./split-lines-and-paragraphs.ts";
export { createSpreadsheetChunker, type SpreadsheetChunkerOptions } from "./spreadsheet-chunker.ts";
export { createStructureTransformer, structureKeys } from "./transformers/structure-transformer.ts";
export { createTitleTransformer } from "./transformers/title-transformer.ts";
export { type ChunkingConfig, createTokenChunker, splitByTokens, type TokenChunkerOptions } from "./token-chunker.ts";
export { createWholeChunker } from "./whole-chunker.ts";
export { createWindowChunker, splitText, type WindowChunkerOptions } from "./window-chunker.ts";
