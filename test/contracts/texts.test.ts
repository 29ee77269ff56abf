import { describe } from "vitest";

import { snowballLanguages } from "../../src/text/languages/snowball/snowball-languages.ts";
import { createAnalyzer } from "../../src/text/analyzer.ts";
import { characters, codePoints, heuristicTokens } from "../../src/text/length.ts";
import { createAnalyzerPack, createLengthFunctionPack } from "../packs/text-packs.ts";
import { runPack } from "./run-pack.ts";

describe.each([characters, codePoints, heuristicTokens])("the length function $name", (length) => {
  runPack(createLengthFunctionPack({ create: () => length }));
});

describe("the default analyzer", () => {
  runPack(createAnalyzerPack({ create: () => createAnalyzer() }));
});

describe("the analyzer with Snowball's stemmers", () => {
  runPack(createAnalyzerPack({ create: () => createAnalyzer({ languages: snowballLanguages }) }));
});
