/** What the platform lacks: text to bytes in the older encodings, by turning their decoders around. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** `undefined` when the encoding has no place for a character. **Shape** ASCII as it is; characters of up to two bytes. */
export function encodeAs(text: string, encoding: string): Uint8Array | undefined {
  const table = tableOf(encoding);
  const bytes: number[] = [];
  for (const character of text) {
    const found = table.get(character);
    if (found === undefined) return undefined;
    bytes.push(...found);
  }
  return Uint8Array.from(bytes);
}

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map<string, readonly number[]>();
  const add = (...bytes: number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if (Array.from(text).length === 1 && !table.has(text)) table.set(text, bytes);
    } catch {
      // No character has these bytes.
    }
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  if (/^(?:shift_jis|euc-jp|gb18030|big5|euc-kr)$/.test(encoding)) {
    // The later of two places is the standard's own; vendors put doubles before and after.
    for (let lead = 0x81; lead <= 0xfe; lead++) for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  }
  tables.set(encoding, table);
  return table;
}
