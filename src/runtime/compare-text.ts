/**
 * Compares two texts by code point: the order of their UTF-8 bytes, which SQLite and Postgres (`COLLATE "C"`) use for text.
 *
 * **Shape** negative, 0 or positive; 0 for equal texts only. Lone surrogates come after all other characters of one unit. JavaScript's `<` differs: it
 * puts characters beyond U+FFFF before those from U+E000 to U+FFFF. Fingerprints and the dictionaries of sealed segments keep the order of `<`: a change would cut
 * unchanged documents again.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return place(left) - place(right);
  }
  return a.length - b.length;
}

/** Surrogates encode characters beyond U+FFFF, so they come after all other units. */
function place(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** A chunk by its place: the fields that order chunks of equal score. */
export interface ChunkPlace {
  readonly uri: string;
  readonly start: number;
  readonly scope: string;
  readonly id: string;
}

/** The order of equal scores: by uri, start, scope and id, text by code point. **Shape** 0 for one and the same chunk only. */
export function compareChunkPlaces(a: ChunkPlace, b: ChunkPlace): number {
  return (
    compareCodePoints(a.uri, b.uri) ||
    a.start - b.start ||
    compareCodePoints(a.scope, b.scope) ||
    compareCodePoints(a.id, b.id)
  );
}
