import { IbidError } from "../../contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";

import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { oneLine } from "../office/clean-text.ts";
import type { XmlElement } from "../office/read-xml.ts";

/**
 * Reads drawings in SVG: their title, descriptions and texts, in the order of the file.
 *
 * **Shape** a paragraph for each. **Errors** `unsupported-media` for a drawing without a word, such as an icon; `unreadable`. **Cost** linear. **Source** W3C SVG 2, 5.7 and 11.
 */
export function createSvgReader(): Reader {
  return { name: "svg/1", accepts: (mediaType) => mediaType === "image/svg+xml", read: readSvg };
}

const worded: ReadonlySet<string> = new Set(["title", "desc", "text"]);

async function readSvg({ uri, bytes }: ReadInput): Promise<ReadResult> {
  const { readXml } = await import("../office/read-xml.ts");
  const root = readXml(bytes, uri, fileNameOf(uri));
  const document = composeDocument();
  let title = "";
  const visit = (element: XmlElement): void => {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (!worded.has(child.name)) {
        visit(child);
        continue;
      }
      const text = oneLine(wordsOf(child));
      if (child.name === "title" && element === root && title === "") title = text;
      document.write(text);
    }
  };
  visit(root);
  const named = title || fileNameOf(uri);
  const draft = document.finish(named);
  if (draft.text === "") {
    throw new IbidError("unsupported-media", `${uri} is a drawing without a word.`, {
      hint: "Leave it out, or describe it in a text file.",
      uri,
    });
  }
  return { ...draft, title: named, metadata: {} };
}

/** Lines of a text stand in elements of their own, without white space between them. */
function wordsOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : ` ${wordsOf(child)}`)).join("");
}
