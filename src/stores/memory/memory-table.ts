/** How to take back one change. */
export type Undo = () => void;

/** Rows by key, in order of their keys' first coming. Every change can be taken back, indexes included. */
export interface MemoryTable<Row> {
  get(key: number): Row | undefined;
  values(): IterableIterator<Row>;
  entries(): IterableIterator<[number, Row]>;
  set(key: number, row: Row): void;
  delete(key: number): void;
}

/** Keeps the keys of rows that belong together. */
export interface RowIndex<Row> {
  add(key: number, row: Row): void;
  remove(key: number, row: Row): void;
}

/** A table that records each change in `journal` and calls `changed` with the row's key. */
export function createMemoryTable<Row>(
  journal: Undo[],
  indexes: readonly RowIndex<Row>[] = [],
  changed: (key: number) => void = () => {},
): MemoryTable<Row> {
  const rows = new Map<number, Row>();

  function put(key: number, row: Row | undefined): void {
    const before = rows.get(key);
    if (before !== undefined) for (const index of indexes) index.remove(key, before);
    if (row === undefined) {
      rows.delete(key);
      return;
    }
    rows.set(key, row);
    for (const index of indexes) index.add(key, row);
  }

  function change(key: number, row: Row | undefined): void {
    const before = rows.get(key);
    journal.push(() => put(key, before));
    put(key, row);
    changed(key);
  }

  return {
    get: (key) => rows.get(key),
    values: () => rows.values(),
    entries: () => rows.entries(),
    set: change,
    delete: (key) => change(key, undefined),
  };
}

/** Keys of the rows that say the same. */
export interface GroupIndex<Row> {
  add(key: number, row: Row): void;
  remove(key: number, row: Row): void;
  keys(group: string): Iterable<number>;
}

export function createGroupIndex<Row>(groupOf: (row: Row) => string): GroupIndex<Row> {
  const groups = new Map<string, Set<number>>();
  return {
    add(key, row) {
      const group = groupOf(row);
      const keys = groups.get(group);
      if (keys === undefined) groups.set(group, new Set([key]));
      else keys.add(key);
    },
    remove(key, row) {
      const group = groupOf(row);
      const keys = groups.get(group);
      keys?.delete(key);
      if (keys?.size === 0) groups.delete(group);
    },
    keys: (group) => groups.get(group) ?? [],
  };
}

/** The same, with the members of each group in an order of their own; sorted when first asked for after a change. */
export interface SortedIndex<Row> {
  add(key: number, row: Row): void;
  remove(key: number, row: Row): void;
  /** Members of the group that come after a place, in order: the index's own, or another one. */
  after(
    group: string,
    isAfter: (row: Row) => boolean,
    limit: number,
    order?: (a: Row, b: Row) => number,
  ): readonly Row[];
}

export function createSortedIndex<Row>(
  groupOf: (row: Row) => string,
  compare: (a: Row, b: Row) => number,
): SortedIndex<Row> {
  type Compare = typeof compare;
  const groups = new Map<string, { readonly rows: Map<number, Row>; readonly sorted: Map<Compare, readonly Row[]> }>();
  return {
    add(key, row) {
      const group = groups.get(groupOf(row));
      if (group === undefined) {
        groups.set(groupOf(row), { rows: new Map([[key, row]]), sorted: new Map() });
        return;
      }
      group.rows.set(key, row);
      group.sorted.clear();
    },
    remove(key, row) {
      const group = groups.get(groupOf(row));
      if (group === undefined) return;
      group.rows.delete(key);
      group.sorted.clear();
      if (group.rows.size === 0) groups.delete(groupOf(row));
    },
    after(name, isAfter, limit, order = compare) {
      const group = groups.get(name);
      if (group === undefined) return [];
      const sorted = group.sorted.get(order) ?? [...group.rows.values()].sort(order);
      group.sorted.set(order, sorted);
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isAfter(sorted[middle]!)) high = middle;
        else low = middle + 1;
      }
      return sorted.slice(low, low + limit);
    },
  };
}
