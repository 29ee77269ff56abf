import { createByteReader, createByteWriter } from "./bytes.ts";

/** **Shape** the number of languages, their names, then one byte a chunk. Languages beyond a byte become unknown. */
export function encodeLanguages(languages: readonly string[]): Uint8Array {
  const names = [...new Set(["", ...languages])].slice(0, 256);
  const places = new Map(names.map((name, place) => [name, place]));
  const writer = createByteWriter(languages.length + 64);
  writer.varint(names.length);
  for (const name of names) writer.text(name);
  writer.bytes(Uint8Array.from(languages, (language) => places.get(language) ?? 0));
  return writer.take();
}

/** Language of each chunk: `names[places[ordinal]]`. */
export interface LanguageColumn {
  readonly names: readonly string[];
  readonly places: Uint8Array;
}

/** **Shape** `places` is a view. */
export function readLanguages(bytes: Uint8Array): LanguageColumn {
  const reader = createByteReader(bytes);
  const names = Array.from({ length: reader.varint() }, () => reader.text());
  return { names, places: bytes.subarray(reader.position) };
}

/** The language of a chunk; `""` when none was known. */
export function languageAt({ names, places }: LanguageColumn, ordinal: number): string {
  return names[places[ordinal]!] ?? "";
}

/** Languages of the live chunks. */
export function liveLanguages({ names, places }: LanguageColumn, live: Uint8Array): ReadonlySet<string> {
  const used = new Uint8Array(names.length);
  for (let ordinal = 0; ordinal < places.length; ordinal++) used[places[ordinal]!]! |= live[ordinal]!;
  return new Set(names.filter((_, place) => used[place] === 1));
}
