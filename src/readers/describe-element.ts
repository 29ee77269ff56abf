import { checkGiven } from "../runtime/check-options.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Section, TextDocument } from "../contracts/document.ts";
import type { TreeElement } from "../contracts/enhancer.ts";
import type { NamedEntityData } from "../contracts/entity.ts";
import type { Fact } from "../contracts/fact.ts";
import type { JsonValue } from "../contracts/metadata.ts";
import { findSectionPath } from "../text/walk-sections.ts";

/**
 * A document to describe: as a reader made it, or as `kb.document` gives it back.
 *
 * @experimental
 */
export type DescribedDocument = Pick<TextDocument, "id" | "uri" | "title" | "text" | "metadata" | "root"> & {
  /** ISO 8601; kept as `ingestionTimestamp`. */
  readonly ingestedAt?: string;
};

/**
 * Describes a document, section, chunk, entity or fact as an element of its tree, for programs that keep all of them in one place.
 *
 * **Shape** labels: `Document` and `ContentRoot`; `Section` with `ContainerSection` or `LeafSection`; `Chunk`; each with `ContentElement`. The
 * embedded text is a chunk's text, or a leaf's title, a line break and its text. A container or document has the title alone: their parts speak
 * for themselves. A chunk's parent is its section, or the document where that is the root. Document, sections and chunks have the document's
 * `ingestedAt` as `ingestionTimestamp`, where it has one.
 * **Source** Embabel's `Datum`, `Embeddable`, `HierarchicalContentElement`.
 *
 * @experimental
 */
export function describeElement(
  document: DescribedDocument,
  element: DescribedDocument | Section | Chunk | NamedEntityData | Fact = document,
): TreeElement {
  checkGiven("describeElement", "document", document, "object");
  checkGiven("describeElement", "element", element, "object");
  if ("assertion" in element) return describeFact(element);
  if ("labels" in element) return describeEntity(element);
  if ("level" in element) return describeSection(document, element);
  if ("sectionId" in element) {
    const { id, uri, text, urtext, metadata, sectionId } = element;
    const parentId = sectionKey(document, sectionId);
    return {
      id,
      uri,
      parentId,
      labels: ["Chunk", "ContentElement"],
      embeddableValue: text,
      propertiesToPersist: { ...metadata, id, uri, parentId, text, urtext, ...stampOf(document) },
    };
  }
  const { id, uri, title, metadata } = element;
  return {
    id,
    uri,
    parentId: null,
    labels: ["Document", "ContentRoot", "ContentElement"],
    embeddableValue: title,
    propertiesToPersist: { ...metadata, id, uri, title, ...stampOf(element) },
  };
}

export function describeEntity({
  id,
  name,
  description,
  uri,
  metadata,
  labels,
  properties,
}: NamedEntityData): TreeElement {
  const { embedding: _, id: __, ...kept } = properties;
  return {
    id,
    uri: uri ?? id,
    parentId: null,
    labels,
    embeddableValue: `${name}: ${description}`,
    propertiesToPersist: { ...metadata, ...kept, id, name, description, ...(uri === undefined ? {} : { uri }) },
  };
}

export function describeFact({ id, assertion, authority, uri, metadata }: Fact): TreeElement {
  return {
    id,
    uri: uri ?? id,
    parentId: null,
    labels: ["Fact", "Source"],
    embeddableValue: assertion,
    propertiesToPersist: { ...metadata, id, assertion, authority, ...(uri === undefined ? {} : { uri }) },
  };
}

function describeSection(document: DescribedDocument, section: Section): TreeElement {
  if (section.level === 0) return describeElement(document);
  const { uri } = document;
  const id = sectionKey(document, section.id);
  const isLeaf = section.children.length === 0;
  const above = findSectionPath(document.root, section.id)?.at(-2)?.id ?? document.root.id;
  const parentId = sectionKey(document, above);
  const own = document.text.slice(section.contentStart, section.end).trim();
  const text: Record<string, JsonValue> = isLeaf ? { text: own } : {};
  return {
    id,
    uri,
    parentId,
    labels: ["Section", isLeaf ? "LeafSection" : "ContainerSection", "ContentElement"],
    embeddableValue: isLeaf ? `${section.title}\n${own}` : section.title,
    propertiesToPersist: {
      ...document.metadata,
      id,
      uri,
      parentId,
      title: section.title,
      ...text,
      ...stampOf(document),
    },
  };
}

function stampOf({ ingestedAt }: DescribedDocument): Record<string, JsonValue> {
  return ingestedAt === undefined ? {} : { ingestionTimestamp: ingestedAt };
}

function sectionKey({ id, root }: DescribedDocument, sectionId: string): string {
  return sectionId === root.id ? id : `${id}#${sectionId}`;
}
