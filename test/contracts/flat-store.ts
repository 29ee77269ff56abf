import type { Proven, Store, Trash, Upkeep, VersionSwitch } from "../../src/contracts/store.ts";

/** A store whose capabilities' methods are its own, so that a fault can replace one of them by name. */
export type FlatStore = Omit<Store, "versions" | "trash" | "upkeep"> &
  VersionSwitch<Proven> &
  Trash<Proven> &
  Upkeep<Proven>;

/** A copy of a store with other methods, those of its capabilities included. */
export function withMethods(store: Store, change: (good: FlatStore) => Partial<FlatStore>): Store {
  const { versions, trash, upkeep } = store;
  const good = { ...store, ...versions, ...trash, ...upkeep } as unknown as FlatStore;
  const changed: Partial<FlatStore> = change(good);
  const part = <Part extends object>(own: Part | undefined): Part | undefined =>
    own && { ...own, ...Object.fromEntries(Object.entries(changed).filter(([name]) => name in own)) };
  const names = new Set([versions, trash, upkeep].flatMap((own) => Object.keys(own ?? {})));
  const others = Object.fromEntries(Object.entries(changed).filter(([name]) => !names.has(name)));
  return { ...store, ...others, versions: part(versions), trash: part(trash), upkeep: part(upkeep) };
}
