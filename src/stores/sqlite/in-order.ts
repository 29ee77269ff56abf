/** **Shape** one row for each key, `undefined` where there is none. */
export function inOrder<Row extends { readonly key: number }>(
  keys: readonly number[],
  rows: readonly Row[],
): readonly (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => byKey.get(key));
}
