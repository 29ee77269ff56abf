import { defineCases } from "./contract-case.ts";
import type { ContractCase } from "./contract-case.ts";
import { withStore } from "./store-case.ts";
import type { StoreSubject } from "./store-fixtures.ts";
import { vectorKindCases } from "./vector-kind-cases.ts";
import { vectorMatchingCases } from "./vector-matching-cases.ts";
import { vectorRankingCases } from "./vector-ranking-cases.ts";

/** Contract of every {@link Store} beside the chunk store's pack: scores by hand, order, limits, floors, versions, filters, scopes. */
export function createVectorStorePack(subject: StoreSubject): readonly ContractCase[] {
  return defineCases(
    "vector-store",
    withStore(subject, [...vectorRankingCases, ...vectorMatchingCases, ...vectorKindCases]),
  );
}
