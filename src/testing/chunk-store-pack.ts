import { chunkDeletingCases } from "./chunk-deleting-cases.ts";
import { chunkGuardingCases, chunkListingCases } from "./chunk-listing-cases.ts";
import { chunkWritingCases } from "./chunk-writing-cases.ts";
import { defineCases } from "./contract-case.ts";
import type { ContractCase } from "./contract-case.ts";
import { withStore } from "./store-case.ts";
import type { StoreSubject } from "./store-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of every store of chunks, however it is searched: whole batches, ids, deletes, restores, resets, proofs, no aliasing.
 *
 * A store passes this pack and one for every way in which it is searched.
 */
export function createChunkStorePack(subject: StoreSubject): readonly ContractCase[] {
  checkSubject("createChunkStorePack", subject);
  return defineCases(
    "chunk-store",
    withStore(subject, [...chunkWritingCases, ...chunkDeletingCases, ...chunkListingCases, ...chunkGuardingCases]),
  );
}
