import { markChanged } from "../chunkers/transformers/create-transformer.ts";
import type { ChunkTransformer } from "../contracts/chunker.ts";
import type { Section, TextDocument } from "../contracts/document.ts";
import type { Enhancement, Enhancer, TreeElement } from "../contracts/enhancer.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { describeElement } from "../readers/describe-element.ts";
import { toMetadata } from "../runtime/to-json.ts";
import { findSectionPath } from "../text/walk-sections.ts";

/** Additions that were checked. */
interface Added {
  readonly metadata: Metadata;
  readonly text?: string | undefined;
}

/** Asks one enhancer about one element. **Errors** `invalid-response` for another field, for a text of anything but a chunk, or one that is no string; its own errors as they are. */
export async function enhanceElement(enhancer: Enhancer, element: TreeElement): Promise<Added> {
  const { name } = enhancer;
  const given: Enhancement = (await enhancer.enhance(element)) ?? {};
  const { metadata, text, ...others } = given;
  const [unknown] = typeof given === "object" ? Object.keys(others) : [typeof given];
  if (unknown !== undefined) {
    throw new IbidError(
      "invalid-response",
      `The enhancer ${name} gives "${unknown}" to ${element.labels[0]} ${element.id}.`,
      {
        hint: "Give { metadata }, or { metadata, text } for a chunk.",
      },
    );
  }
  const isChunk = element.labels.includes("Chunk");
  if (text !== undefined && (!isChunk || typeof text !== "string")) {
    const problem = isChunk ? `gives ${typeof text} as the text of` : "gives a text to";
    throw new IbidError("invalid-response", `The enhancer ${name} ${problem} ${element.labels[0]} ${element.id}.`, {
      hint: "Give metadata alone; the text of a chunk is a string.",
    });
  }
  return { metadata: toMetadata(metadata, `enhancer ${name}`), text };
}

/** The additions of a chain of enhancers to the metadata of an element: each is asked about the element with the additions before. */
export async function enhanceMetadata(
  enhancers: readonly Enhancer[],
  describe: (added: Metadata) => TreeElement,
): Promise<Metadata> {
  let added: Metadata = {};
  for (const enhancer of enhancers) added = { ...added, ...(await enhanceElement(enhancer, describe(added))).metadata };
  return added;
}

/** A document with what enhancers add to its metadata. */
export async function enhanceDocument(enhancers: readonly Enhancer[], document: TextDocument): Promise<TextDocument> {
  if (enhancers.length === 0) return document;
  const withAdded = (added: Metadata): TextDocument => ({ ...document, metadata: { ...document.metadata, ...added } });
  return withAdded(await enhanceMetadata(enhancers, (added) => describeElement(withAdded(added))));
}

/** An enhancer as a transformer: it is asked about each section once, then about each chunk with what its sections were given. */
export function toTransformer(enhancer: Enhancer): ChunkTransformer {
  const sections = new WeakMap<Section, Promise<Added>>();
  return {
    name: enhancer.name,
    async transform(chunk, { document }) {
      const path = findSectionPath(document.root, chunk.sectionId) ?? [];
      let metadata: Metadata = chunk.metadata;
      for (const section of path.filter(({ level }) => level > 0)) {
        const asked = sections.get(section) ?? enhanceElement(enhancer, describeElement(document, section));
        sections.set(section, asked);
        metadata = { ...metadata, ...(await asked).metadata };
      }
      const below = { ...chunk, metadata };
      const added = await enhanceElement(enhancer, describeElement(document, below));
      const text = added.text ?? below.text;
      return markChanged(chunk, { ...below, text, metadata: { ...metadata, ...added.metadata } }, enhancer.name);
    },
  };
}

/** **Errors** `invalid-argument` for an enhancer without name or function. */
export function checkEnhancers(enhancers: readonly Enhancer[]): readonly Enhancer[] {
  for (const enhancer of enhancers) {
    const { name, enhance } = (enhancer ?? {}) as Partial<Enhancer>;
    if (typeof name === "string" && name.trim() !== "" && typeof enhance === "function") continue;
    throw new IbidError("invalid-argument", "An enhancer has no name, or no function enhance.", {
      hint: 'Give { name: "areas", enhance: (element) => ({ metadata: … }) }.',
    });
  }
  return enhancers;
}
