import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { addCarried } from "../add-carried.ts";
import { type Composition, composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { createSetHeadings } from "../set-headings.ts";

import { leftOutComments, leftOutObjects } from "./clean-text.ts";
import { readDocxNumbering } from "./docx-numbering.ts";
import { readDocxStyles } from "./docx-styles.ts";
import { createDocxWriter, type DocxParts } from "./docx-writer.ts";
import { readGraphics } from "./graphic-text.ts";
import { unreadable, withoutText } from "./refusals.ts";
import { type OfficePackage, openPackage, type Relationship } from "./open-package.ts";
import { embeddedIn } from "./unwrap-object.ts";
import { readPackageFacts } from "./package-facts.ts";
import { elementsOf, type XmlElement } from "./read-xml.ts";

/** Implements {@link createDocxReader}; loaded with its libraries when the first file is read. */
export async function readDocx(input: ReadInput): Promise<ReadResult> {
  const { uri } = input;
  const { maxTextLength } = limitsOf(input);
  const office = await openPackage(input);
  const relationships = await office.relationshipsOf(office.mainPart);
  const document = composeDocument();
  const imports = await readImports(input, office, relationships);
  const parts = { ...(await readParts(office, relationships)), imports: imports.read };
  const setHeadings = createSetHeadings();
  const writer = createDocxWriter(document, parts, setHeadings);
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
  const body = setHeadings.applyTo(document.finish(named));
  const draft = body.text === "" ? await readEdges(office, relationships, parts) : body;
  if (draft.text === "") throw withoutText(uri);
  if (draft.text.length > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, draft.text.length);
  const title = named || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  const notes = [
    ...(draft === body ? [] : ["Its body has no text; its headers and footers were read."]),
    ...(await notesOn(office, relationships, imports.unread)),
  ];
  const result = {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata: facts.metadata,
    ...(notes.length === 0 ? {} : { notes }),
  };
  return addCarried(result, embeddedIn(office, relationships), input, "what is embedded in it");
}

/** Headers and footers, of a document that has no other text: a letterhead, a cover. */
async function readEdges(
  office: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
  parts: DocxParts,
): Promise<ReturnType<Composition["finish"]>> {
  const document = composeDocument();
  const writer = createDocxWriter(document, parts);
  for (const kind of ["header", "footer"]) {
    for (const { type, target, isExternal } of relationships.values())
      if (type === kind && !isExternal)
        for (const element of elementsOf(await office.readPart(target))) writer.write(element);
  }
  writer.finish();
  return document.finish("");
}

async function readParts(
  office: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
): Promise<Omit<DocxParts, "imports">> {
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

/**
 * Reads the documents in other formats that a Word document takes in: HTML, RTF, text, Word.
 *
 * **Source** ISO/IEC 29500-1, 17.17.2.1 (`altChunk`).
 */
async function readImports(
  { uri, readPart }: ReadInput,
  office: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
): Promise<{ readonly read: ReadonlyMap<string, ReadResult>; readonly unread: readonly string[] }> {
  const read = new Map<string, ReadResult>();
  const unread: string[] = [];
  for (const [id, { type, target, isExternal }] of relationships) {
    if (type !== "aFChunk" || isExternal) continue;
    const bytes = await office.archive.read(target);
    try {
      if (bytes === undefined || readPart === undefined) throw unreadable(uri, "lacks a part");
      read.set(id, await readPart({ name: fileNameOf(target), bytes }));
    } catch (error) {
      if (!IbidError.isInstance(error) || error.code === "aborted" || error.code === "too-large") throw error;
      unread.push(target);
    }
  }
  return { read, unread };
}

/** Notes about content of the file that is not in the text. */
async function notesOn(
  office: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
  unread: readonly string[],
): Promise<readonly string[]> {
  const own = [...relationships.values()].filter(({ isExternal }) => !isExternal);
  const comments = await office.readPart(own.find(({ type }) => type === "comments")?.target);
  const count = elementsOf(comments).length;
  return [...leftOutComments(count), ...leftOutObjects(unread.map(fileNameOf))];
}
