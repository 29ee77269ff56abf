import type { Scope } from "../contracts/scope.ts";
import type { ChunkStore } from "../contracts/store.ts";
import { collect } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";
import { from } from "./store-fixtures.ts";
import type { StoreSubject } from "./store-fixtures.ts";

/** A case of a store: given a fresh one, which is taken down afterwards. */
export type StoreCase<Store extends ChunkStore> = readonly [
  name: string,
  items: string,
  run: (store: Store) => Promise<void>,
];

/** Gives each case a store of its own. */
export function withStore<Store extends ChunkStore>(
  subject: StoreSubject<Store>,
  cases: readonly StoreCase<Store>[],
): readonly CaseDefinition[] {
  return cases.map(([name, items, run]) => [
    name,
    items,
    async () => {
      const store = await subject.create();
      try {
        await run(store);
      } finally {
        await subject.destroy?.(store);
      }
    },
  ]);
}

/** Ids of the live chunks of some scopes, in the order in which the store lists them. */
export async function idsIn(store: ChunkStore, ...scopes: readonly Scope[]): Promise<string> {
  return (await collect(store.chunks(from(...scopes)))).map(({ chunk }) => chunk.id).join(" ");
}
