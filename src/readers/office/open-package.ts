import type { ReadInput } from "../../contracts/reader.ts";

import { isFlatPackage, openFlatPackage } from "./flat-package.ts";
import { type Archive, openArchive, resolvePath } from "./open-archive.ts";
import { unreadable } from "./refusals.ts";
import { elementsOf, readXml, type XmlElement, type XmlVisit } from "./read-xml.ts";

/** Where one part of a package points to. */
export interface Relationship {
  readonly id: string;
  /** The last word of its type, which strict and usual files share: `styles`, `slide`, `image`. */
  readonly type: string;
  /** The name of a part; an address when `isExternal`. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** An office file: parts of XML in an archive, which point to one another. */
export interface OfficePackage {
  readonly uri: string;
  readonly archive: Archive;
  /** The name of the part that everything begins at. */
  readonly mainPart: string;
  /** A part as a tree; `undefined` when it is missing. */
  readPart(name: string | undefined): Promise<XmlElement | undefined>;
  /** A large part, piece by piece. */
  visitPart(name: string, visitor: XmlVisit): Promise<XmlElement | undefined>;
  /** Targets of a part, by id, in the order of its relationships. */
  relationshipsOf(part: string): Promise<ReadonlyMap<string, Relationship>>;
  /** The first part of a type that a part points to. */
  findRelated(part: string, type: string): Promise<string | undefined>;
}

/**
 * Opens an office file (DOCX, PPTX and variants) and finds its main part by the package's relationships, else by its content type.
 *
 * **Errors** as {@link openArchive} and {@link readXml}; `unreadable` when there is no main part.
 * **Source** ISO/IEC 29500-2, Open Packaging Conventions.
 */
export async function openPackage(input: ReadInput): Promise<OfficePackage> {
  const archive = isFlatPackage(input.bytes) ? openFlatPackage(input) : await openArchive(input);
  const { uri } = archive;
  const readPart = async (name: string | undefined, visitor?: XmlVisit): Promise<XmlElement | undefined> => {
    const bytes = name === undefined ? undefined : await archive.read(name);
    return bytes === undefined || name === undefined ? undefined : readXml(bytes, uri, name, visitor);
  };
  const relationshipsOf = async (part: string): Promise<ReadonlyMap<string, Relationship>> => {
    const slash = part.lastIndexOf("/") + 1;
    const root = await readPart(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
    const found = new Map<string, Relationship>();
    for (const { attributes } of elementsOf(root)) {
      const id = attributes.get("Id") ?? "";
      const type = attributes.get("Type") ?? "";
      const target = attributes.get("Target") ?? "";
      const isExternal = attributes.get("TargetMode") === "External";
      if (id === "" || found.has(id)) continue;
      found.set(id, {
        id,
        type: type.slice(type.lastIndexOf("/") + 1),
        target: isExternal ? target : resolvePath(part, target.replaceAll("\\", "/")),
        isExternal,
      });
    }
    return found;
  };
  const findRelated = async (part: string, type: string): Promise<string | undefined> => {
    for (const found of (await relationshipsOf(part)).values()) {
      if (found.type === type && !found.isExternal && archive.has(found.target)) return found.target;
    }
    return undefined;
  };
  const mainPart = (await findRelated("", "officeDocument")) ?? (await findListed(readPart, archive));
  if (mainPart === undefined) throw unreadable(uri, "is an archive without a main document part");
  return { uri, archive, mainPart, readPart, visitPart: readPart, relationshipsOf, findRelated };
}

/** The part that the list of content types calls a main one. */
async function findListed(
  readPart: (name: string) => Promise<XmlElement | undefined>,
  archive: Archive,
): Promise<string | undefined> {
  return elementsOf(await readPart("[Content_Types].xml"))
    .filter(({ attributes }) => (attributes.get("ContentType") ?? "").endsWith(".main+xml"))
    .map(({ attributes }) => resolvePath("", attributes.get("PartName") ?? ""))
    .find((name) => archive.has(name));
}
