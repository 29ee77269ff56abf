import type { Block, PartSpan, Section, SourceMap } from "../contracts/document.ts";
import type { ReadResult } from "../contracts/reader.ts";
import { buildSections, type Heading } from "./build-sections.ts";

/**
 * A document in the making: its parts so far, and at the end the whole.
 *
 * @experimental
 */
export interface Composition {
  /** Length of the text so far, with the blank line that the next piece would begin after. */
  readonly position: number;
  /**
   * A piece of text of its own, set apart by a blank line.
   *
   * **Shape** white space around it is left off; blank text writes nothing. `bodyStart` counts from where the text begins, which is then no white space.
   */
  write(text: string, block?: Omit<Block, "start" | "end" | "rowStarts">): void;
  /** A heading that a section begins with. A blank one writes nothing. **Units** `level` 1 to 6; deeper ones count as 6. */
  heading(title: string, level: number): void;
  /** From here on the text is this slide's. */
  startSlide(number: number): void;
  /** Includes another reader's result as the document's own text, such as the body of a message. It is an open {@link part} without its own place. */
  include(result: Pick<ReadResult, "text" | "root" | "blocks">, level: number): void;
  /**
   * Adds an embedded file, as its reader read it, with a place of its own. Its headings stand below `level`; its blocks stay as they are.
   *
   * **Shape** its text is written whole, so that its map holds. Its sections end with it; `"open"` leaves the last of them to continue with the following text, as
   * under a heading in a cell of a notebook.
   */
  part(
    name: string,
    result: Pick<ReadResult, "text" | "root" | "blocks" | "sourceMap">,
    level: number,
    ending?: "closed" | "open",
  ): void;
  /** **Shape** `lines` of what was written here is `"none"`: the file's own lines are markup. */
  finish(title: string): Pick<ReadResult, "text" | "root" | "sourceMap"> & { readonly blocks: readonly Block[] };
}

const separator = "\n\n";

/**
 * Puts a document together from pieces in reading order: texts, headings, slides, and what other readers made of the parts inside it.
 *
 * **Cost** linear in the text. **Source** Embabel's hierarchical document.
 *
 * @experimental
 */
export function composeDocument(): Composition {
  const pieces: string[] = [];
  let length = 0;
  const headings: Heading[] = [];
  const blocks: Block[] = [];
  const slides: { number: number; start: number }[] = [];
  const parts: PartSpan[] = [];

  /** Appends, and says where it begins. */
  const append = (text: string): number => {
    const start = nextStart();
    if (start > length) pieces.push(separator);
    pieces.push(text);
    length = start + text.length;
    return start;
  };
  const nextStart = (): number => (length === 0 ? 0 : length + separator.length);

  const include = (
    { text, root, blocks: inner }: Pick<ReadResult, "text" | "root" | "blocks">,
    level: number,
    isOpen: boolean,
  ): void => {
    const start = append(text);
    for (const section of headingsOf(root)) {
      headings.push(moveHeading(section, start, level, isOpen && section.end === root.end));
    }
    for (const block of inner ?? [{ kind: "paragraph", start: 0, end: text.length } as const]) {
      blocks.push(moveBlock(block, start));
    }
  };

  return {
    get position() {
      return nextStart();
    },
    write(text, block = { kind: "paragraph" }) {
      const trimmed = block.kind === "code" ? text.replace(/^(?:[ \t]*\n)+|\s+$/gu, "") : text.trim();
      if (trimmed === "") return;
      const start = append(trimmed);
      const { bodyStart } = block;
      blocks.push({
        ...block,
        start,
        end: length,
        ...(bodyStart === undefined ? {} : { bodyStart: start + bodyStart }),
      });
    },
    heading(title, level) {
      const line = title.replace(/\s+/gu, " ").trim();
      if (line === "") return;
      const start = append(line);
      headings.push({ title: line, level: clampLevel(level), start, contentStart: length });
      blocks.push({ kind: "heading", start, end: length });
    },
    startSlide(number) {
      slides.push({ number, start: nextStart() });
    },
    include(result, level) {
      if (result.text !== "") include(result, level, true);
    },
    part(name, result, level, ending = "closed") {
      if (result.text === "") return;
      const start = nextStart();
      include(result, level, ending === "open");
      parts.push({ name, start, end: length, sourceMap: result.sourceMap });
    },
    finish(title) {
      const text = pieces.join("");
      const sourceMap: SourceMap = {
        lines: "none",
        // A last slide without text begins where the text ends.
        ...(slides.length === 0
          ? {}
          : { slides: slides.map(({ number, start }) => ({ number, start: Math.min(start, text.length) })) }),
        ...(parts.length === 0 ? {} : { parts }),
      };
      return { text, root: buildSections(text, title, headings), sourceMap, blocks };
    },
  };
}

function clampLevel(level: number): number {
  return Math.min(6, Math.max(1, level));
}

/** Sections below a root, in reading order. */
function headingsOf({ children }: Section): Section[] {
  return children.flatMap((child) => [child, ...headingsOf(child)]);
}

/** Where its section ends is kept, but for one that is open. */
function moveHeading(
  { title, level, start, contentStart, end }: Section,
  by: number,
  below: number,
  isOpen: boolean,
): Heading {
  return {
    title,
    level: clampLevel(below + level),
    start: start + by,
    contentStart: contentStart + by,
    ...(isOpen ? {} : { end: end + by }),
  };
}

function moveBlock(block: Block, by: number): Block {
  return {
    ...block,
    start: block.start + by,
    end: block.end + by,
    ...(block.bodyStart === undefined ? {} : { bodyStart: block.bodyStart + by }),
    ...(block.rowStarts === undefined ? {} : { rowStarts: block.rowStarts.map((start) => start + by) }),
  };
}
