import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import { createOdtWriter, type OdtWriter } from "./odt-writer.ts";
import { readOdtStyles } from "./odt-styles.ts";
import { type Archive, encrypted, openArchive, unreadable, withoutText } from "./open-archive.ts";
import { readFact, statedFacts } from "./package-facts.ts";
import { findAll, findChild, readXml, type XmlElement, type XmlVisit } from "./read-xml.ts";

/** Implements {@link createOdtReader}; loaded with its libraries when the first file is read. */
export async function readOdt(input: ReadInput): Promise<ReadResult> {
  const { uri } = input;
  const { maxTextLength } = limitsOf(input);
  const archive = await openArchive(input);
  const manifest = await readPart(archive, "META-INF/manifest.xml");
  if (findAll(manifest, "encryption-data", "encrypted-key").length > 0) throw encrypted(uri);
  const named = await readPart(archive, "styles.xml");
  const document = composeDocument();
  let writer: OdtWriter | undefined;
  // The body is read piece by piece; the automatic styles stand before it.
  const content = await readPart(archive, "content.xml", {
    depth: 3,
    parent: "text",
    visit(element, root) {
      writer ??= createOdtWriter(document, readOdtStyles(named, root));
      writer.write(element);
      if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    },
  });
  if (findChild(content, "body", "text") === undefined) throw unreadable(uri, "holds no OpenDocument text");
  writer?.finish();

  const facts = findChild(await readPart(archive, "meta.xml"), "meta");
  const stated = (writer?.title ?? "") || readFact(findChild(facts, "title"));
  const draft = document.finish(stated);
  if (draft.text === "") throw withoutText(uri);
  const title = stated || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  return {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata: statedFacts({
      author: readFact(findChild(facts, "initial-creator") ?? findChild(facts, "creator")),
      language: findChild(facts, "language"),
      createdAt: findChild(facts, "creation-date"),
      modifiedAt: findChild(facts, "date"),
    }),
  };
}

async function readPart(archive: Archive, name: string, visitor?: XmlVisit): Promise<XmlElement | undefined> {
  const bytes = await archive.read(name);
  return bytes === undefined ? undefined : readXml(bytes, archive.uri, name, visitor);
}
