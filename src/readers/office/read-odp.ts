import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { addCarried } from "../add-carried.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import { imageText, leftOutComments, oneLine } from "./clean-text.ts";
import { readObject } from "./odf-objects.ts";
import { countComments } from "./odt-inline.ts";
import { createOdtWriter } from "./odt-writer.ts";
import { readOdtStyles } from "./odt-styles.ts";
import { openOpenDocument } from "./open-document.ts";
import { unreadable, withoutText } from "./refusals.ts";
import { elementsOf, findAll, findChild, textOf, type XmlElement } from "./read-xml.ts";

/** Implements {@link createOdpReader}; loaded with its libraries when the first file is read. */
export async function readOdp(input: ReadInput): Promise<ReadResult> {
  const { uri } = input;
  const { maxPages, maxTextLength } = limitsOf(input);
  const { readPart, objects, otherObjects, facts } = await openOpenDocument(input);
  const embedded = await objects();
  const named = await readPart("styles.xml");
  const document = composeDocument();
  let number = 0;
  let shownTitle = "";
  let comments = 0;
  const content = await readPart("content.xml", {
    depth: 3,
    parent: "presentation",
    visit(page, root) {
      if (page.name !== "page") return;
      number++;
      if (number > maxPages) throw overLimit(uri, "maxPages", maxPages, number);
      document.startSlide(number);
      comments += countComments(page);
      const shapes = shapesOf(page);
      const titleShape = shapes.find(({ attributes }) => attributes.get("class") === "title");
      const title = titleShape === undefined ? "" : oneLine(paragraphs(titleShape).join(" "));
      if (number === 1) shownTitle = title;
      const notes = findChild(page, "notes");
      const speakerNotes = elementsOf(notes).filter(({ attributes }) => attributes.get("class") === "notes");
      const isBlank = (shape: XmlElement): boolean =>
        textOf(shape).trim() === "" && (shape.name !== "frame" || readObject(shape, embedded).length === 0);
      if (title === "" && shapes.every(isBlank)) return;
      document.heading(title || `Slide ${number}`, 1);
      // Each slide's lists are its own: the writer settles what it holds.
      const writer = createOdtWriter(document, readOdtStyles(named, root), embedded);
      for (const shape of shapes) {
        if (shape === titleShape || furniture.test(shape.attributes.get("class") ?? "")) continue;
        for (const part of partsOf(shape)) writer.write(part);
        const graphics = shape.name === "frame" ? readObject(shape, embedded) : [];
        for (const { text, block } of graphics) document.write(text, block);
        if (graphics.length === 0 && findAll(shape, "text-box", "table").length === 0)
          document.write(imageText(textOf(findChild(shape, "desc") ?? findChild(shape, "title"))));
      }
      writer.finish();
      if (speakerNotes.some((shape) => textOf(shape).trim() !== "")) {
        document.heading("Notes", 2);
        for (const shape of speakerNotes) for (const part of partsOf(shape)) writer.write(part);
        writer.finish();
      }
      if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    },
  });
  if (findChild(content, "body", "presentation") === undefined) throw unreadable(uri, "holds no presentation");
  const stated = await facts();
  const title = shownTitle || stated.title || fileNameOf(uri);
  const draft = document.finish(title);
  if (draft.text === "") throw withoutText(uri);
  const notes = [...leftOutComments(comments)];
  const result = {
    ...draft,
    title,
    metadata: { slideCount: number, ...stated.metadata },
    ...(notes.length > 0 && { notes }),
  };
  return addCarried(result, otherObjects(embedded), input, "what is embedded in it");
}

/** Placeholders that every slide repeats. */
const furniture = /^(?:header|footer|date-time|page-number)$/;

/** Parts of a page that its slide does not show. */
const notShown: ReadonlySet<string> = new Set(["notes", "forms", "annotation"]);

/** Shapes of a page, also those in groups, in the order of the file. */
function shapesOf(page: XmlElement): XmlElement[] {
  return elementsOf(page).flatMap((child) =>
    child.name === "g" ? shapesOf(child) : notShown.has(child.name) ? [] : [child],
  );
}

/** Paragraphs, lists and tables of a shape. */
function partsOf(shape: XmlElement): XmlElement[] {
  return elementsOf(shape).flatMap((child) => {
    if (child.name === "p" || child.name === "list" || child.name === "table" || child.name === "h") return [child];
    return child.name === "text-box" ? partsOf(child) : [];
  });
}

function paragraphs(shape: XmlElement): string[] {
  return findAll(shape, "p").map(textOf);
}
