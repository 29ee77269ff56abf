import { Parser } from "htmlparser2";

import { unreadable } from "./refusals.ts";

/** An element with everything in it. Names are local: `w:p` in Word's files is `p`, whatever prefix a writer chose. */
export interface XmlElement {
  readonly name: string;
  /** By local name; `r:id` and its like, which relationships are found by, keep the prefix `r:`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (XmlElement | string)[];
}

/** Elements at this depth (the root has depth 0) are handed out when they are complete, and not kept. */
export interface XmlVisit {
  readonly depth: number;
  /** Only those within an element of this name are handed out. Default: all. */
  readonly parent?: string;
  /** `root` is what there is so far of the root element. */
  visit(element: XmlElement, root: XmlElement): void;
  /** Called with the number of elements so far in the one to be returned; it may throw to refuse more. */
  grow?(elements: number): void;
}

type OpenElement = { name: string; attributes: ReadonlyMap<string, string>; children: (XmlElement | string)[] };

/** Tables within tables take three levels each; nobody writes a hundred of them. */
const maxDepth = 400;
const noAttributes: ReadonlyMap<string, string> = new Map();
const piece = 1 << 16;

/**
 * XML as a tree, or as a row of small trees when the whole would be large.
 *
 * Local names do for namespaces, which differ between ISO's strict and the usual office files for elements of the same meaning.
 * A document type is passed over and the entities it declares stay unexpanded, so that nothing grows.
 *
 * **Shape** the root element, without what was handed to `visit`.
 * **Errors** `unreadable`, naming `part`, for XML that is cut off or badly nested, or nested more than 400 levels deep.
 * **Cost** linear; memory for what is kept and one element that is handed out.
 * **Source** W3C XML 1.0 and Namespaces in XML 1.0; ISO/IEC 29500-1 and -4 for the two sets of namespaces.
 */
export function readXml(bytes: Uint8Array, uri: string, part: string, visitor?: XmlVisit): XmlElement {
  const open: OpenElement[] = [];
  const relationshipPrefixes = new Set<string>(["r"]);
  let root: OpenElement | undefined;
  let openedAt = -1;
  let held = 0;
  const broken = (what: string): Error => unreadable(uri, `has a part that is no well-formed XML, ${part}: ${what}`);

  const isVisited = (parent: XmlElement): boolean =>
    open.length === visitor?.depth && (visitor.parent === undefined || visitor.parent === parent.name);

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length >= maxDepth) throw broken(`it is nested more than ${maxDepth} levels deep`);
        if (open.length === 0 && root !== undefined) throw broken("it has two roots");
        openedAt = parser.endIndex;
        held = open.length === visitor?.depth ? 0 : held + 1;
        if (visitor !== undefined && open.length > visitor.depth) visitor.grow?.(held);
        const element = {
          name: localName(name),
          attributes: readAttributes(attributes, relationshipPrefixes),
          children: [],
        };
        const parent = open[open.length - 1];
        if (parent === undefined) root = element;
        else if (!isVisited(parent)) parent.children.push(element);
        open.push(element);
      },
      ontext(text) {
        const children = open[open.length - 1]?.children;
        if (children === undefined) return;
        const last = children.length - 1;
        const before = children[last];
        if (typeof before === "string") children[last] = before + text;
        else children.push(text);
      },
      onclosetag(name, isImplied) {
        // The parser calls the end of `<a/>` implied as well; that one stands where the tag was opened.
        if (isImplied && parser.endIndex !== openedAt) throw broken(`${name} is not closed`);
        openedAt = -1;
        const element = open.pop();
        const parent = open[open.length - 1];
        if (element !== undefined && root !== undefined && parent !== undefined && isVisited(parent))
          visitor?.visit(element, root);
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += piece)
    parser.write(decoder.decode(bytes.subarray(at, at + piece), { stream: true }));
  parser.end(decoder.decode());
  if (root === undefined) throw broken("it has no element");
  return root;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function readAttributes(
  attributes: Readonly<Record<string, string>>,
  relationshipPrefixes: Set<string>,
): ReadonlyMap<string, string> {
  const names = Object.keys(attributes);
  if (names.length === 0) return noAttributes;
  for (const name of names) {
    if (name.startsWith("xmlns:") && attributes[name]?.endsWith("/relationships") === true)
      relationshipPrefixes.add(name.slice(6));
  }
  const read = new Map<string, string>();
  for (const name of names) {
    const colon = name.indexOf(":");
    const prefix = name.slice(0, Math.max(colon, 0));
    if (prefix === "xmlns" || name === "xmlns") continue;
    const local = name.slice(colon + 1);
    const key = relationshipPrefixes.has(prefix) ? `r:${local}` : local;
    if (prefix === "" || !read.has(key)) read.set(key, attributes[name] ?? "");
  }
  return read;
}

/** By byte order mark, by the zero bytes of UTF-16 without one, by what the declaration says; else UTF-8. **Source** XML 1.0, appendix F. */
function encodingOf(bytes: Uint8Array): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0)) return "utf-16le";
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[1] === 0x3c)) return "utf-16be";
  const head = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? "utf-8";
  try {
    // A declaration in one-byte letters cannot stand in UTF-16.
    return /^utf-?16/i.test(declared) ? "utf-8" : new TextDecoder(declared).encoding;
  } catch {
    return "utf-8";
  }
}

/** Elements among the children, without the text between them. */
export function elementsOf(element: XmlElement | undefined): XmlElement[] {
  return (element?.children ?? []).filter((child) => typeof child !== "string");
}

/** The child of this name, or the one found by going down through all the names. */
export function findChild(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  let found = element;
  for (const name of names) {
    found = found?.children.find((child): child is XmlElement => typeof child !== "string" && child.name === name);
  }
  return found;
}

/** All elements of one of these names below `element`, in order; what is inside a find is not searched. */
export function findAll(element: XmlElement | undefined, ...names: readonly string[]): XmlElement[] {
  return elementsOf(element).flatMap((child) => (names.includes(child.name) ? [child] : findAll(child, ...names)));
}

/** An attribute of a child, such as the `val` that office files keep most of what they say in. */
export function valueOf(element: XmlElement | undefined, child: string, attribute = "val"): string | undefined {
  return findChild(element, child)?.attributes.get(attribute);
}

/** Whether a property is there and not switched off. **Source** ISO/IEC 29500-1, 17.17.4. */
export function isOn(element: XmlElement | undefined, property: string): boolean {
  const found = findChild(element, property);
  return found !== undefined && !/^(?:0|false|off)$/.test(found.attributes.get("val") ?? "1");
}

/** All text below an element. */
export function textOf(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

/**
 * Chooses among alternatives: the first one, and the fallback only where there is none or it gave nothing.
 *
 * **Source** ISO/IEC 29500-3, markup compatibility.
 */
export function alternativesOf(element: XmlElement): XmlElement[] {
  const choices = elementsOf(element).filter(({ name }) => name === "Choice");
  return [...choices, ...elementsOf(element).filter(({ name }) => name === "Fallback")];
}
