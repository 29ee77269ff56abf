/** `ibid/text`, in any runtime. */
export { embeddedText } from "./embedded-text.ts";
export type { Analyzer } from "../contracts/analyzer.ts";
export { type AnalyzerOptions, createAnalyzer, defaultAnalyzer } from "./analyzer.ts";
export type { LanguageRules } from "./languages/language-rules.ts";
export { createLuceneAnalyzer } from "./lucene-analyzer.ts";
export { parseSynonyms } from "./parse-synonyms.ts";
export { segmentSentences } from "./sentences.ts";
