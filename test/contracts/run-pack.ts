import { it } from "vitest";

import type { ContractCase } from "../../src/testing/contract-case.ts";

/** Every case of a pack as a test of its own, titled with its id and the items that it proves. */
export function runPack(pack: readonly ContractCase[]): void {
  for (const { id, items, run } of pack) it(items.length === 0 ? id : `${id} [${items.join(" ")}]`, run);
}
