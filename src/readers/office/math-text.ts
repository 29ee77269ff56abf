import { type XmlElement, elementsOf, findChild, isOn, textOf, valueOf } from "./read-xml.ts";

/**
 * A formula of Office on one line, as a person would type it: `x=(-b±√(b^2-4ac))/(2a)`.
 *
 * **Shape** a group is in brackets when it is longer than one sign or number; parts of matrices are separated by `&` and `;`.
 * **Source** ISO/IEC 29500-1, 22.1 (Office Math); Sargent, "UnicodeMath" (Unicode Technical Note 28), for the linear form.
 */
export function readMath(element: XmlElement): string {
  const part = (name: string): string => readParts(findChild(element, name));
  switch (element.name) {
    case "r":
      return isOn(findChild(element, "rPr"), "vanish") ? "" : textOf(findChild(element, "t"));
    case "f":
      return valueOf(findChild(element, "fPr"), "type") === "noBar"
        ? `(${part("num")}¦${part("den")})`
        : `${group(part("num"))}/${group(part("den"))}`;
    case "sSup":
      return `${group(part("e"))}^${group(part("sup"))}`;
    case "sSub":
      return `${group(part("e"))}_${group(part("sub"))}`;
    case "sSubSup":
      return `${group(part("e"))}_${group(part("sub"))}^${group(part("sup"))}`;
    case "sPre":
      return `_${group(part("sub"))}^${group(part("sup"))}${part("e")}`;
    case "rad": {
      const degree = isOn(findChild(element, "radPr"), "degHide") ? "" : part("deg");
      return degree === "" ? `√${bracket(part("e"))}` : `√(${degree}&${part("e")})`;
    }
    case "nary": {
      const sign = valueOf(findChild(element, "naryPr"), "chr") ?? "∫";
      return `${sign}${script("_", part("sub"))}${script("^", part("sup"))} ${part("e")}`;
    }
    case "d":
      return readDelimited(element);
    case "func":
      return `${part("fName")} ${part("e")}`;
    case "limLow":
      return `${part("e")}_${group(part("lim"))}`;
    case "limUpp":
      return `${part("e")}^${group(part("lim"))}`;
    case "acc":
    case "groupChr":
      return part("e") + (valueOf(findChild(element, `${element.name}Pr`), "chr") ?? "");
    case "bar":
      return `${group(part("e"))}\u0305`;
    case "eqArr":
      return rowsOf(element, "e").map(readParts).join("; ");
    case "m":
      return rowsOf(element, "mr")
        .map((row) => rowsOf(row, "e").map(readParts).join(" & "))
        .join("; ");
    case "phant":
      return isOn(findChild(element, "phantPr"), "show") || valueOf(findChild(element, "phantPr"), "show") === undefined
        ? part("e")
        : "";
    case "del":
    case "moveFrom":
      return "";
    case "oMathPara":
      return rowsOf(element, "oMath").map(readParts).join("\n");
    default:
      return element.name.endsWith("Pr") ? "" : readParts(element);
  }
}

/** One after the other; a space ends what would else go on: `a/2 x`, `x^2 y`. */
function readParts(element: XmlElement | undefined): string {
  let text = "";
  let isOpen = false;
  for (const child of elementsOf(element)) {
    const next = readMath(child);
    const goesOn = isOpen || (child.name === "f" && /[\p{L}\p{N}]$/u.test(text));
    text += goesOn && /^[\p{L}\p{N}(√]/u.test(next) ? ` ${next}` : next;
    if (next !== "") isOpen = /^(?:f|sSup|sSub|sSubSup)$/.test(child.name);
  }
  return text;
}

function rowsOf(element: XmlElement, name: string): XmlElement[] {
  return elementsOf(element).filter((child) => child.name === name);
}

function readDelimited(element: XmlElement): string {
  const properties = findChild(element, "dPr");
  const sign = (name: string, otherwise: string): string => valueOf(properties, name) ?? otherwise;
  const parts = rowsOf(element, "e").map(readParts);
  return `${sign("begChr", "(")}${parts.join(sign("sepChr", "|"))}${sign("endChr", ")")}`;
}

function script(mark: string, text: string): string {
  return text === "" ? "" : `${mark}${group(text)}`;
}

function bracket(text: string): string {
  return /^\([^()]*\)$/.test(text) ? text : `(${text})`;
}

/** In brackets, unless it is one sign, one number or in brackets already. */
function group(text: string): string {
  return /^(?:.|[\d.,]+|\p{L}\p{M}*)$/su.test(text) ? text : bracket(text);
}
