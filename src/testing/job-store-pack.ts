import { type ContractCase, defineCases } from "./contract-case.ts";
import { jobKeepingCases } from "./job-keeping-cases.ts";
import { jobLeasingCases } from "./job-leasing-cases.ts";
import { jobQueueingCases } from "./job-queueing-cases.ts";
import type { JobStoreSubject } from "./job-store-case.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of every `JobStore`: no acknowledged job is lost, and no job has two owners at a time.
 *
 * @experimental
 */
export function createJobStorePack(subject: JobStoreSubject): readonly ContractCase[] {
  checkSubject("createJobStorePack", subject);
  return defineCases("job-store", [
    ...jobQueueingCases(subject),
    ...jobLeasingCases(subject),
    ...jobKeepingCases(subject),
  ]);
}
