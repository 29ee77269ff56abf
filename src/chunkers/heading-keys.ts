import type { Section, TextDocument } from "../contracts/document.ts";
import { skipWhiteSpace } from "./white-space.ts";

/** `header` and `header1` to `header6`, by name. */
export type HeadingKeys = Readonly<Record<string, string>>;

/**
 * Finds the headings above a stretch of a document, as Ballerina's metadata keys: `headerN` the heading of level N, `header` the innermost.
 *
 * **Shape** a heading belongs to its own section. Where a stretch holds parts of several sections, only the keys that are equal in all of them are left.
 * **Cost** O(log sections) plus the sections in the stretch. **Source** Ballerina `HtmlChunker`.
 */
export function createHeadingKeys({ root, text }: TextDocument): (start: number, end: number) => HeadingKeys {
  return (start, end) => {
    let common: HeadingKeys | undefined;
    const meet = (keys: HeadingKeys): void => {
      const left = Object.entries(common ?? keys).filter(([name, title]) => keys[name] === title);
      common = Object.fromEntries(left);
    };
    const visit = (section: Section, above: HeadingKeys): void => {
      const { level, title, children } = section;
      const keys = level === 0 || title === "" ? above : { ...above, header: title, [`header${level}`]: title };
      let at = Math.max(start, section.start);
      const sectionEnd = level === 0 ? end : Math.min(end, section.end);
      for (let index = firstEndingAfter(children, at); at < sectionEnd; index += 1) {
        const child = children[index];
        const next = Math.min(sectionEnd, child?.start ?? sectionEnd);
        if (skipWhiteSpace(text, at, next) < next) meet(keys);
        if (child === undefined || child.start >= sectionEnd) break;
        visit(child, keys);
        at = Math.max(at, child.end);
      }
    };
    visit(root, {});
    return common ?? {};
  };
}

function firstEndingAfter(sections: readonly Section[], position: number): number {
  let low = 0;
  let high = sections.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sections[middle]!.end > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The level of the section that begins at each position where one does. */
export function findHeadingLevels(root: Section): ReadonlyMap<number, number> {
  const levels = new Map<number, number>();
  const visit = (section: Section): void => {
    if (section.level > 0 && !levels.has(section.start)) levels.set(section.start, section.level);
    for (const child of section.children) visit(child);
  };
  visit(root);
  return levels;
}
