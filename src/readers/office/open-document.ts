import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput } from "../../contracts/reader.ts";

import { limitsOf, overLimit } from "../read-limits.ts";
import { openArchive } from "./open-archive.ts";
import { asksForPassword, encrypted } from "./refusals.ts";
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
 * With the password, parts that its manifest says are encrypted are opened.
 *
 * **Errors** as `openArchive`; `encrypted` without the password or with a wrong one, and for keys of OpenPGP. **Source** OASIS OpenDocument 1.3, part 2 (packages).
 */
export async function openOpenDocument(input: ReadInput): Promise<OpenDocument> {
  const { uri, password } = input;
  const archive = await openArchive(input);
  const manifestBytes = await archive.read("META-INF/manifest.xml");
  const manifest = manifestBytes && readXml(manifestBytes, uri, "META-INF/manifest.xml");
  if (findAll(manifest, "encrypted-key").length > 0) throw encrypted(uri);
  const isLocked = findAll(manifest, "encryption-data").length > 0;
  if (isLocked && password === undefined) throw asksForPassword(uri, password);
  const locked = isLocked ? (await import("./decrypt-part.ts")).lockedParts(manifest, uri) : undefined;
  let unlocked = 0;
  const { maxExpandedBytes } = limitsOf(input);
  const readPart = async (name: string, visitor?: XmlVisit): Promise<XmlElement | undefined> => {
    const stored = await archive.read(name);
    if (stored === undefined) return undefined;
    const part = locked?.get(name);
    unlocked += part?.size ?? 0;
    if (unlocked > maxExpandedBytes) throw overLimit(uri, "maxExpandedBytes", maxExpandedBytes, unlocked);
    const bytes = part === undefined ? stored : part.open(stored, password ?? "");
    if (bytes === undefined) throw asksForPassword(uri, password);
    return readXml(bytes, uri, name, visitor);
  };
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
