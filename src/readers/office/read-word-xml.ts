import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { createSetHeadings } from "../set-headings.ts";

import { leftOutComments } from "./clean-text.ts";
import { readDocxNumbering } from "./docx-numbering.ts";
import { readDocxStyles } from "./docx-styles.ts";
import { createDocxWriter, type DocxWriter } from "./docx-writer.ts";
import { readFact, statedFacts } from "./package-facts.ts";
import { unreadable, withoutText } from "./refusals.ts";
import { elementsOf, findChild, readXml, type XmlElement } from "./read-xml.ts";

/**
 * Reads a document of Word in one XML file for {@link createDocxReader}. Its elements are those of Word's packages, but for notes, which
 * stand in their runs, changes that are tracked, and labels of lists.
 *
 * **Errors** as there. **Cost** memory for one section and the text. **Source** Microsoft Office 2003 XML Reference Schemas, WordprocessingML.
 */
export function readWordXml(input: ReadInput): ReadResult {
  const { uri, bytes } = input;
  const { maxTextLength } = limitsOf(input);
  const document = composeDocument();
  const setHeadings = createSetHeadings();
  const notes = new Map<string, XmlElement>();
  const found = { comments: 0 };
  let writer: DocxWriter | undefined;
  const root = readXml(bytes, uri, "the file itself", {
    depth: 2,
    parent: "body",
    visit(element, before) {
      // Styles stand before the body.
      writer ??= createDocxWriter(
        document,
        {
          styles: readDocxStyles(findChild(before, "styles")),
          numbering: readDocxNumbering(undefined),
          notes,
          graphics: new Map(),
          imports: new Map(),
        },
        setHeadings,
      );
      for (const each of adapt(element, notes, found)) writer.write(each);
      if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
    },
  });
  if (root.name !== "wordDocument") throw unreadable(uri, "holds no Word document");
  writer?.finish();
  const facts = findChild(root, "DocumentProperties");
  const named = (writer?.title ?? "") || readFact(findChild(facts, "Title"));
  const draft = setHeadings.applyTo(document.finish(named));
  if (draft.text === "") throw withoutText(uri);
  const title = named || draft.root.children.find(({ level }) => level === 1)?.title || fileNameOf(uri);
  return {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata: statedFacts({
      author: readFact(findChild(facts, "Author")),
      language: undefined,
      createdAt: findChild(facts, "Created"),
      modifiedAt: findChild(facts, "LastSaved"),
    }),
    ...(found.comments > 0 && { notes: leftOutComments(found.comments) }),
  };
}

/** An element as Word's packages have it. Notes go to `notes`; deletions and comments are left out. */
function adapt(element: XmlElement, notes: Map<string, XmlElement>, found: { comments: number }): XmlElement[] {
  const inside = (): (XmlElement | string)[] =>
    element.children.flatMap((child): (XmlElement | string)[] =>
      typeof child === "string" ? [child] : adapt(child, notes, found),
    );
  const { name, attributes } = element;
  if (name === "annotation") {
    const type = attributes.get("type") ?? "";
    if (type === "Word.Comment") found.comments++;
    if (type !== "Word.Insertion" && type !== "Word.Formatting") return [];
    return elementsOf({ ...element, children: inside() });
  }
  if (name === "content" || name === "sect" || name === "sub-section")
    return elementsOf({ ...element, children: inside() });
  if ((name === "footnote" || name === "endnote") && findChild(element, "p") !== undefined) {
    const id = String(notes.size + 1);
    notes.set(`${name} ${id}`, { ...element, children: inside() });
    return [{ name: `${name}Reference`, attributes: new Map([["id", id]]), children: [] }];
  }
  const renamed = name === "vmerge" ? "vMerge" : name === "hmerge" ? "hMerge" : name;
  return [{ name: renamed, attributes, children: inside() }];
}
