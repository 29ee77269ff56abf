/** A row of one of a directory's tables. */
export type SnapshotRow = readonly [table: string, key: number, row: object];

const encoder = new TextEncoder();
const lengthBytes = 4;

/**
 * Rows as bytes: the length of what follows, the rows in JSON, then the bytes that they hold, which JSON names by where they stand.
 *
 * **Shape** {@link decodeRows} gives back the same strings to the last code unit, lone surrogates too: JSON escapes them. Rows hold texts, numbers and bytes;
 * whatever users wrote is a text in them, so that nothing of theirs can look like a place.
 */
export function encodeRows(rows: readonly SnapshotRow[]): Uint8Array {
  const held: Uint8Array[] = [];
  let total = 0;
  const json = encoder.encode(
    JSON.stringify(rows, (_, value: unknown) => {
      if (!(value instanceof Uint8Array)) return value;
      held.push(value);
      return { at: [total, (total += value.length)] };
    }),
  );
  const bytes = new Uint8Array(lengthBytes + json.length + total);
  new DataView(bytes.buffer).setUint32(0, json.length);
  bytes.set(json, lengthBytes);
  let next = lengthBytes + json.length;
  for (const each of held) {
    bytes.set(each, next);
    next += each.length;
  }
  return bytes;
}

/** **Errors** whatever JSON throws, for bytes that were not made by {@link encodeRows}. */
export function decodeRows(bytes: Uint8Array): readonly SnapshotRow[] {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const base = lengthBytes + length;
  const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(lengthBytes, base));
  return JSON.parse(json, (_, value: unknown) => {
    if (!isPlaced(value)) return value;
    // A copy is aligned for typed arrays, and does not keep the whole buffer in memory.
    return bytes.slice(base + value.at[0], base + value.at[1]);
  }) as SnapshotRow[];
}

function isPlaced(value: unknown): value is { readonly at: readonly [number, number] } {
  return typeof value === "object" && value !== null && "at" in value && Array.isArray(value.at);
}
