/** What of this room is public. Only the doors read it. */
export { type AnalyzerOptions, createAnalyzer, defaultAnalyzer } from "./analyzer.ts";
export { chunkStructure } from "./chunk-structure.ts";
export { countInPieces, type CountInPiecesOptions } from "./count-in-pieces.ts";
export { findSuspicious } from "./find-suspicious.ts";
export { formatRow } from "./format-row.ts";
export { hashParts, hmacSha256, sha256 } from "./hash.ts";
export type { LanguageRules } from "./language-rules.ts";
export { characters, codePoints, heuristicTokens } from "./length.ts";
export { compileLinearRegex, type LinearRegex } from "./linear-regex.ts";
export { createLocator, type DocumentLink, linksIn, locate } from "./locate.ts";
export { createLuceneAnalyzer } from "./lucene-analyzer.ts";
export { neutraliseSource } from "./neutralise-source.ts";
export { segmentSentences } from "./sentences.ts";
export { findSectionPath, listDescendants, listLeaves } from "./walk-sections.ts";
