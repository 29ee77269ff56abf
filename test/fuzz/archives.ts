import { strToU8, zipSync } from "fflate";
import type { Random } from "../../src/testing/random.ts";
import { mutateBytes } from "./mutate-bytes.ts";
import { html, xml } from "./languages.ts";
import { mutateElements } from "./mutate-elements.ts";
import { mutateTokens } from "./mutate-tokens.ts";

/** What lies in an archive: its members by name, in their order. */
export type Members = Readonly<Record<string, string>>;

/** An archive with checksums and sizes that are right. `mimetype` is stored first and as it is, which EPUB asks for. */
export function packMembers(members: readonly (readonly [name: string, content: string | Uint8Array])[]): Uint8Array {
  const files: Record<string, [Uint8Array, { level: 0 | 1; mtime: number }]> = {};
  // The date is always the same, so that the same seed gives the same bytes.
  for (const [name, content] of members) {
    files[name] = [
      typeof content === "string" ? strToU8(content) : content,
      { level: name === "mimetype" ? 0 : 1, mtime: Date.UTC(2024, 0, 1) },
    ];
  }
  return zipSync(files);
}

/** An archive with damage in the bytes of one member, under a checksum that is right. */
export function damageMember(members: Members, random: Random): Uint8Array {
  const list = Object.entries(members);
  const at = random.below(list.length);
  const [name, content] = list[at] ?? ["", ""];
  const damaged = mutateBytes(strToU8(content), random);
  return packMembers(list.map((member, i) => (i === at ? ([name, damaged] as const) : member)));
}

/** An archive whose members were changed before it was packed, so that what reads them gets that far. */
export function mutateArchive(members: Members, random: Random): Uint8Array {
  let list: (readonly [string, string])[] = Object.entries(members);
  for (let count = 1 + random.below(3); count > 0; count--) list = changeMembers(list, random);
  return packMembers(list);
}

function changeMembers(list: (readonly [string, string])[], random: Random): (readonly [string, string])[] {
  const at = random.below(list.length);
  const [name, content] = list[at] ?? ["", ""];
  const language = name.endsWith("html") ? html : xml;
  switch (random.below(14)) {
    case 0:
      return list.toSpliced(at, 1);
    case 1:
      return list.with(at, [
        random.pick([
          "../../etc/passwd",
          "/abs",
          `${name}/`,
          name.toUpperCase(),
          "a\0b",
          "\\\\server\\x",
          name.replaceAll("/", "\\"),
        ]),
        content,
      ]);
    case 2:
      return list.with(at, [name, ""]);
    case 3:
      // A small bomb: a megabyte of one letter, in a tag's text.
      return list.with(at, [
        name,
        content.replace(
          />[^<>\s]/u,
          (found) => `>${"A".repeat(random.pick([1000, 100_000, 1_000_000]))}${found.slice(1)}`,
        ),
      ]);
    case 4:
      return [...list, [`extra/${random.below(99)}.xml`, content]];
    case 5: {
      const [, other] = random.pick(list);
      return list.with(at, [name, other]);
    }
    case 6:
    case 7:
      return list.with(at, [name, mutateTokens(content, language, random)]);
    default:
      return list.with(at, [name, mutateElements(content, language.nests, random)]);
  }
}
