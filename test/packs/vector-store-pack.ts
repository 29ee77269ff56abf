import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { withStore } from "../../src/testing/store-case.ts";
import type { StoreSubject } from "../../src/testing/store-fixtures.ts";
import { vectorKindCases } from "./vector-kind-cases.ts";
import { vectorMatchingCases } from "./vector-matching-cases.ts";
import { vectorRankingCases } from "./vector-ranking-cases.ts";

/**
 * Contract of every {@link Store} beside the chunk store's pack: scores by hand, order, limits, thresholds, versions,
 * filters, scopes.
 */
export function createVectorStorePack(subject: StoreSubject): readonly ContractCase[] {
  return defineCases(
    "vector-store",
    withStore(subject, [...vectorRankingCases, ...vectorMatchingCases, ...vectorKindCases]),
  );
}
