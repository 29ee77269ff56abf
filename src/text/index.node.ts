/** `ibid/text` on Node. */
export * from "./index.ts";
export { languageAnalyzer } from "./languages/snowball/language-analyzer.ts";
export { snowballLanguages } from "./languages/snowball/snowball-languages.ts";
