import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput } from "../../contracts/reader.ts";

import { openArchive } from "./open-archive.ts";
import { encrypted } from "./refusals.ts";
import { readFact, statedFacts } from "./package-facts.ts";
import { findAll, findChild, readXml, type XmlElement, type XmlVisit } from "./read-xml.ts";

/** An OpenDocument file: parts of XML in an archive. */
export interface OpenDocument {
  readonly readPart: (name: string, visitor?: XmlVisit) => Promise<XmlElement | undefined>;
  /** Title, `""` for none, and metadata that the file states. */
  readonly facts: () => Promise<{ readonly title: string; readonly metadata: Metadata }>;
}

/**
 * Opens an OpenDocument file.
 *
 * **Errors** as `openArchive`; `encrypted` where its manifest says so. **Source** OASIS OpenDocument 1.3, part 2 (packages).
 */
export async function openOpenDocument(input: ReadInput): Promise<OpenDocument> {
  const { uri } = input;
  const archive = await openArchive(input);
  const readPart = async (name: string, visitor?: XmlVisit): Promise<XmlElement | undefined> => {
    const bytes = await archive.read(name);
    return bytes === undefined ? undefined : readXml(bytes, uri, name, visitor);
  };
  const manifest = await readPart("META-INF/manifest.xml");
  if (findAll(manifest, "encryption-data", "encrypted-key").length > 0) throw encrypted(uri);
  return {
    readPart,
    async facts() {
      const stated = findChild(await readPart("meta.xml"), "meta");
      return {
        title: readFact(findChild(stated, "title")),
        metadata: statedFacts({
          author: readFact(findChild(stated, "initial-creator") ?? findChild(stated, "creator")),
          language: findChild(stated, "language"),
          createdAt: findChild(stated, "creation-date"),
          modifiedAt: findChild(stated, "date"),
        }),
      };
    },
  };
}
