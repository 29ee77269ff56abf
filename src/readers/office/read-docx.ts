import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import { nameSome } from "./clean-text.ts";
import { readDocxNumbering } from "./docx-numbering.ts";
import { readDocxStyles } from "./docx-styles.ts";
import { createDocxWriter, type DocxParts } from "./docx-writer.ts";
import { readGraphics } from "./graphic-text.ts";
import { unreadable, withoutText } from "./open-archive.ts";
import { type OfficePackage, openPackage, type Relationship } from "./open-package.ts";
import { readPackageFacts } from "./package-facts.ts";
import { elementsOf, type XmlElement } from "./read-xml.ts";

/** Implements {@link createDocxReader}; loaded with its libraries when the first file is read. */
export async function readDocx(input: ReadInput): Promise<ReadResult> {
  const { uri } = input;
  const { maxTextLength } = limitsOf(input);
  const office = await openPackage(input);
  const relationships = await office.relationshipsOf(office.mainPart);
  const document = composeDocument();
  const writer = createDocxWriter(document, await readParts(office, relationships));
  // Paragraphs and tables of the body are read one at a time: the whole tree of a long book would not fit.
  const root = await office.visitPart(office.mainPart, {
    depth: 2,
    visit(element) {
      writer.write(element);
      if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    },
  });
  if (root?.name !== "document") throw unreadable(uri, "holds no Word document");
  writer.finish();

  const facts = await readPackageFacts(office);
  const named = writer.title || facts.title;
  const draft = document.finish(named);
  if (draft.text === "") throw withoutText(uri);
  const title = named || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  const notes = await notesOn(office, relationships);
  return {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata: facts.metadata,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

async function readParts(office: OfficePackage, relationships: ReadonlyMap<string, Relationship>): Promise<DocxParts> {
  const partOf = async (type: string): Promise<XmlElement | undefined> => {
    for (const related of relationships.values()) {
      if (related.type === type && !related.isExternal) return office.readPart(related.target);
    }
    return undefined;
  };
  const notes = new Map<string, XmlElement>();
  for (const kind of ["footnote", "endnote"] as const) {
    for (const note of elementsOf(await partOf(`${kind}s`))) {
      const key = `${kind} ${note.attributes.get("id") ?? ""}`;
      if (note.name === kind && !notes.has(key)) notes.set(key, note);
    }
  }
  return {
    styles: readDocxStyles(await partOf("styles")),
    numbering: readDocxNumbering(await partOf("numbering")),
    notes,
    graphics: await readGraphics(office, relationships),
  };
}

/** Notes about content of the file that is not in the text. */
async function notesOn(
  office: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
): Promise<readonly string[]> {
  const own = [...relationships.values()].filter(({ isExternal }) => !isExternal);
  const comments = await office.readPart(own.find(({ type }) => type === "comments")?.target);
  const count = elementsOf(comments).length;
  const carried = own.filter(({ type }) => type === "package" || type === "oleObject" || type === "aFChunk");
  return [
    ...(count === 0 ? [] : [`Left out: its comments (${count}).`]),
    ...(carried.length === 0
      ? []
      : [`Not read: what is embedded in it (${nameSome(carried.map(({ target }) => fileNameOf(target)))}).`]),
  ];
}
