import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { type Composition, composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { cleanText, leftOutComments, oneLine } from "../office/clean-text.ts";
import { tooOld, unreadable, withoutText } from "../office/refusals.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { openCompoundFile } from "./compound-file.ts";
import { findRecord, type PptRecord, readParts, recordsIn, recordType, viewOf } from "./ppt-records.ts";
import { readDrawing, showText, type SlidePiece, type SlideText, textsIn } from "./ppt-texts.ts";
import { readSummary } from "./property-set.ts";

/** Token of a presentation with a password. **Source** MS-PPT, 2.3.2 (CurrentUserAtom). */
const encryptedToken = 0xf3d1c4df;
/** Lists of slides by their instance. **Source** MS-PPT, 2.4.14.1. */
const list = { slides: 0, notes: 2 } as const;

/** Comments stand so many containers deep in a slide: tags, one tag, its content. */
const tagDepth = 3;

/** Streams of PowerPoint 95 and of PowerPoint 4, which newer versions do not write. */
const olderStreams = ["PersistentStorage Directory", "PP40"];

/** Implements {@link createPptReader}. */
export async function readPpt(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, password, signal } = input;
  const { maxPages, maxTextLength } = limitsOf(input);
  const file = openCompoundFile(bytes, uri);
  const stream = file.stream("PowerPoint Document");
  const user = file.stream("Current User");
  if (olderStreams.some((name) => file.names.includes(name)))
    throw tooOld(uri, "a presentation of PowerPoint 95 or older", "PPTX");
  if (stream === undefined || user === undefined || user.length < 20)
    throw unreadable(uri, "holds no presentation of PowerPoint 97 or newer");
  const isLocked = viewOf(user).getUint32(12, true) === encryptedToken;
  const { documentId, part } = readParts(stream, viewOf(user).getUint32(16, true), uri, isLocked, password);
  const presentation = part(documentId);
  if (presentation?.type !== recordType.document) throw unreadable(uri, "holds no presentation");

  const slides = slidesIn(presentation, list.slides);
  if (slides.length > maxPages) throw overLimit(uri, "maxPages", maxPages, slides.length);
  const speakerNotes = notesBySlide(slidesIn(presentation, list.notes), part);
  const document = composeDocument();
  const hidden: number[] = [];
  let shownTitle = "";
  let comments = 0;
  for (const [index, { id, slideId, texts }] of slides.entries()) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const number = index + 1;
    document.startSlide(number);
    const slide = part(id);
    const drawing = slide && findRecord(slide.body, recordType.drawing);
    const pieces = drawing === undefined ? texts : readDrawing(drawing.body, texts);
    const title = oneLine(showText(pieces.find(isTitle)?.text ?? ""));
    if (number === 1) shownTitle = title;
    if (slide !== undefined && isHidden(slide)) hidden.push(number);
    comments += slide === undefined ? 0 : countComments(slide);
    writeSlide(document, title || `Slide ${number}`, pieces, speakerNotes.get(slideId) ?? []);
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    input.onPage?.(number, slides.length);
  }
  const facts = readSummary(file);
  const title = shownTitle || facts.title || fileNameOf(uri);
  const draft = document.finish(title);
  if (draft.text === "") throw withoutText(uri);
  const objects = findRecord(presentation.body, recordType.embeddedObjects)?.body ?? new Uint8Array();
  const embedded = [...recordsIn(objects)].filter(({ type }) => type === recordType.embeddedObject).length;
  const some = `${hidden.length === 1 ? "slide" : "slides"} ${hidden.join(", ")}`;
  const notes = [
    ...(hidden.length === 0 ? [] : [`Hidden in the show, and read all the same: ${some}.`]),
    ...leftOutComments(comments),
    ...(embedded === 0 ? [] : [`Not read: its charts and other embedded objects (${embedded}).`]),
  ];
  return {
    ...draft,
    title,
    metadata: { slideCount: slides.length, ...facts.metadata },
    ...(notes.length > 0 && { notes }),
  };
}

interface ListedSlide {
  /** Number of the part that holds it. */
  readonly id: number;
  readonly slideId: number;
  /** Its texts as the outline shows them. */
  readonly texts: readonly SlideText[];
}

function slidesIn(presentation: PptRecord, instance: number): ListedSlide[] {
  const slides: ListedSlide[] = [];
  for (const record of recordsIn(presentation.body)) {
    if (record.type !== recordType.slideList || record.instance !== instance) continue;
    let current: { id: number; slideId: number; records: PptRecord[] } | undefined;
    const end = (): void => {
      if (current !== undefined)
        slides.push({ id: current.id, slideId: current.slideId, texts: textsIn(current.records) });
    };
    for (const inner of recordsIn(record.body)) {
      if (inner.type === recordType.slidePersist && inner.body.length >= 16) {
        end();
        const view = viewOf(inner.body);
        current = { id: view.getUint32(0, true), slideId: view.getUint32(12, true), records: [] };
      } else current?.records.push(inner);
    }
    end();
  }
  return slides;
}

/** Texts of the pages of notes, by the slides that they belong to. **Source** MS-PPT, 2.5.7 (NotesAtom). */
function notesBySlide(
  pages: readonly ListedSlide[],
  part: (id: number) => PptRecord | undefined,
): Map<number, readonly SlideText[]> {
  const found = new Map<number, readonly SlideText[]>();
  for (const { id } of pages) {
    const page = part(id);
    const atom = page && findRecord(page.body, recordType.notesAtom)?.body;
    const drawing = page && findRecord(page.body, recordType.drawing);
    if (atom === undefined || atom.length < 4 || drawing === undefined) continue;
    const texts = readDrawing(drawing.body, []).filter((piece): piece is SlideText => piece.kind === "notes");
    found.set(viewOf(atom).getUint32(0, true), texts);
  }
  return found;
}

function isTitle(piece: SlidePiece): piece is SlideText {
  return piece.kind === "title";
}

/** **Source** MS-PPT, 2.6.6 (SlideShowSlideInfoAtom): the third flag. */
function isHidden({ body }: PptRecord): boolean {
  const info = findRecord(body, recordType.slideShowInfo)?.body;
  return info !== undefined && info.length >= 12 && ((info[10] ?? 0) & 4) !== 0;
}

/** **Source** MS-PPT, 2.5.25 (the tags of a slide that hold its comments), 2.5.32 (Comment10Container). */
function countComments({ body }: PptRecord, depth = 0): number {
  let count = 0;
  for (const record of recordsIn(body)) {
    if (record.type === recordType.comment) count++;
    else if (depth < tagDepth && (record.isContainer || record.type === recordType.tagBlob))
      count += countComments(record, depth + 1);
  }
  return count;
}

function writeSlide(
  document: Composition,
  title: string,
  pieces: readonly SlidePiece[],
  speakerNotes: readonly SlideText[],
): void {
  const notes = speakerNotes.flatMap(({ text }) => paragraphsOf(text));
  if (pieces.length === 0 && notes.length === 0) return;
  document.heading(title, 1);
  const heading = pieces.find(isTitle);
  for (const piece of pieces) {
    if (piece === heading) continue;
    if (piece.kind === "table") document.write(piece.table.text, { kind: "table", bodyStart: piece.table.bodyStart });
    else for (const paragraph of paragraphsOf(piece.text)) document.write(paragraph);
  }
  if (notes.length > 0) document.heading("Notes", 2);
  for (const note of notes) document.write(note);
}

function paragraphsOf(text: string): string[] {
  return text
    .split("\r")
    .map((paragraph) => cleanText(showText(paragraph)).trim())
    .filter((paragraph) => paragraph !== "");
}
