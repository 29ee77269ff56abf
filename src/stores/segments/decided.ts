/** A query whose number of matches `composeStore` has decided: a whole number from 1, or `Infinity` for all. */
export type Decided<Query extends { readonly topK?: number | "all" }> = Omit<Query, "topK"> & { readonly topK: number };

export function decided<Query extends { readonly topK?: number | "all" }>(query: Query): Decided<Query> {
  return query as Decided<Query>;
}
