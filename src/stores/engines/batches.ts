/** Groups of texts that take at most so many bytes each; a text that takes more is a group of its own. */
export function* inBytes(texts: readonly string[], most: number): Generator<readonly string[]> {
  const encoder = new TextEncoder();
  let some: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = encoder.encode(text).byteLength;
    if (bytes > 0 && bytes + size > most) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(text);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
