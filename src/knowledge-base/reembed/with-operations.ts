import type { KnowledgeStore } from "../../contracts/knowledge-store.ts";

/** A store some of whose operations are others. Whatever else it can do it goes on doing itself, be it an object of functions or of a class with secrets. */
export function withOperations(store: KnowledgeStore, own: Partial<KnowledgeStore>): KnowledgeStore {
  return new Proxy({} as KnowledgeStore, {
    has: (_, key) => key in store,
    get(_, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key) as unknown;
      const value: unknown = Reflect.get(store, key, store);
      return typeof value === "function" ? (value.bind(store) as unknown) : value;
    },
  });
}
