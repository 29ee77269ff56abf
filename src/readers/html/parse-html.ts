import { Tokenizer } from "htmlparser2";

import { furnitureName, tellingClass } from "./html-classes.ts";
import { endsParagraph, headElements, isHeading, phrasing, readApart, skipped, voidElements } from "./html-elements.ts";
import type { Attributes, HtmlEvent, OpenEvent } from "./html-events.ts";

/** Elements nested deeper are not elements any more, only their text is: the depth at which Chromium flattens, too. */
const maxDepth = 512;

const keptAttributes = new Set(
  "alt alttext aria-haspopup aria-hidden class colspan content encoding hidden href id lang name open property role rowspan span start style type xml:lang".split(
    " ",
  ),
);

/** For attributes that nearly every element has, only deciding values are kept. */
const tellingValues: ReadonlyMap<string, RegExp> = new Map([
  ["class", tellingClass],
  ["style", /display\s*:\s*none|visibility\s*:\s*hidden/i],
  ["id", furnitureName],
  // A script or inline data leads to no page.
  ["href", /^(?!\s*(?:javascript|data|blob):)/i],
]);

const noAttributes: Attributes = new Map();

/** Elements that an opening tag closes when one of `closes` is open before one of `within`. */
interface ImpliedEnd {
  readonly closes: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

const scope = ["table", "td", "th", "caption", "button", "object", "template", "html"];
const rule = (closes: string, within: readonly string[]): ImpliedEnd => ({
  closes: new Set(closes.split(" ")),
  within: new Set(within),
});
const paragraphEnd = rule("p", scope);
const cellEnd = rule("td th caption", ["table"]);
const rowEnd = rule("tr caption", ["table"]);
const impliedEnds: ReadonlyMap<string, ImpliedEnd> = new Map([
  ["li", rule("li", [...scope, "ul", "ol", "menu", "dir"])],
  ["dt", rule("dt dd", [...scope, "dl"])],
  ["dd", rule("dt dd", [...scope, "dl"])],
  ["td", cellEnd],
  ["th", cellEnd],
  ["tr", rowEnd],
  ["thead", rule("thead tbody tfoot tr caption", ["table"])],
  ["tbody", rule("thead tbody tfoot tr caption", ["table"])],
  ["tfoot", rule("thead tbody tfoot tr caption", ["table"])],
  ["rt", rule("rt rp", [...scope, "ruby"])],
  ["rp", rule("rt rp", [...scope, "ruby"])],
  ["option", rule("option", ["select", "datalist"])],
]);
/** End tags that look past cells; all others stay within the cell they are in. */
const tableParts = new Set(["table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "html", "body"]);

interface OpenElement {
  readonly tag: string;
  /** UTF-16 offset in the source. */
  readonly at: number;
  /** Absent when the element leaves no events. */
  readonly event: OpenEvent | undefined;
}

/**
 * Parses a page into a flat list of events, with missing end tags of the HTML standard where they change the text.
 *
 * Tokens (tags, attributes, entities, raw text) are htmlparser2's. Its parser is not used, because it searches its
 * whole stack of open elements for each tag. A page may nest as deep as it is long.
 *
 * **Shape** every open event has a close event behind it; at most 512 are open at once. `onUnclosed` is called for each heading without an end tag of its own.
 * **Cost** linear in the length of the source; elements without effect on the text leave no event.
 */
export function parseHtml(source: string, xhtml: boolean, onUnclosed?: (tag: string, at: number) => void): HtmlEvent[] {
  const events: HtmlEvent[] = [];
  const stack: OpenElement[] = [];
  const openCounts = new Map<string, number>();
  let tag = "";
  let tagAt = 0;
  let attributes: Map<string, string> | undefined;
  let attribute = "";
  let value = "";

  const isOpen = (name: string): boolean => (openCounts.get(name) ?? 0) > 0;
  const isForeign = (): boolean => isOpen("svg") || isOpen("math");

  const push = (name: string, known: Attributes, at: number): void => {
    let event: OpenEvent | undefined;
    if (!phrasing.has(name) || readApart.has(name) || known.size > 0) {
      event = { type: "open", tag: name, attributes: known, at, close: -1, dropped: false, holdsBlocks: false };
      events.push(event);
    }
    stack.push({ tag: name, at, event });
    openCounts.set(name, (openCounts.get(name) ?? 0) + 1);
  };
  const pop = (ended?: string): void => {
    const element = stack.pop();
    if (element === undefined) return;
    if (element.tag !== ended && isHeading(element.tag)) onUnclosed?.(element.tag, element.at);
    openCounts.set(element.tag, (openCounts.get(element.tag) ?? 1) - 1);
    if (element.event === undefined) return;
    element.event.close = events.length;
    events.push({ type: "close", tag: element.tag });
  };
  /** Ends what is open among `closes`, up to the innermost of `within`, and everything in it. */
  const endWithin = ({ closes, within }: ImpliedEnd): void => {
    let outermost = -1;
    for (let index = stack.length - 1; index >= 0; index--) {
      const open = stack[index]?.tag ?? "";
      if (within.has(open)) break;
      if (closes.has(open)) outermost = index;
    }
    if (outermost === -1) return;
    for (let count = stack.length - outermost; count > 0; count--) pop();
  };
  const openElement = (selfClosing: boolean): void => {
    const known = attributes ?? noAttributes;
    attributes = undefined;
    if (isOpen("head") && !headElements.has(tag) && tag !== "head" && tag !== "html") {
      while (isOpen("head")) pop();
    }
    // Structure inside a drawing means that the drawing was never ended.
    if (
      isForeign() &&
      (endsParagraph.has(tag) || tag === "body") &&
      !isOpen("foreignobject") &&
      !isOpen("annotation-xml")
    ) {
      while (isForeign()) pop();
    }
    if (endsParagraph.has(tag) && isOpen("p")) endWithin(paragraphEnd);
    const implied = impliedEnds.get(tag);
    if (implied !== undefined) endWithin(implied);
    if (isHeading(tag) && isHeading(stack[stack.length - 1]?.tag ?? "")) pop();
    if ((tag === "html" || tag === "body") && isOpen(tag)) return;
    if (stack.length >= maxDepth) return;
    push(tag, known, tagAt);
    if (voidElements.has(tag) || (selfClosing && (xhtml || isForeign()))) pop(tag);
  };
  const closeElement = (name: string): void => {
    if (name === "br") {
      push("br", noAttributes, tagAt);
      pop();
      return;
    }
    if (!isOpen(name)) return;
    const looksPastCells = tableParts.has(name);
    for (let index = stack.length - 1; index >= 0; index--) {
      const open = stack[index]?.tag ?? "";
      if (open === name) {
        while (stack.length > index + 1) pop();
        pop(name);
        return;
      }
      // An unmatched end tag of a phrase does not end the block around it, and only a table's ends a cell.
      if (
        phrasing.has(name)
          ? !phrasing.has(open)
          : !looksPastCells && (open === "td" || open === "th" || open === "table")
      )
        return;
    }
  };
  const addText = (text: string, at: number): void => {
    const parent = stack[stack.length - 1]?.tag ?? "";
    if (skipped.has(parent) && parent !== "title") return;
    if (isOpen("head") && parent !== "title" && text.trim() !== "") while (isOpen("head")) pop();
    events.push({ type: "text", text, at });
  };

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true, recognizeSelfClosing: xhtml },
    {
      isInForeignContext: isForeign,
      onopentagname(start, end) {
        tag = source.slice(start, end).toLowerCase();
        if (tag === "image") tag = "img";
        tagAt = start - 1;
        attributes = undefined;
      },
      onattribname(start, end) {
        attribute = source.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata(start, end) {
        if (keptAttributes.has(attribute)) value += source.slice(start, end);
      },
      onattribentity(codePoint) {
        if (keptAttributes.has(attribute)) value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        if (!keptAttributes.has(attribute)) return;
        if (tellingValues.get(attribute)?.test(value) === false) return;
        attributes ??= new Map();
        if (!attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: () => openElement(false),
      onselfclosingtag: () => openElement(true),
      onclosetag(start, end) {
        tagAt = start - 2;
        closeElement(source.slice(start, end).toLowerCase());
      },
      ontext: (start, end) => addText(source.slice(start, end), start),
      ontextentity: (codePoint, end) => addText(String.fromCodePoint(codePoint), end - 1),
      oncdata(start, end, endOffset) {
        if (xhtml || isForeign()) addText(source.slice(start, end - endOffset), start);
      },
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  while (stack.length > 0) pop();
  return events;
}

function ignore(): void {
  // Comments, declarations and instructions say nothing to a reader.
}
