import { expect, it } from "vitest";

import { ContractViolation } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";

/** The case of that id must fail, as a broken promise and not by accident. */
export async function expectNoticed(pack: readonly ContractCase[], caseId: string): Promise<void> {
  const named = pack.find(({ id }) => id === caseId);
  expect(named, `the pack has no case ${caseId}`).toBeDefined();
  const error: unknown = await named?.run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, `${caseId} did not notice`).toBeInstanceOf(ContractViolation);
  expect((error as ContractViolation).caseId).toBe(caseId);
}

/** Something that works but for one fault, and the case that must notice. */
export type Mutant<Subject> = readonly [name: string, noticedBy: string, subject: Subject];

/** One test for each mutant. */
export function runMutants<Subject>(
  createPack: (subject: Subject) => readonly ContractCase[],
  mutants: readonly Mutant<Subject>[],
): void {
  it.each(mutants)("%s: noticed by %s", async (_, noticedBy, subject) => {
    await expectNoticed(createPack(subject), noticedBy);
  });
}
