/** What of this room is public. Only the doors read it. */
export { type AnalyzerOptions, createAnalyzer, defaultAnalyzer } from "./analyzer.ts";
export { chunkStructure } from "./chunk-structure.ts";
export { countInPieces, type CountInPiecesOptions } from "./count-in-pieces.ts";
export { findSuspicious } from "./untrusted/find-suspicious.ts";
export { formatRow } from "./format-row.ts";
export { hashParts, hmacSha256, sha256 } from "../runtime/hash.ts";
export type { LanguageRules } from "./languages/language-rules.ts";
export { characters, codePoints, heuristicTokens } from "./length.ts";
export { compileLinearRegex, type LinearRegex } from "./patterns/linear-regex.ts";
export { createLocator, type DocumentLink, linksIn, locate } from "./locate.ts";
export { createLuceneAnalyzer } from "./lucene-analyzer.ts";
export { neutraliseSource } from "./untrusted/neutralise-source.ts";
export { segmentSentences } from "./sentences.ts";
export { findSectionPath, listDescendants, listLeaves } from "./walk-sections.ts";
