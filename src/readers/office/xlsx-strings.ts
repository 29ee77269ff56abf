import type { ReadInput } from "../../contracts/reader.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { unescapeControls } from "./clean-text.ts";
import type { OfficePackage } from "./open-package.ts";
import { elementsOf, textOf, type XmlElement } from "./read-xml.ts";
import { unreadable } from "./refusals.ts";

/** More than the 32,767 characters of a cell take, with a font, a colour and a size each. */
const mostElements = 32_767 * 16;

/**
 * The texts that cells of all sheets refer to by number.
 *
 * **Errors** `too-large` for more of them than cells are allowed, `unreadable` for one of more pieces than Excel takes. **Source** ISO/IEC 29500-1, 18.4.9.
 */
export async function readSharedStrings(
  { uri, limits }: Pick<ReadInput, "uri" | "limits">,
  office: OfficePackage,
): Promise<readonly string[]> {
  const { maxCells } = limitsOf(limits === undefined ? {} : { limits });
  const part = await office.findRelated(office.mainPart, "sharedStrings");
  const strings: string[] = [];
  if (part === undefined) return strings;
  await office.visitPart(part, {
    depth: 1,
    grow(elements) {
      if (elements > mostElements) throw unreadable(uri, "has a text of more pieces than a cell has characters");
    },
    visit(element) {
      if (element.name !== "si") return;
      if (strings.length >= maxCells) throw overLimit(uri, "maxCells", maxCells);
      strings.push(readRichText(element));
    },
  });
  return strings;
}

/** The text of a cell that may have stretches of several fonts; how its characters are pronounced (`rPh`) is left out. */
export function readRichText(element: XmlElement | undefined): string {
  const texts = elementsOf(element).map((child) => {
    if (child.name === "t") return textOf(child);
    return child.name === "r"
      ? elementsOf(child)
          .filter(({ name }) => name === "t")
          .map(textOf)
          .join("")
      : "";
  });
  return unescapeControls(texts.join(""));
}
