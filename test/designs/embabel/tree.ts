import type { Metadata, Section, TextDocument } from "ibid";
import { createSectionChunker } from "ibid/chunkers";
import { holds, withTexts } from "../kit.ts";

/** A document of three levels: a container with two leaves, and a leaf beside it. */
export const birds = `# Water

At the water.

## Heron

The heron waits in the reeds.

## Otter

The otter swims under the bridge.

# Hedge

The wren sings in the hedge.
`;

/** A document of Markdown as chunkers see it. */
export async function readTree(uri: string, text: string, metadata: Metadata = {}): Promise<TextDocument> {
  let seen: TextDocument | undefined;
  const chunker = createSectionChunker();
  await withTexts({ [uri]: { text, metadata } }, async () => {}, {
    chunker: { fingerprint: chunker.fingerprint, chunk: (document) => chunker.chunk((seen = document)) },
  });
  holds(seen !== undefined);
  return seen!;
}

/** The section of a title. */
export function sectionOf(section: Section, title: string): Section {
  const found = find(section, title);
  if (found === undefined) throw new Error(`There is no section ${title}.`);
  return found;
}

function find(section: Section, title: string): Section | undefined {
  if (section.title === title && section.level > 0) return section;
  for (const child of section.children) {
    const found = find(child, title);
    if (found !== undefined) return found;
  }
  return undefined;
}
