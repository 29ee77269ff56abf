import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { decodeInput } from "../text/decode-source.ts";

import {
  composeMarkup,
  createMarkupEvents,
  findIncluded,
  headingTag,
  splitLines,
  type MarkupEvents,
} from "./markup-events.ts";
import { captionOf, endOfGroup, rowsOf, splitAt } from "./latex-tables.ts";

/** Commands of sections by their depth. **Source** LaTeX2e unofficial reference manual, 6. */
const sections = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
/** Commands whose arguments show nothing. */
const silent = new Set(
  "label documentclass usepackage RequirePackage bibliographystyle bibliography addbibresource includegraphics input include pagestyle thispagestyle setlength addtolength setcounter addtocounter newcommand renewcommand providecommand newenvironment newtheorem theoremstyle hypersetup geometry vspace hspace color definecolor pagenumbering graphicspath index nocite cline cmidrule multirow@ markboth markright lstset captionsetup DeclareMathOperator def let newlength rule phantom vphantom hphantom selectlanguage addcontentsline fontsize".split(
    " ",
  ),
);
/** Commands whose first arguments are settings: so many are left out. */
const settings: Readonly<Record<string, number>> = {
  href: 1,
  textcolor: 1,
  colorbox: 1,
  multicolumn: 2,
  multirow: 2,
  parbox: 1,
  resizebox: 2,
  scalebox: 1,
  raisebox: 1,
  makebox: 0,
  foreignlanguage: 1,
};
const signs: Readonly<Record<string, string>> = {
  "%": "%",
  "&": "&",
  $: "$",
  "#": "#",
  _: "_",
  "{": "{",
  "}": "}",
  " ": " ",
  ",": " ",
  ";": " ",
  ":": " ",
  "!": "",
  "-": "",
  "/": "",
  ldots: "…",
  dots: "…",
  textbackslash: "\\",
  textasciitilde: "~",
  ss: "ß",
  ae: "æ",
  oe: "œ",
  o: "ø",
  O: "Ø",
  aa: "å",
  AA: "Å",
  l: "ł",
  L: "Ł",
  i: "ı",
  LaTeX: "LaTeX",
  TeX: "TeX",
  copyright: "©",
  textregistered: "®",
  texttrademark: "™",
  euro: "€",
  S: "§",
  P: "¶",
  quad: " ",
  qquad: " ",
  newline: " ",
  textendash: "–",
  textemdash: "—",
};
/** Marks above letters, as combining characters. */
const accents: Readonly<Record<string, string>> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  '"': "\u0308",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
  c: "\u0327",
  v: "\u030C",
  u: "\u0306",
  H: "\u030B",
  k: "\u0328",
  r: "\u030A",
};
const verbatim = /^(?:verbatim|lstlisting|minted|Verbatim|alltt|comment|filecontents)\*?$/u;
const formulas = /^(?:equation|align|gather|multline|eqnarray|displaymath|math|alignat|flalign)\*?$/u;
const tables = /^(?:tabular|tabularx|tabulary|longtable|array|tabu|supertabular)\*?$/u;
const lists: Readonly<Record<string, string>> = {
  itemize: "ul",
  enumerate: "ol",
  description: "ul",
  thebibliography: "ol",
  compactitem: "ul",
  compactenum: "ol",
};
const maxNesting = 200;

/**
 * Implements the reader of LaTeX: sections, lists, tables, code and notes; formulas as their author wrote them.
 *
 * **Shape** commands that are not known show their arguments. Macros of one's own show their words where they stand for words.
 * **Source** LaTeX2e unofficial reference manual.
 */
export function readLatex(input: ReadInput): ReadResult {
  const source = decodeInput(input.bytes, input.charset, input);
  const events = createMarkupEvents();
  const begin = source.indexOf("\\begin{document}");
  const start = begin === -1 ? 0 : begin + 16;
  const end = source.indexOf("\\end{document}", start);
  const preamble = begin === -1 ? "" : source.slice(0, begin);
  const reader = new LatexReader(events, source, /\\chapter\b/u.test(source), readMacros(source));
  const title = argumentOf(source, "title");
  reader.read(start, end === -1 ? source.length : end, title);
  const author = plain(argumentOf(preamble || source, "author")?.text ?? "").slice(0, 1000);
  const metadata: Metadata = author === "" ? {} : { author };
  const body = splitLines(source.slice(start, end === -1 ? source.length : end));
  const included = findIncluded(body, /^[^%]{0,2000}\\(?:input|include|subfile)\s*\{([^{}]{1,500})\}/u);
  return composeMarkup(input, source, events.finish(), { title: plain(title?.text ?? ""), metadata, included });
}

/** Longest words of a macro, and most macros of a document. **Units** UTF-16 code units. */
const [longestMacro, mostMacros] = [200, 1000];

/** Macros of the author's that stand for words: those without arguments and formulas, by their names. */
function readMacros(source: string): ReadonlyMap<string, string> {
  const macros = new Map<string, string>();
  const defined =
    /\\(?:(?:re)?newcommand|providecommand)\*?\s*(?:\{\\([A-Za-z]+)\}|\\([A-Za-z]+))\s*\{|\\def\s*\\([A-Za-z]+)\s*\{/gu;
  for (const found of source.matchAll(defined)) {
    if (macros.size >= mostMacros) break;
    const start = found.index + found[0].length;
    const body = source.slice(start, endOfGroup(source, start, Math.min(source.length, start + longestMacro)));
    const words = plain(body);
    const isWords =
      body.length < longestMacro && /\p{L}/u.test(words) && !/[#$]|\\begin\b|\\(?:ensure)?math/u.test(body);
    if (isWords) macros.set(found[1] ?? found[2] ?? found[3] ?? "", words);
  }
  return macros;
}

interface Argument {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function argumentOf(source: string, name: string): Argument | undefined {
  const found = new RegExp(`\\\\${name}\\s*(?:\\[[^\\]]*\\])?\\s*\\{`, "u").exec(source);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const end = endOfGroup(source, start);
  return { text: source.slice(start, end), start, end };
}

function plain(text: string): string {
  return text
    .replace(/\\(?:thanks|footnote|inst|affil|email)\s*\{[^}]*\}/gu, "")
    .replace(/\\(?:\\|and\b)/gu, " ")
    .replace(/\\[A-Za-z]+\*?|[{}]/gu, "")
    .replace(/~/gu, " ")
    .replace(/\\(.)/gu, "$1")
    .replace(/\s+/gu, " ")
    .trim();
}

/** Reads stretches of a source; paragraphs open when a word is shown, and end where a block begins. */
class LatexReader {
  private readonly events: MarkupEvents;
  private readonly source: string;
  private readonly hasChapters: boolean;
  private readonly macros: ReadonlyMap<string, string>;
  private inParagraph = false;
  /** Within a heading, a cell or an item nothing opens a paragraph. */
  private held = 0;

  constructor(events: MarkupEvents, source: string, hasChapters: boolean, macros: ReadonlyMap<string, string>) {
    this.events = events;
    this.source = source;
    this.hasChapters = hasChapters;
    this.macros = macros;
  }

  read(start: number, end: number, title?: Argument): void {
    this.readText(start, end, 0, title);
    this.endParagraph();
  }

  private endParagraph(): void {
    if (this.inParagraph) this.events.close();
    this.inParagraph = false;
  }

  private show(text: string, at: number): void {
    if (text === "") return;
    if (!this.inParagraph && this.held === 0) {
      if (text.trim() === "") return;
      this.events.open("p", at);
      this.inParagraph = true;
    }
    this.events.text(text, at);
  }

  private hold(tag: string, at: number, inside: () => void, attributes: Readonly<Record<string, string>> = {}): void {
    this.endParagraph();
    this.events.open(tag, at, attributes);
    this.held++;
    inside();
    this.held--;
    this.events.close();
  }

  private readCommand(at: number, end: number, depth: number, title?: Argument): number {
    const name = /^\\([A-Za-z@]+\*?|[\s\S])/u.exec(this.source.slice(at, at + 60))?.[1] ?? "";
    let next = at + 1 + name.length;
    const bare = name.replace(/\*$/u, "");
    const skipOptions = (): void => {
      for (
        let found = /^\s*\[[^\]]*\]/u.exec(this.source.slice(next, next + 500));
        found !== null;
        found = /^\s*\[[^\]]*\]/u.exec(this.source.slice(next, next + 500))
      )
        next += found[0].length;
    };
    const takeGroup = (): Argument | undefined => {
      const found = /^\s*\{/u.exec(this.source.slice(next, next + 200));
      if (found === null || next + found[0].length > end) return undefined;
      const start = next + found[0].length;
      const stop = endOfGroup(this.source, start, end);
      next = stop + 1;
      return { text: this.source.slice(start, stop), start, end: stop };
    };
    if (name === "\\") {
      skipOptions();
      this.show(" ", at);
    } else if (Object.hasOwn(accents, name) && /^\s*\{?\\?\p{L}/u.test(this.source.slice(next, next + 4))) {
      const letter = /^\s*(?:\{\\?(\p{L})\}|\\?(\p{L}))/u.exec(this.source.slice(next, next + 8));
      if (letter !== null && (name.length > 1 || !/[a-z]/iu.test(name) || /^[\s{]/u.test(this.source[next] ?? ""))) {
        this.show(`${letter[1] ?? letter[2]}${accents[name]}`.normalize("NFC"), at);
        return next + letter[0].length;
      }
    } else if (name === "begin") {
      const found = takeGroup();
      return found === undefined ? next : this.readEnvironment(found.text.trim(), at, next, end, depth);
    } else if (name === "end") takeGroup();
    else if (name === "maketitle") {
      if (title !== undefined) this.hold("h1", title.start, () => this.readText(title.start, title.end, depth + 1));
    } else if (name === "title" || name === "author" || name === "date") takeGroup();
    else if (sections.includes(bare)) {
      skipOptions();
      const found = takeGroup();
      const level = sections.indexOf(bare) + (this.hasChapters ? 1 : 0);
      if (found !== undefined)
        this.hold(headingTag(Math.max(1, level)), found.start, () => this.readText(found.start, found.end, depth + 1));
    } else if (name === "verb" || name === "verb*") {
      const stop = this.source.indexOf(this.source[next] ?? "|", next + 1);
      this.show(this.source.slice(next + 1, stop === -1 ? end : stop), next + 1);
      return stop === -1 ? end : stop + 1;
    } else if (name === "(" || name === "[") {
      const stop = this.source.indexOf(name === "(" ? "\\)" : "\\]", next);
      this.show(this.source.slice(next, stop === -1 ? end : stop).trim(), next);
      return stop === -1 ? end : stop + 2;
    } else if (silent.has(bare)) {
      for (let found: Argument | undefined = (skipOptions(), takeGroup()); found !== undefined; found = takeGroup())
        skipOptions();
    } else if (/^(?:cite\w*|ref|eqref|pageref|autoref|cref|Cref)$/u.test(bare)) {
      skipOptions();
      const found = takeGroup();
      if (found !== undefined) this.show(`[${found.text}]`, found.start);
    } else if (/^(?:footnote|footnotetext|thanks)$/u.test(name)) {
      skipOptions();
      const found = takeGroup();
      if (found !== undefined) {
        this.show(" (", found.start);
        this.readText(found.start, found.end, depth + 1);
        this.show(")", found.end);
      }
    } else if (name === "texorpdfstring") {
      // The second is the same for bookmarks.
      const found = takeGroup();
      if (found !== undefined) this.readText(found.start, found.end, depth + 1);
      takeGroup();
    } else if (Object.hasOwn(signs, name)) {
      this.show(signs[name]!, at);
      if (/[A-Za-z]/u.test(name)) while (this.source[next] === " ") next++;
      if (this.source.startsWith("{}", next)) next += 2;
    } else if (this.macros.has(name)) {
      this.show(this.macros.get(name)!, at);
      while (this.source[next] === " ") next++;
      if (this.source.startsWith("{}", next)) next += 2;
    } else if (name === "par") this.endParagraph();
    else {
      skipOptions();
      for (let left = settings[bare] ?? 0; left > 0; left--) takeGroup();
    }
    return next;
  }

  readText(start: number, end: number, depth: number, title?: Argument): void {
    for (let at = start; at < end;) {
      const sign = this.source[at]!;
      if (sign === "\\") at = depth > maxNesting ? at + 1 : this.readCommand(at, end, depth, title);
      else if (sign === "%") {
        const newline = this.source.indexOf("\n", at);
        at = newline === -1 ? end : newline + 1;
      } else if (sign === "{" || sign === "}") at++;
      else if (sign === "$") {
        const isDouble = this.source[at + 1] === "$";
        const stop = this.source.indexOf(isDouble ? "$$" : "$", at + (isDouble ? 2 : 1));
        const to = stop === -1 || stop > end ? end : stop;
        this.show(this.source.slice(at + (isDouble ? 2 : 1), to), at);
        at = to + (isDouble ? 2 : 1);
      } else if (sign === "~") {
        this.show(" ", at);
        at++;
      } else if (sign === "\n" && /^\n[ \t]*\n/u.test(this.source.slice(at, at + 80))) {
        this.endParagraph();
        at++;
      } else {
        let to = at + 1;
        while (to < end && !/[\\%{}$~\n]/u.test(this.source[to]!)) to++;
        this.show(replaceDashes(this.source.slice(at, to)), at);
        at = to;
      }
    }
  }

  private readEnvironment(name: string, at: number, from: number, end: number, depth: number): number {
    const stop = endOfEnvironment(this.source, name, from, end);
    const after = Math.min(end, stop + name.length + 6);
    let start = from;
    const options = /^\s*(?:\[[^\]]*\])?/u.exec(this.source.slice(start, start + 500))?.[0].length ?? 0;
    if (verbatim.test(name)) {
      if (name !== "comment") {
        start += options;
        const language = name === "minted" ? /^\s*\{([^}]*)\}/u.exec(this.source.slice(start, start + 100)) : null;
        if (language !== null) start += language[0].length;
        this.hold(
          "pre",
          at,
          () => this.events.text(this.source.slice(start, stop), start),
          language === null ? {} : { class: `language-${language[1]}` },
        );
      }
    } else if (formulas.test(name))
      this.hold("p", at, () =>
        this.show(
          this.source
            .slice(start, stop)
            .replace(/\\label\{[^}]*\}/gu, "")
            .trim(),
          start,
        ),
      );
    else if (tables.test(name)) this.readTable(start + options, stop, depth);
    else if (Object.hasOwn(lists, name)) this.readList(lists[name]!, at, start + options, stop, depth);
    else if (name === "abstract") {
      this.hold("h2", at, () => this.events.text("Abstract", at));
      this.readText(start, stop, depth + 1);
    } else if (/^(?:quote|quotation|verse)$/u.test(name)) {
      this.endParagraph();
      this.events.open("blockquote", at);
      this.readText(start, stop, depth + 1);
      this.endParagraph();
      this.events.close();
    } else {
      this.endParagraph();
      const isBare =
        /^(?:figure|table|wrapfigure|minipage|center|multicols|tcolorbox|frame|column|columns|block)\*?$/u.test(name);
      let skip = isBare ? options : /^\s*\[([^\]]*)\]/u.test(this.source.slice(start, start + 300)) ? 0 : options;
      if (/^(?:minipage|wrapfigure|multicols|column)/u.test(name))
        for (
          let found = /^\s*\{[^}]*\}/u.exec(this.source.slice(start + skip, start + skip + 200));
          found !== null;
          found = null
        )
          skip += found[0].length;
      this.readText(start + skip, stop, depth + 1);
    }
    this.endParagraph();
    return after;
  }

  private readList(tag: string, at: number, start: number, end: number, depth: number): void {
    this.endParagraph();
    this.events.open(tag, at);
    const items = [
      ...this.source.slice(start, end).matchAll(/\\(?:bib)?item\b(?:\s*\[([^\]]*)\])?(?:\s*\{[^{}]*\}(?=\s))?/gu),
    ]
      .map((found) => ({ found, place: start + found.index }))
      .filter(({ place }) => isOutside(this.source, start, place));
    for (const [index, { found, place }] of items.entries()) {
      const from =
        place + (found[0].startsWith("\\bibitem") ? found[0].length : found[0].replace(/\s*\{[^{}]*\}$/u, "").length);
      this.events.open("li", place);
      this.held++;
      if (found[1] !== undefined && found[1] !== "") this.show(`${plain(found[1])}: `, place);
      this.readText(from, items[index + 1]?.place ?? end, depth + 1);
      this.held--;
      this.events.close();
    }
    this.events.close();
  }

  private readTable(from: number, end: number, depth: number): void {
    this.endParagraph();
    let start = from;
    // The widths and the columns: `{\textwidth}{l|rr}`.
    for (let count = 0; count < 2 && /^\s*\{/u.test(this.source.slice(start, start + 20)); count++) {
      const begin = this.source.indexOf("{", start) + 1;
      start = endOfGroup(this.source, begin, end) + 1;
    }
    const caption = captionOf(this.source, start, end);
    if (caption !== undefined) {
      this.hold("p", caption.start, () => this.readText(caption.start, caption.end, depth + 1));
      start = caption.after;
    }
    const { rows, headers } = rowsOf(this.source, start, end);
    this.events.open("table", start);
    for (const [index, row] of rows.entries()) {
      this.hold("tr", row.start, () => {
        for (const cell of splitAt(this.source, row.start, row.end, ["&"])) {
          const span = /\\multicolumn\s*\{(\d+)\}/u.exec(this.source.slice(cell.start, cell.end))?.[1];
          this.hold(
            index < headers ? "th" : "td",
            cell.start,
            () => this.readText(cell.start, cell.end, depth + 1),
            span === undefined ? {} : { colspan: span },
          );
        }
      });
    }
    this.events.close();
  }
}

function replaceDashes(text: string): string {
  return text.replaceAll("---", "—").replaceAll("--", "–").replaceAll("``", "“").replaceAll("''", "”");
}

const environmentMark = /\\(begin|end)\s*\{([^{}]*)\}/gu;

function endOfEnvironment(source: string, name: string, from: number, end: number): number {
  let depth = 1;
  environmentMark.lastIndex = from;
  for (
    let found = environmentMark.exec(source);
    found !== null && found.index < end;
    found = environmentMark.exec(source)
  ) {
    if (found[2] !== name) continue;
    depth += found[1] === "begin" ? 1 : -1;
    if (depth === 0) return found.index;
  }
  return end;
}

/** Whether a place is outside of all environments that begin after `start`. */
function isOutside(source: string, start: number, place: number): boolean {
  const before = source.slice(start, place);
  return (before.match(/\\begin\s*\{/gu)?.length ?? 0) === (before.match(/\\end\s*\{/gu)?.length ?? 0);
}
