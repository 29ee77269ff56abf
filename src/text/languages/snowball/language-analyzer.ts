import { snowballLanguages } from "./snowball-languages.ts";
import type { Analyzer } from "../../../contracts/analyzer.ts";
import { createAnalyzer } from "../../analyzer.ts";

/**
 * Analyzer of knowledge bases on Node unless the configuration names another: the default one with Snowball's stemmers.
 *
 * @experimental
 */
export const languageAnalyzer: Analyzer = createAnalyzer({ languages: snowballLanguages });
