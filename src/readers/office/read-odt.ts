import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { addCarried } from "../add-carried.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { createSetHeadings } from "../set-headings.ts";

import { leftOutComments } from "./clean-text.ts";
import { createOdtWriter, type OdtWriter } from "./odt-writer.ts";
import { readOdtStyles } from "./odt-styles.ts";
import { unreadable, withoutText } from "./refusals.ts";
import { openOpenDocument } from "./open-document.ts";
import { countComments } from "./odt-inline.ts";
import { findChild } from "./read-xml.ts";

/** Implements {@link createOdtReader}; loaded with its libraries when the first file is read. */
export async function readOdt(input: ReadInput): Promise<ReadResult> {
  const { uri } = input;
  const { maxTextLength } = limitsOf(input);
  const { readPart, objects, otherObjects, facts } = await openOpenDocument(input);
  const embedded = await objects();
  const named = await readPart("styles.xml");
  const document = composeDocument();
  const setHeadings = createSetHeadings();
  let writer: OdtWriter | undefined;
  let comments = 0;
  // The body is read piece by piece; the automatic styles stand before it.
  const content = await readPart("content.xml", {
    depth: 3,
    parent: "text",
    visit(element, root) {
      writer ??= createOdtWriter(document, readOdtStyles(named, root), embedded, setHeadings);
      writer.write(element);
      comments += countComments(element);
      if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    },
  });
  if (findChild(content, "body", "text") === undefined) throw unreadable(uri, "holds no OpenDocument text");
  writer?.finish();

  const said = await facts();
  const stated = (writer?.title ?? "") || said.title;
  const draft = setHeadings.applyTo(document.finish(stated));
  if (draft.text === "") throw withoutText(uri);
  const notes = [...leftOutComments(comments)];
  const title = stated || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  const result = {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata: said.metadata,
    ...(notes.length > 0 && { notes }),
  };
  return addCarried(result, otherObjects(embedded), input, "what is embedded in it");
}
