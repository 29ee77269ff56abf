import type { SheetBuilder } from "../sheets/sheet-builder.ts";
import type { OfficePackage, Relationship } from "./open-package.ts";
import { elementsOf, findAll, findChild, textOf } from "./read-xml.ts";
import { readRange } from "./xlsx-cells.ts";
import { readRichText } from "./xlsx-strings.ts";

/** Names of those who wrote threaded comments, by id. **Source** MS-XLSX, 2.6.203 (CT_PersonList). */
export async function readPersons(
  office: OfficePackage,
  related: ReadonlyMap<string, Relationship>,
): Promise<ReadonlyMap<string, string>> {
  const persons = new Map<string, string>();
  for (const { type, target, isExternal } of related.values()) {
    if (type !== "person" || isExternal) continue;
    for (const { attributes } of findAll(await office.readPart(target), "person"))
      persons.set(attributes.get("id") ?? "", attributes.get("displayName") ?? "");
  }
  return persons;
}

/**
 * Adds the notes and the threaded comments of a sheet. Excel keeps a copy of each thread as a note, for older versions; the copy is passed by.
 *
 * **Source** ISO/IEC 29500-1, 18.7 (comments); MS-XLSX, 2.6.205 (CT_ThreadedComment).
 */
export async function readComments(
  office: OfficePackage,
  sheetPart: string,
  builder: SheetBuilder,
  persons: ReadonlyMap<string, string>,
): Promise<void> {
  const threaded = new Set<string>();
  const related = [...(await office.relationshipsOf(sheetPart)).values()].filter(({ isExternal }) => !isExternal);
  const partsOf = (wanted: string): string[] =>
    related.filter(({ type }) => type === wanted).map(({ target }) => target);
  const add = (reference: string, author: string, text: string): void => {
    const place = readRange(reference);
    if (place !== undefined) builder.addComment(place.firstRow, place.firstColumn, author, text);
  };
  for (const part of partsOf("threadedComment")) {
    for (const comment of elementsOf(await office.readPart(part))) {
      const reference = comment.attributes.get("ref") ?? "";
      threaded.add(reference);
      add(reference, persons.get(comment.attributes.get("personId") ?? "") ?? "", textOf(findChild(comment, "text")));
    }
  }
  for (const part of partsOf("comments")) {
    const root = await office.readPart(part);
    const authors = elementsOf(findChild(root, "authors")).map(textOf);
    for (const comment of elementsOf(findChild(root, "commentList"))) {
      const reference = comment.attributes.get("ref") ?? "";
      if (threaded.has(reference)) continue;
      add(
        reference,
        authors[Number(comment.attributes.get("authorId"))] ?? "",
        readRichText(findChild(comment, "text")),
      );
    }
  }
}
