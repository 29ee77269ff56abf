import type { ContractCase } from "../../src/testing/contract-case.ts";
import { createStorePack } from "../../src/testing/knowledge-store-pack.ts";
import type { StoreSubject } from "../../src/testing/store-fixtures.ts";
import { createLexicalIndexPack } from "./lexical-index-pack.ts";
import { createRegexSearchPack } from "./regex-search-pack.ts";
import { createVectorStorePack } from "./vector-store-pack.ts";

/** The published pack of a store, and what ibid's own dense, lexical and pattern legs promise besides: exact scores by hand, and a formula. */
export function createSearchedStorePack(subject: StoreSubject): readonly ContractCase[] {
  return [
    ...createStorePack(subject),
    ...createVectorStorePack(subject),
    ...createLexicalIndexPack(subject),
    ...createRegexSearchPack(subject),
  ];
}
