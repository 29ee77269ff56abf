import { decodePath, resolvePath } from "./open-archive.ts";
import { readFact } from "./package-facts.ts";
import { elementsOf, findAll, findChild, type XmlElement } from "./read-xml.ts";

/** Entry of a chapter in a book's table of contents. */
export interface ContentsEntry {
  readonly title: string;
  /** 1 for the outermost entries. */
  readonly level: number;
}

/**
 * The table of contents of a book, by the path of the file that an entry leads to; the first entry for a file counts.
 *
 * **Source** EPUB 3.3, 7 (navigation documents); OPF 2.0.1, 2.4.1 (NCX).
 */
export function readContents(root: XmlElement, path: string): ReadonlyMap<string, ContentsEntry> {
  const contents = new Map<string, ContentsEntry>();
  const add = (address: string | undefined, title: string, level: number): void => {
    const target = resolvePath(path, decodePath(address ?? ""));
    if (address !== undefined && title !== "" && !contents.has(target)) contents.set(target, { title, level });
  };
  const walkList = (list: XmlElement | undefined, level: number): void => {
    for (const item of elementsOf(list)) {
      if (item.name !== "li") continue;
      const link = findChild(item, "a");
      if (link !== undefined) add(link.attributes.get("href"), readFact(link), level);
      walkList(findChild(item, "ol"), level + 1);
    }
  };
  const walkPoints = (parent: XmlElement | undefined, level: number): void => {
    for (const point of elementsOf(parent)) {
      if (point.name !== "navPoint") continue;
      add(findChild(point, "content")?.attributes.get("src"), readFact(findChild(point, "navLabel", "text")), level);
      walkPoints(point, level + 1);
    }
  };
  const lists = findAll(root, "nav");
  walkList(findChild(lists.find(({ attributes }) => attributes.get("type") === "toc") ?? lists[0], "ol"), 1);
  walkPoints(findChild(root, "navMap"), 1);
  return contents;
}
