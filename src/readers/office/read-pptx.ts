import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { addCarried, type CarriedFile } from "../add-carried.ts";
import { type Composition, composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import { leftOutComments } from "./clean-text.ts";
import { readGraphics } from "./graphic-text.ts";
import { unreadable, withoutText } from "./refusals.ts";
import { type OfficePackage, openPackage, type Relationship } from "./open-package.ts";
import { embeddedIn } from "./unwrap-object.ts";
import { readPackageFacts } from "./package-facts.ts";
import { elementsOf, findChild, type XmlElement } from "./read-xml.ts";
import { listPlaceholders, readSlideShapes, readSpeakerNotes, type SlideStyles } from "./slide-shapes.ts";

/** Implements {@link createPptxReader}; loaded with its libraries when the first file is read. */
export async function readPptx(input: ReadInput): Promise<ReadResult> {
  const { uri } = input;
  const { maxPages, maxTextLength } = limitsOf(input);
  const office = await openPackage(input);
  const presentation = await office.readPart(office.mainPart);
  if (presentation?.name !== "presentation") throw unreadable(uri, "holds no presentation");
  const relationships = await office.relationshipsOf(office.mainPart);
  const slides = elementsOf(findChild(presentation, "sldIdLst")).map(
    ({ attributes }) => relationships.get(attributes.get("r:id") ?? "")?.target,
  );
  if (slides.length > maxPages) throw overLimit(uri, "maxPages", maxPages, slides.length);

  const document = composeDocument();
  const stylesOf = rememberStyles(office);
  const hidden: number[] = [];
  const missing: number[] = [];
  let shownTitle = "";
  let comments = 0;
  const embedded: CarriedFile[] = [];
  for (const [index, part] of slides.entries()) {
    const number = index + 1;
    document.startSlide(number);
    const slide = part === undefined ? undefined : await readSlide(office, part, stylesOf);
    if (slide === undefined) missing.push(number);
    else {
      if (slide.isHidden) hidden.push(number);
      comments += slide.comments;
      embedded.push(...slide.embedded);
      if (number === 1) shownTitle = slide.title;
      writeSlide(document, number, slide);
    }
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    input.onPage?.(number, slides.length);
  }

  const facts = await readPackageFacts(office);
  const title = shownTitle || facts.title || fileNameOf(uri);
  const draft = document.finish(title);
  if (draft.text === "") throw withoutText(uri);
  const notes = [
    ...(hidden.length === 0 ? [] : [`Hidden in the show, and read all the same: ${nameSlides(hidden)}.`]),
    ...leftOutComments(comments),
    ...(missing.length === 0 ? [] : [`Missing from the file: ${nameSlides(missing)}.`]),
  ];
  const result = {
    ...draft,
    title,
    metadata: { slideCount: slides.length, ...facts.metadata },
    ...(notes.length === 0 ? {} : { notes }),
  };
  return addCarried(result, embedded, input, "what is embedded in it");
}

type Slide = NonNullable<Awaited<ReturnType<typeof readSlide>>>;

async function readSlide(office: OfficePackage, part: string, stylesOf: (layout: string) => Promise<SlideStyles>) {
  const root = await office.readPart(part);
  if (root === undefined) return undefined;
  const relationships = await office.relationshipsOf(part);
  const targetOf = (type: string): string | undefined =>
    [...relationships.values()].find((related: Relationship) => related.type === type && !related.isExternal)?.target;
  const styles = await stylesOf(targetOf("slideLayout") ?? "");
  const graphics = await readGraphics(office, relationships);
  return {
    ...readSlideShapes(findChild(root, "cSld", "spTree"), styles, graphics),
    isHidden: /^(?:0|false)$/.test(root.attributes.get("show") ?? ""),
    speakerNotes: readSpeakerNotes(await office.readPart(targetOf("notesSlide"))),
    comments: countComments(await office.readPart(targetOf("comments"))),
    embedded: embeddedIn(office, relationships),
  };
}

/** Comments of a slide, with replies, which newer files nest. */
function countComments(list: XmlElement | undefined): number {
  const comments = elementsOf(list);
  return comments.reduce((sum, comment) => sum + elementsOf(findChild(comment, "replyLst")).length, comments.length);
}

/** A slide without a title has its number for one, so that its text does not count as that of the slide before. */
function writeSlide(document: Composition, number: number, { title, pieces, speakerNotes }: Slide): void {
  if (title === "" && pieces.length === 0 && speakerNotes.length === 0) return;
  document.heading(title || `Slide ${number}`, 1);
  for (const { text, block } of pieces) document.write(text, block);
  if (speakerNotes.length > 0) document.heading("Notes", 2);
  for (const { text, block } of speakerNotes) document.write(text, block);
}

/** Reads each layout and master once. */
function rememberStyles(office: OfficePackage): (layout: string) => Promise<SlideStyles> {
  const known = new Map<string, SlideStyles>();
  return async (layout) => {
    const styles = known.get(layout) ?? (await readStyles(office, layout));
    known.set(layout, styles);
    return styles;
  };
}

async function readStyles(office: OfficePackage, layout: string): Promise<SlideStyles> {
  const root = await office.readPart(layout);
  const master = root === undefined ? undefined : await office.findRelated(layout, "slideMaster");
  return {
    placeholders: listPlaceholders(root),
    bodyStyle: findChild(await office.readPart(master), "txStyles", "bodyStyle"),
  };
}

function nameSlides(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? "slide" : "slides"} ${numbers.join(", ")}`;
}
