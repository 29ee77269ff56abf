import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Section, TextDocument } from "../contracts/document.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { characters } from "../text/length.ts";
import { checkSizes, checkTextDocument } from "./check-sizes.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { type DocumentUnits, findUnits } from "./document-units.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { createSectionPlan, type SectionPlanSettings } from "./section-plan.ts";
import { type Piece, splitRange } from "./split-range.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

export interface SectionChunkerOptions {
  /** Hard limit of a chunk's `text`, overlap and repeated table header included. Default 1500. **Units** as `length` counts. */
  readonly maxSize?: number | undefined;
  /** Largest overlap of the pieces of an oversized section. Default 200. **Units** as `length` counts. */
  readonly overlap?: number | undefined;
  /** Default `characters`; a tokenizer goes here, as a named function. */
  readonly length?: LengthFunction | undefined;
  /** Whether prose is cut, and overlap begun, at sentences where possible. Default true. */
  readonly respectSentences?: boolean | undefined;
  /** Whether a document without text has one chunk, which is empty, so that it counts and can be found by its title. Default false. */
  readonly emptyChunk?: boolean | undefined;
}

/** A chunker that can cut one section of a document by itself too. */
export interface SectionChunker extends Chunker {
  /** **Shape** `index` counts from 0 within the section; ids equal those of `chunk` unless a text of the section occurs before it as well. */
  chunkSection(document: TextDocument, section: Section): Iterable<Chunk>;
}

/** Change it when the same document would be cut otherwise, for more than rows beyond the size: every document is read again then. */
const version = 2;

/**
 * Cuts a document along its sections, lazily.
 *
 * **Shape** `index` runs over the document; a blank document has no chunks without `emptyChunk`. `openKnowledgeBase({ reading: { empty: "keep" } })` lets blank documents in. A chunk's `text` never exceeds `maxSize`, but for a
 * single table row with its header, or a single code point.
 *
 * 1. A section that fits is one chunk, its subsections included.
 * 2. Otherwise neighbouring sections without subsections are grouped as long as they fit, the section's own text before them included.
 * 3. A section beyond the size is cut between blocks, paragraphs, lines of code (at the smallest indent), sentences, words, at last characters, with overlap.
 * 4. A table beyond the size is cut between rows, with its header repeated in each chunk's `text`.
 * 5. Headings and front matter stay with the text after them.
 *
 * **Errors** `invalid-argument` at construction for impossible sizes and unknown options; `unsupported-input` for a document without text.
 * **Cost** linear in the text, whatever the length function.
 * **Source** Embabel `ContentChunker`.
 */
export function createSectionChunker(options: SectionChunkerOptions = {}): SectionChunker {
  checkOptions("createSectionChunker", options, {
    maxSize: true,
    overlap: true,
    length: true,
    respectSentences: true,
    emptyChunk: true,
  });
  const { maxSize = 1500, overlap = 200, length = characters, respectSentences = true, emptyChunk = false } = options;
  checkSizes("createSectionChunker", maxSize, overlap, length);
  const settings = { maxSize, overlap, respectSentences };

  function* chunkSection(document: TextDocument, section: Section): Generator<Chunk, undefined> {
    checkTextDocument(document);
    const makeChunk = createChunkFactory(document);
    const { text } = document;
    if (emptyChunk && text.trim() === "") {
      yield makeChunk(0, 0);
      return;
    }
    const walk = createWalk(text, findUnits(document), createMeasure(text, length), settings);
    for (const { start, end, header } of walk(section, section.start, section.end)) {
      yield header === "" ? makeChunk(start, end) : makeChunk(start, end, header + text.slice(start, end));
    }
  }

  return {
    fingerprint: JSON.stringify([
      "section",
      version,
      maxSize,
      overlap,
      lengthKey(length),
      respectSentences,
      ...(emptyChunk ? ["empty"] : []),
    ]),
    chunk: (document) => {
      checkTextDocument(document);
      return { [Symbol.iterator]: () => chunkSection(document, wholeOf(document)) };
    },
    chunkSection: (document, section) => ({ [Symbol.iterator]: () => chunkSection(document, section) }),
  };
}

/** The root, made to span the whole text whatever a reader says: nothing may be lost. */
function wholeOf({ root, text }: TextDocument): Section {
  return root.start === 0 && root.end === text.length ? root : { ...root, start: 0, contentStart: 0, end: text.length };
}

type Walk = (section: Section, from: number, to: number) => Generator<Piece, undefined>;

/** A part of a section that can be grouped with its neighbours: the section's own text, or one section below it. */
interface Part {
  readonly to: number;
  readonly section: Section | undefined;
  readonly isLeaf: boolean;
  /** Whether it is nothing but headings and front matter, which belong to what follows. */
  readonly isOpening: boolean;
}

function createWalk(text: string, units: DocumentUnits, measure: Measure, settings: SectionPlanSettings): Walk {
  const fits = (start: number, to: number, horizon: number): boolean =>
    measure.fits(start, trimEndAt(text, start, to), settings.maxSize, horizon);
  const whole = (start: number, to: number): Piece => ({
    start,
    end: trimEndAt(text, start, to),
    fresh: start,
    header: "",
  });
  const split = (start: number, to: number): Generator<Piece, undefined> =>
    splitRange(text, start, to, createSectionPlan(text, trimEndAt(text, start, to), units, measure, settings));

  function isOpening(from: number, to: number): boolean {
    for (let index = units.firstEndingAfter(from); index < units.units.length; index += 1) {
      const unit = units.units[index];
      if (unit === undefined || unit.start >= to) return true;
      if (unit.kind !== "heading" && unit.kind !== "front-matter") return false;
    }
    return true;
  }

  function* partsOf(section: Section, from: number, to: number): Generator<Part, undefined> {
    let begin = Math.min(to, Math.max(from, section.children[0]?.start ?? to));
    yield { to: begin, section: undefined, isLeaf: true, isOpening: isOpening(from, begin) };
    for (const [index, child] of section.children.entries()) {
      const end = Math.min(to, Math.max(begin, section.children[index + 1]?.start ?? to));
      const isLeaf = child.children.length === 0;
      yield { to: end, section: child, isLeaf, isOpening: isLeaf && isOpening(begin, end) };
      begin = end;
    }
  }

  /** `from` is the section's start, or an earlier one when headings without a text of their own come before it. */
  const walk: Walk = function* walkSection(section, from, upTo): Generator<Piece, undefined> {
    const to = trimEndAt(text, from, upTo);
    let start = skipWhiteSpace(text, from, to);
    if (start >= to) return;
    if (fits(start, to, to)) {
      yield whole(start, to);
      return;
    }
    if (section.children.length === 0) {
      yield* split(start, to);
      return;
    }

    // The next chunk begins at `start`; headings after `solid` wait for their text.
    let solid = start;
    const restartAt = (position: number): void => {
      start = skipWhiteSpace(text, position, to);
      solid = start;
    };
    for (const part of partsOf(section, start, to)) {
      const joins = part.isLeaf && fits(start, part.to, to);
      if (!joins && solid > start) {
        yield whole(start, solid);
        restartAt(solid);
      }
      if (joins || (part.isLeaf && fits(start, part.to, to))) {
        if (!part.isOpening) solid = part.to;
      } else if (!(part.isOpening && part.section === undefined)) {
        // Headings and front matter before the first section are taken along by it, however long they are.
        yield* part.section === undefined || part.isLeaf ? split(start, part.to) : walk(part.section, start, part.to);
        restartAt(part.to);
      }
    }
    if (start < to) yield* fits(start, to, to) ? [whole(start, to)] : split(start, to);
    return undefined;
  };
  return walk;
}
