import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput } from "../../contracts/reader.ts";

import { limitsOf, overLimit } from "../read-limits.ts";
import type { CarriedFile } from "../add-carried.ts";
import { openArchive } from "./open-archive.ts";
import { packFiles } from "./pack-files.ts";
import { unwrapObject } from "./unwrap-object.ts";
import { isObject, type OdfObjects } from "./odf-objects.ts";
import type { LockedPart } from "./decrypt-part.ts";
import { asksForPassword, encrypted, unreadable } from "./refusals.ts";
import { readFact, statedFacts } from "./package-facts.ts";
import { elementsOf, findAll, findChild, readXml, type XmlElement, type XmlVisit } from "./read-xml.ts";

/** The part that holds a package which is encrypted as a whole. **Source** OASIS issue OFFICE-4153. */
const lockedPackage = "encrypted-package";

/** An OpenDocument file: parts of XML in an archive, or all of them in one XML file. */
export interface OpenDocument {
  readonly readPart: (name: string, visitor?: XmlVisit) => Promise<XmlElement | undefined>;
  /** Charts and formulas that stand in parts of their own. **Cost** all of them are in memory. */
  readonly objects: () => Promise<OdfObjects>;
  /** Embedded objects that are not among these: other documents, and objects of other programs. A flat file names none. */
  readonly otherObjects: (objects: OdfObjects) => readonly CarriedFile[];
  /** Title, `""` for none, and metadata that the file states. */
  readonly facts: () => Promise<{ readonly title: string; readonly metadata: Metadata }>;
}

/**
 * Opens an OpenDocument file.
 *
 * A flat file (FODT, FODS, FODP) answers for each part with its one root. With the password, parts that its manifest says are encrypted are opened.
 *
 * **Errors** as `openArchive`; `encrypted` without the password or with a wrong one, and for keys of OpenPGP. **Source** OASIS OpenDocument 1.3, part 2 (packages).
 */
export async function openOpenDocument(input: ReadInput): Promise<OpenDocument> {
  const { password, ...unlockedInput } = input;
  const { uri } = input;
  if (!isPacked(input.bytes)) return openFlat(input);
  const archive = await openArchive(input);
  const manifestBytes = await archive.read("META-INF/manifest.xml");
  const manifest = manifestBytes && readXml(manifestBytes, uri, "META-INF/manifest.xml");
  if (findAll(manifest, "encrypted-key").length > 0) throw encrypted(uri);
  const isLocked = findAll(manifest, "encryption-data").length > 0;
  if (isLocked && password === undefined) throw asksForPassword(uri, password);
  const locked = isLocked ? (await import("./decrypt-part.ts")).lockedParts(manifest, uri) : undefined;
  let unlocked = 0;
  const { maxExpandedBytes } = limitsOf(input);
  const unlock = (part: LockedPart, stored: Uint8Array): Uint8Array<ArrayBuffer> => {
    unlocked += part.size;
    if (unlocked > maxExpandedBytes) throw overLimit(uri, "maxExpandedBytes", maxExpandedBytes, unlocked);
    const bytes = part.open(stored, password ?? "");
    if (bytes === undefined) throw asksForPassword(uri, password);
    return bytes;
  };
  const whole = locked?.get(lockedPackage);
  const stored = whole && (await archive.read(lockedPackage));
  // The package within is not locked once more.
  if (whole !== undefined && stored !== undefined)
    return openOpenDocument({ ...unlockedInput, bytes: unlock(whole, stored) });
  const readBytes = async (name: string): Promise<Uint8Array | undefined> => {
    const stored = await archive.read(name);
    const part = locked?.get(name);
    return stored === undefined || part === undefined ? stored : unlock(part, stored);
  };
  const readPart = async (name: string, visitor?: XmlVisit): Promise<XmlElement | undefined> => {
    const bytes = await readBytes(name);
    return bytes && readXml(bytes, uri, name, visitor);
  };
  /** A folder of the package as a package of its own. Its body says its kind. */
  const packFolder = async (folder: string): Promise<Uint8Array> => {
    const [body] = elementsOf(findChild(await readPart(`${folder}/content.xml`), "body"));
    const kind = `application/vnd.oasis.opendocument.${body?.name === "drawing" ? "graphics" : (body?.name ?? "base")}`;
    const members = [{ name: "mimetype", bytes: new TextEncoder().encode(kind) }];
    for (const name of archive.names.filter((each) => each.startsWith(`${folder}/`))) {
      const bytes = await readBytes(name);
      if (bytes !== undefined) members.push({ name: name.slice(folder.length + 1), bytes: bytes.slice() });
    }
    return packFiles(members);
  };
  return {
    readPart,
    async objects() {
      const found = new Map<string, XmlElement>();
      for (const name of archive.names) {
        const folder = /^(.+)\/content\.xml$/u.exec(name)?.[1];
        const root = folder === undefined ? undefined : await readPart(name);
        if (folder !== undefined && isObject(root)) found.set(folder, root);
      }
      return found;
    },
    otherObjects: (objects) =>
      archive.names
        .map((name) => /^([^/.][^/]*)(?:\/content\.xml)?$/u.exec(name)?.[1] ?? "")
        .filter((name) => name !== "" && !ownParts.has(name) && !objects.has(name))
        .map((name) => ({
          name,
          read: async () => {
            const bytes = await readBytes(name);
            return bytes === undefined ? { bytes: await packFolder(name) } : unwrapObject(bytes, uri);
          },
        })),
    facts: async () => factsOf(await readPart("meta.xml")),
  };
}

/** Parts at the root of a package that belong to the document itself. **Source** OASIS OpenDocument 1.3, part 2, 2.2; LibreOffice for the last. */
const ownParts: ReadonlySet<string> = new Set([
  "mimetype",
  "content.xml",
  "styles.xml",
  "meta.xml",
  "settings.xml",
  "manifest.rdf",
  "layout-cache",
]);

/** **Source** OASIS OpenDocument 1.3, part 3, 3.1.2 (`office:document`). */
function openFlat({ uri, bytes }: ReadInput): OpenDocument {
  const read = (visitor: XmlVisit): XmlElement => readXml(bytes, uri, "the file itself", visitor);
  let head: XmlElement | undefined;
  /** Styles and facts, without the body. */
  const readHead = (): XmlElement => (head ??= read({ depth: 2, parent: "body", visit: () => undefined }));
  if (readHead().name !== "document") throw unreadable(uri, "is neither an archive nor a flat file of OpenDocument");
  return {
    readPart: (name, visitor) => {
      if (visitor !== undefined) return Promise.resolve(read(visitor));
      return Promise.resolve(name === "styles.xml" || name === "meta.xml" ? readHead() : undefined);
    },
    objects: () => Promise.resolve(new Map()),
    otherObjects: () => [],
    facts: () => Promise.resolve(factsOf(readHead())),
  };
}

function factsOf(root: XmlElement | undefined): { readonly title: string; readonly metadata: Metadata } {
  const stated = findChild(root, "meta");
  return {
    title: readFact(findChild(stated, "title")),
    metadata: statedFacts({
      author: readFact(findChild(stated, "initial-creator") ?? findChild(stated, "creator")),
      language: findChild(stated, "language"),
      createdAt: findChild(stated, "creation-date"),
      modifiedAt: findChild(stated, "date"),
    }),
  };
}

function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}
