/** `ibid/text`, in any runtime. */
export type { Analyzer } from "../contracts/analyzer.ts";
export { type AnalyzerOptions, createAnalyzer, defaultAnalyzer } from "./analyzer.ts";
export type { LanguageRules } from "./languages/language-rules.ts";
export { createLuceneAnalyzer } from "./lucene-analyzer.ts";
export { segmentSentences } from "./sentences.ts";
