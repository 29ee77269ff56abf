/** A stretch that a rendered page does not show. */
export interface HiddenMarkup {
  readonly kind: "comment" | "hidden";
  readonly start: number;
  readonly end: number;
}

/**
 * Finds comments and hidden elements of Markdown, MDX and HTML; code is left alone.
 *
 * **Shape** in order and apart. An open element extends to the end, as in a browser. There is a step for each stretch of so many characters and the rest of
 * its line. **Cost** linear.
 * **Source** HTML (comments, `hidden`, `script`, `style`, `template`), CSS for elements without display, size or opacity; CommonMark for code and link definitions.
 */
export function* findHiddenMarkupInSteps(
  text: string,
  stretch = Infinity,
): Generator<undefined, readonly HiddenMarkup[]> {
  const found: HiddenMarkup[] = [];
  // An end that is missing is looked for once.
  const unclosed = new Set<string>();
  let position = 0;
  let until = 0;
  /** A tag may go on behind `until`. */
  let open = -1;
  const reach = (end: number): void => {
    until = end;
    const part = text.slice(position, end);
    const last = until === text.length ? -1 : part.lastIndexOf("<");
    open = last === -1 || part.includes(">", last) ? -1 : position + last;
  };
  while (position < text.length) {
    if (position >= until) reach(endOfStretch(text, position, stretch));
    opening.lastIndex = position;
    const match = opening.exec(text.slice(0, until));
    const isCut = open >= position && (match === null || match.index > open);
    if (match === null || isCut) {
      if (until === text.length) break;
      yield undefined;
      position = isCut ? open : until;
      // It is looked at again, with more behind it.
      if (isCut) reach(endOfStretch(text, until, Math.max(stretch, until - open)));
      continue;
    }
    const start = match.index;
    const end = match.index + match[0].length;
    const { ticks, comment, definition, name, attributes = "" } = match.groups ?? {};
    if (ticks !== undefined) {
      position = endOfCode(text, start, ticks, unclosed);
    } else if (comment !== undefined) {
      const closing = comment === "<!--" ? "-->" : "*/}";
      const until = unclosed.has(closing) ? -1 : text.indexOf(closing, end);
      if (until === -1) unclosed.add(closing);
      position = until === -1 ? text.length : until + closing.length;
      // `{/*` that nothing closes is no comment but a slip; `<!--` is one to the end.
      if (until !== -1 || comment === "<!--") found.push({ kind: "comment", start, end: position });
      else position = end;
    } else if (definition !== undefined) {
      found.push({ kind: "comment", start, end });
      position = end;
    } else if (name !== undefined && isHidden(name, attributes)) {
      position = endOfElement(text, name, end, attributes);
      found.push({ kind: "hidden", start, end: position });
    } else {
      position = end;
    }
  }
  return found;
}

/** The end of the line that is so many characters on. */
export function endOfStretch(text: string, from: number, stretch: number): number {
  const newline = from + stretch < text.length ? text.indexOf("\n", from + stretch) : -1;
  return newline === -1 ? text.length : newline + 1;
}

/** Ticks, comments, link definitions that lead nowhere and only carry a title, tags. */
const opening =
  /(?<ticks>`+|^[ \t]*~{3,})|(?<comment><!--|\{\/\*)|(?<definition>^ {0,3}\[[^\]\n]{1,100}\]:[ \t]*(?:#|<#?>)[ \t]*(?:"[^\n]*"|'[^\n]*'|\([^\n]*\))[ \t]*$)|<(?<name>[a-z][\w-]*)(?<attributes>(?:\s[^<>]*)?)>/gimu;

/** Elements that a browser never shows. */
const neverShown: ReadonlySet<string> = new Set(["script", "style", "template"]);
const hiddenAttribute = /(?:^|\s)hidden(?=[\s=/]|$)/iu;
const styleAttribute = /\sstyle\s*=\s*\{?\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/iu;
const hiddenStyle =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![\d.]*[1-9])|opacity\s*:\s*0(?![\d.]*[1-9])|(?:^|[;\s])color\s*:\s*transparent|(?:left|top|text-indent)\s*:\s*-\d{3,}/iu;
/** Elements without an end. **Source** HTML, void elements. */
const voidElements: ReadonlySet<string> = new Set([
  "br",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "source",
  "track",
  "wbr",
]);

function isHidden(name: string, attributes: string): boolean {
  if (neverShown.has(name.toLowerCase()) || hiddenAttribute.test(attributes)) return true;
  const [, double, single, bare] = styleAttribute.exec(attributes) ?? [];
  return hiddenStyle.test(double ?? single ?? bare ?? "");
}

const anyTag = /<(\/?)([a-z][\w-]*)(?=[\s/>])[^<>]*>/giu;

function endOfElement(text: string, name: string, from: number, attributes: string): number {
  if (voidElements.has(name.toLowerCase()) || attributes.trimEnd().endsWith("/")) return from;
  const isIts = name.toLowerCase();
  let depth = 1;
  anyTag.lastIndex = from;
  for (let tag = anyTag.exec(text); tag; tag = anyTag.exec(text)) {
    if (tag[2]!.toLowerCase() !== isIts) continue;
    depth += tag[1] === "/" ? -1 : 1;
    if (depth === 0) return tag.index + tag[0].length;
  }
  return text.length;
}

/** A code span is no longer. **Units** UTF-16. */
const longestSpan = 400;

/** Ticks or tildes that may close a block. */
const fences = /^[ \t]*(`{3,}|~{3,})/gmu;

/** Behind the code that these ticks open; behind the ticks, where nothing closes them. */
function endOfCode(text: string, start: number, ticks: string, unclosed: Set<string>): number {
  const fence = ticks.trim();
  const opensBlock = fence.length >= 3 && /(?:^|\n)[ \t]*$/u.test(text.slice(Math.max(0, start - longestSpan), start));
  const from = start + ticks.length;
  if (opensBlock) {
    if (unclosed.has(fence)) return from;
    fences.lastIndex = from;
    for (let found = fences.exec(text); found !== null; found = fences.exec(text))
      if (found[1]!.startsWith(fence)) return found.index + found[0].length - found[1]!.length + fence.length;
    unclosed.add(fence);
    return from;
  }
  const [line = ""] = text.slice(from, from + longestSpan).split("\n", 1);
  for (const match of line.matchAll(/`+/gu)) {
    if (match[0].length === fence.length) return from + match.index + fence.length;
  }
  return from;
}
