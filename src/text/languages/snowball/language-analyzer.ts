import { snowballLanguages } from "./snowball-languages.ts";
import type { Analyzer } from "../../../contracts/analyzer.ts";
import { createAnalyzer } from "../../analyzer.ts";

/** What knowledge bases on Node are analysed by unless somebody says otherwise: as everywhere, with Snowball's stemmers besides. */
export const languageAnalyzer: Analyzer = createAnalyzer({ languages: snowballLanguages });
