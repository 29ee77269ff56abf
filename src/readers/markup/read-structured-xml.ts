import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { IbidError } from "../../contracts/errors.ts";
import { Tokenizer } from "htmlparser2";

import { decodeInput } from "../text/decode-source.ts";
import { declaredCharset } from "../text/find-charset.ts";
import { composeMarkup, createMarkupEvents, headingTag } from "./markup-events.ts";

/** Elements of DocBook, JATS, TEI and FictionBook in HTML's terms. **Source** OASIS DocBook 5.1; ANSI/NISO Z39.96 (JATS); TEI P5; FictionBook 2.0. */
const names: Readonly<Record<string, string>> = {
  ...pairs(
    "p",
    "para simpara formalpara p bridgehead disp-formula mixed-citation element-citation attrib verse-line attribution term def abstract-p date kwd caption-p copyright-statement address ab l v text-author",
  ),
  ...pairs("br", "lb break"),
  ...pairs("pre", "programlisting screen literallayout synopsis code preformat"),
  ...pairs(
    "ul",
    "itemizedlist simplelist variablelist glosslist def-list list ref-list calloutlist bibliolist segmentedlist",
  ),
  ...pairs("ol", "orderedlist procedure substeps"),
  ...pairs(
    "li",
    "item listitem member varlistentry step list-item ref callout def-item glossentry biblioentry bibliomixed",
  ),
  ...pairs("blockquote", "blockquote cite disp-quote verse-group epigraph"),
  ...pairs("table", "informaltable table"),
  ...pairs("tr", "row tr"),
  ...pairs("td", "entry td cell"),
  ...pairs("th", "th"),
  ...pairs("thead", "thead"),
  ...pairs("tbody", "tbody tfoot"),
};
/** Elements with a heading of their own, a level deeper than those around. */
const sections = new Set(
  "div div1 div2 div3 div4 div5 div6 div7 section sect1 sect2 sect3 sect4 sect5 simplesect chapter part appendix preface refsection refsect1 refsect2 refsect3 sec abstract app ack glossary bibliography boxed-text dedication colophon book article set sub-article response".split(
    " ",
  ),
);
/** Facts about an article or book that are no part of its text, but for the title. */
const silent = new Set(
  "teiheader description binary info articleinfo bookinfo chapterinfo sectioninfo journal-meta article-id article-categories contrib-group aff pub-date history permissions self-uri related-article kwd-group counts custom-meta-group funding-group volume issue fpage lpage elocation-id pub-history author-notes indexterm graphic inline-graphic media object-id tex-math alternatives xref-none remark revhistory keywordset subjectset".split(
    " ",
  ),
);

function pairs(tag: string, list: string): Readonly<Record<string, string>> {
  return Object.fromEntries(list.split(" ").map((name) => [name, tag]));
}

const maxDepth = 400;

interface OpenElement {
  readonly name: string;
  /** How many events it opened. */
  readonly opened: number;
  readonly isSilent: boolean;
  readonly isSection: boolean;
  /** A note that is called within a paragraph. */
  readonly isNote: boolean;
  /** A number that leads to a note, right behind a word. */
  readonly isBracketed: boolean;
}

/** Elements whose title stands over them and heads no section. */
const titled = new Set(
  "table informaltable figure example table-wrap fig caption list itemizedlist orderedlist variablelist note tip warning caution important procedure equation formalpara ref source".split(
    " ",
  ),
);

/** How a title stands in HTML: as a heading, or as a line over what is no section. **Shape** `undefined` within a citation. */
function titleTag(parent: string, level: number): string | undefined {
  if (parent === "mixed-citation" || parent === "element-citation") return undefined;
  return titled.has(parent) ? "p" : headingTag(level);
}

/**
 * Implements the readers of DocBook, JATS, TEI and FictionBook: sections by nesting, with titles as headings.
 *
 * **Shape** notes stand where they are called. Facts about the document (author, date, journal) stay out of the text.
 * **Errors** `unreadable` for elements nested more than 400 deep. **Source** as that of its names of elements.
 */
export function readStructuredXml(input: ReadInput): ReadResult {
  const { uri, bytes, charset } = input;
  const source = decodeInput(bytes, charset ?? declaredCharset(bytes), input);
  const events = createMarkupEvents();
  const open: OpenElement[] = [];
  let tag = "";
  let tagAt = 0;
  let language: string | undefined;
  let attribute = "";
  let title = "";
  let titleParts: string[] | undefined;
  /** A title within facts is the document's. */
  let silentDepth = 0;
  let level = 0;
  let lastSign = "";
  let refersToNote = false;

  const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
  const openElement = (): void => {
    if (open.length >= maxDepth)
      throw new IbidError("unreadable", `${uri} nests elements more than ${maxDepth} deep.`, {
        hint: "Check that it opens in a program of its kind.",
        uri,
      });
    const parent = open.at(-1)?.name ?? "";
    let opened = 0;
    let isBracketed = false;
    const isSection = sections.has(tag);
    if (isSection) level++;
    const isTitle = /^(?:title|head|article-title|book-title|subtitle|refname|citetitle-none)$/u.test(tag);
    const isOfDocument =
      isTitle &&
      tag !== "subtitle" &&
      /^(?:title-group|info|articleinfo|bookinfo|book-title-group|article|book|titlestmt|title-info)$/u.test(parent) &&
      title === "";
    const isTei = open[0]?.name === "tei";
    const isNote =
      (isTei ? tag === "note" : /^(?:footnote|fn)$/u.test(tag)) && open.some(({ name }) => names[name] === "p");
    const isSilent = silent.has(tag) && !(tag === "abstract");
    if (isSilent) silentDepth++;
    if (isOfDocument) titleParts = [];
    if (silentDepth === 0 || isOfDocument) {
      const html = isTitle ? titleTag(parent, isOfDocument ? 1 : level) : names[tag];
      const isBare =
        (html === "p" && /^(?:entry|td|th|cell|item|listitem|list-item|li|title)$/u.test(parent)) ||
        (html === "p" && open.at(-1)?.isNote === true) ||
        (tag === "listitem" && parent === "varlistentry");
      // The number of a note is no part of the word before it.
      isBracketed = tag === "xref" && refersToNote && /[\p{L}\p{N}]$/u.test(lastSign);
      if (isBracketed) events.text("[", tagAt);
      if (isNote) events.text(" (", tagAt);
      else if (isBare && parent === "title") events.text(" ", tagAt);
      else if (html !== undefined && !isBare) {
        events.open(html, tagAt);
        opened = 1;
      }
    }
    open.push({ name: tag, opened, isSilent, isSection, isNote, isBracketed });
    refersToNote = false;
  };
  const closeElement = (name: string, at: number): void => {
    const found = open.findLastIndex((element) => element.name === name);
    if (found === -1) return;
    while (open.length > found) {
      const element = open.pop()!;
      for (let count = element.opened; count > 0; count--) events.close();
      if (element.isNote && silentDepth === 0) events.text(")", at);
      if (element.isBracketed) events.text("]", at);
      if (element.isSilent) silentDepth--;
      if (element.isSection) level--;
      if (titleParts !== undefined && element.name.endsWith("title")) {
        title = titleParts.join("").replace(/\s+/gu, " ").trim();
        titleParts = undefined;
      }
    }
  };
  const addText = (text: string, at: number): void => {
    titleParts?.push(text);
    if (silentDepth > 0 && titleParts === undefined) return;
    if (text.trim() === "" && !open.some(({ opened }) => opened > 0)) return;
    events.text(text, at);
    lastSign = text.slice(-1);
  };

  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      isInForeignContext: () => true,
      onopentagname(start, end) {
        tag = localName(source.slice(start, end));
        tagAt = start - 1;
      },
      onattribname(start, end) {
        attribute = localName(source.slice(start, end));
      },
      onattribdata(start, end) {
        if (attribute === "ref-type") refersToNote = /^(?:fn|table-fn|bibr)$/u.test(source.slice(start, end));
        if (attribute === "lang" && open.length === 0) language ??= source.slice(start, end);
      },
      onattribentity: ignore,
      onattribend: ignore,
      onopentagend: openElement,
      onselfclosingtag() {
        openElement();
        closeElement(tag, tagAt);
      },
      onclosetag: (start, end) => closeElement(localName(source.slice(start, end)), start - 2),
      ontext: (start, end) => addText(source.slice(start, end), start),
      ontextentity: (codePoint, end) => addText(String.fromCodePoint(codePoint), end - 1),
      oncdata: (start, end, endOffset) => addText(source.slice(start, end - endOffset), start),
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  const isTag = language !== undefined && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/u.test(language);
  const metadata: Metadata = isTag ? { language: language! } : {};
  return composeMarkup(input, source, events.finish(), { title, metadata });
}

function ignore(): void {
  // Comments, declarations and instructions say nothing to a reader.
}
