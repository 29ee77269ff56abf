import { createByteReader, createByteWriter } from "./bytes.ts";

/** **Shape** how many languages, their names, then one byte a chunk. What does not fit into a byte is of no known language. */
export function encodeLanguages(languages: readonly string[]): Uint8Array {
  const names = [...new Set(["", ...languages])].slice(0, 256);
  const places = new Map(names.map((name, place) => [name, place]));
  const writer = createByteWriter(languages.length + 64);
  writer.varint(names.length);
  for (const name of names) writer.text(name);
  writer.bytes(Uint8Array.from(languages, (language) => places.get(language) ?? 0));
  return writer.take();
}

/** The language of each chunk, by ordinal. */
export function decodeLanguages(bytes: Uint8Array): string[] {
  const reader = createByteReader(bytes);
  const names = Array.from({ length: reader.varint() }, () => reader.text());
  return Array.from(bytes.subarray(reader.position), (place) => names[place] ?? "");
}

/** What the live chunks are written in. */
export function liveLanguages(bytes: Uint8Array, live: Uint8Array): ReadonlySet<string> {
  const reader = createByteReader(bytes);
  const names = Array.from({ length: reader.varint() }, () => reader.text());
  const used = new Uint8Array(names.length);
  bytes.subarray(reader.position).forEach((place, ordinal) => {
    used[place]! |= live[ordinal]!;
  });
  return new Set(names.filter((_, place) => used[place] === 1));
}
