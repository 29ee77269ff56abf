/** Order by code point, which is also that of UTF-8 bytes, so that a database and a list in memory agree on it. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return place(left) - place(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for what lies beyond U+FFFF, so they come after the rest of the units. */
function place(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
