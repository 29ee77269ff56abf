import type { Store } from "../contracts/store.ts";
import type { Scope } from "../contracts/scope.ts";
import { collect } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";
import { from } from "./store-fixtures.ts";
import type { StoreSubject } from "./store-fixtures.ts";

/** A case of a store: given a fresh one, which is taken down afterwards. */
export type StoreCase<Tried extends Store = Store> = readonly [
  name: string,
  items: string,
  run: (store: Tried) => Promise<void>,
];

/** Gives each case a store of its own. */
export function withStore<Tried extends Store>(
  subject: StoreSubject<Tried>,
  cases: readonly StoreCase<Tried>[],
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
export async function idsIn(store: Store, ...scopes: readonly Scope[]): Promise<string> {
  return (await collect(store.chunks(from(...scopes)))).map(({ chunk }) => chunk.id).join(" ");
}
