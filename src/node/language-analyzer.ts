import { snowballLanguages } from "../adapters/snowball/snowball-languages.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import { createAnalyzer } from "../text/analyzer.ts";

/** What knowledge bases on Node are analysed by unless somebody says otherwise: as everywhere, with Snowball's stemmers besides. */
export const languageAnalyzer: Analyzer = createAnalyzer({ languages: snowballLanguages });
