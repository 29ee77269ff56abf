import type { Place, Section, TextDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";

/** What of a document is needed to say where something is. */
export type LocatableDocument = Pick<TextDocument, "text" | "root" | "sourceMap">;

/** Says where `[start, end)` is; `end` defaults to `start`. */
export type Locator = (start: number, end?: number) => Place;

/**
 * Where a stretch of a document is, in the terms a person uses: page and line where it starts, and the headings of the innermost section that
 * holds all of it.
 *
 * **Shape** a place before the first page or anchor has no page or line. At the boundary of two sections an empty stretch is in the later.
 * **Units** UTF-16 code units. **Errors** `invalid-argument` for a stretch outside the text. **Cost** linear; for many, use {@link createLocator}.
 */
export function locate(document: LocatableDocument, start: number, end?: number): Place {
  return createLocator(document)(start, end);
}

/** {@link locate} for many places in one document. **Cost** linear once, then logarithmic in lines, pages and siblings. */
export function createLocator(document: LocatableDocument): Locator {
  const { text, root, sourceMap } = document;
  const { pages, anchors } = sourceMap;
  let lineStarts: readonly number[] | undefined;

  const lineAt = (position: number): number | undefined => {
    if (sourceMap.lines === "none") return undefined;
    if (sourceMap.lines === "anchors")
      return anchors?.[lastAtOrBefore(anchors.length, (i) => anchors[i]!.start, position)]?.line;
    const starts = (lineStarts ??= findLineStarts(text));
    return lastAtOrBefore(starts.length, (i) => starts[i]!, position) + 1;
  };

  return (start, end = start) => {
    if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= text.length)) {
      throw new IbidError(
        "invalid-argument",
        `There is no place ${start} to ${end} in a text of ${text.length} characters.`,
        {
          mend: "Give whole numbers with 0 <= start <= end <= text.length.",
          details: { start, end, length: text.length },
        },
      );
    }
    const headings: string[] = [];
    let section: Section = root;
    for (;;) {
      const { children } = section;
      const child = children[lastAtOrBefore(children.length, (i) => children[i]!.start, start)];
      if (child === undefined || end > child.end || start > child.end) break;
      headings.push(child.title);
      section = child;
    }
    const page = pages?.[lastAtOrBefore(pages.length, (i) => pages[i]!.start, start)]?.number;
    const line = lineAt(start);
    return {
      ...(page === undefined ? {} : { page }),
      ...(line === undefined ? {} : { line }),
      headings,
      sectionId: section.id,
    };
  };
}

/** The index of the last of `length` ascending starts that is not beyond `position`, or -1. */
function lastAtOrBefore(length: number, startOf: (index: number) => number, position: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (startOf(middle) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
