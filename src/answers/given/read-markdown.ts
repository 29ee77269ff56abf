import type { GivenAnswer, GivenCitation } from "../../contracts/verification.ts";

/** A definition of a footnote or of a link: `[^1]: text`, `[1]: address`. **Source** CommonMark 0.31; GitHub's footnotes. */
const definition = /^ {0,3}\[(\^?[^\]\s]{1,64})\]:[ \t]*(.*)$/u;
/** An entry of a list of sources: `[1] text`, `1. text`, `- [1] text`, `- text`. */
const entry = /^[ \t]*(?:[-*+•][ \t]+)?(?:\[(\^?\d{1,3})\][:.]?|(\d{1,3})[.)])[ \t]+(.*)$/u;
const bullet = /^[ \t]*[-*+•][ \t]+(.*)$/u;
/** Heading of a list of sources, in the languages whose function words were measured. **Source** our own choice. */
const sourcesHeading =
  /^[ \t]{0,3}(?:#{1,6}[ \t]+)?[*_]{0,2}(?:sources?|references?|citations?|bibliography|footnotes|works cited|quellen(?:angaben)?|nachweise|belege|références|fuentes|referencias)[*_]{0,2}[ \t]*:?[*_]{0,2}[ \t]*:?[ \t]*$/iu;

/** Remarks that `ibid ask` prints with an answer, one a line. Other lines count as the answer, so nobody hides a claim among them. */
const ownRemarks = new RegExp(
  `^(?:${[
    "These passages may not answer the question:",
    "The passages found may not answer the question\\.",
    "Answered from all documents that the caller may read\\.",
    "Supported: [\\d,]+ of [\\d,]+ claims?\\. Judged by (?:words|[\\w./:@-]{1,200}; numbers, names and denials by words)\\.",
    "[\\d,]+ chunks? did not fit whole into \\d+ tokens\\.",
    "(?:An address|\\d+ addresses) that no source contains (?:was|were) removed\\.",
    "Some hits address models rather than readers: [\\w ,]{1,200}\\. See ibid show \\S{1,1000} --suspicious",
    "Incomplete: the (?:model reached its limit of tokens|provider's content filter stopped the model|model failed before its answer was complete)\\.",
    "Withheld: [\\d,]+ sentences?\\.",
    " {2}- .* \\((?:supported|leans on a sentence that was withheld|partly supported|not supported|cites nothing)\\)",
  ].join("|")})$`,
  "u",
);

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Reads a text in Markdown: its markers, such as `[1]` and `[^1]`, with the footnotes and the list of sources that explain them.
 *
 * **Shape** definitions may stand anywhere outside fenced code. A list of sources stands under a heading such as "Sources", or at the end as `[1] name`, one a line, as
 * `ibid ask` prints it. Words in quotation marks there are the citation's quote. The remarks of `ibid ask` are no part of the answer. **Cost** linear.
 */
export function readMarkdown(text: string): GivenAnswer {
  const lines = linesOf(text);
  const asides: [number, number][] = [];
  const citations: GivenCitation[] = [];
  const isTaken = new Set<Line>();
  const take = (line: Line): void => {
    isTaken.add(line);
    asides.push([line.start, line.end]);
  };

  /** An entry with the indented lines behind it. */
  const takeEntry = (at: number, marker: string | undefined, said: string): void => {
    const rest = [said];
    take(lines[at]!);
    for (let next = at + 1; next < lines.length; next++) {
      const line = lines[next]!;
      if (!/^(?: {2,}|\t)\S/u.test(line.text) || entry.test(line.text.trim()) || bullet.test(line.text)) break;
      rest.push(line.text);
      take(line);
    }
    citations.push({ marker, ...readDescription(rest.join("\n")) });
  };

  for (const line of lines) if (ownRemarks.test(line.text)) take(line);
  for (const [at, line] of lines.entries()) {
    if (isTaken.has(line)) continue;
    const [, label, said] = definition.exec(line.text) ?? [];
    if (label !== undefined && said !== undefined && (said !== "" || label.startsWith("^")))
      takeEntry(at, `[${label}]`, said);
  }
  const heading = lines.findLastIndex((line) => !isTaken.has(line) && sourcesHeading.test(line.text));
  const from = heading >= 0 ? heading + 1 : trailingList(lines, isTaken);
  let wasEntry = heading >= 0;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (isTaken.has(line) || line.text.trim() === "") continue;
    const [, bracketed, numbered, said] = entry.exec(line.text) ?? [];
    const [, listed] = heading >= 0 ? (bullet.exec(line.text) ?? []) : [];
    const label = bracketed ?? numbered;
    if (label === undefined && listed === undefined) break;
    takeEntry(at, label === undefined ? undefined : `[${label}]`, said ?? listed ?? "");
    wasEntry = true;
  }
  if (heading >= 0 && wasEntry) take(lines[heading]!);
  return { text, citations, format: "markdown", asides: asides.toSorted(([a], [b]) => a - b) };
}

/** Where a list of `[n] name` begins that ends the text, after a blank line; past the end where there is none. */
function trailingList(lines: readonly Line[], isTaken: ReadonlySet<Line>): number {
  let first = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]!;
    if (isTaken.has(line)) continue;
    if (/^\[\^?\d{1,3}\][:.]?[ \t]+\S/u.test(line.text)) first = at;
    else if (line.text.trim() !== "" && !/^(?: {2,}|\t)\S/u.test(line.text)) break;
  }
  return first > 0 && (lines[first - 1]?.text.trim() ?? "") === "" ? first : lines.length;
}

/** Lines outside fenced code. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let fence = "";
  for (const { 0: line, index } of text.matchAll(/[^\n]*(?:\n|$)/gu)) {
    if (line === "") continue;
    const opening = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (opening.startsWith(fence)) fence = "";
    } else if (opening !== "") fence = opening;
    else lines.push({ start: index, end: index + line.length, text: line.replace(/\r?\n$/u, "") });
  }
  return lines;
}

/** The source that an entry describes: its address, its name, and the words between quotation marks. */
export function readDescription(said: string): GivenCitation {
  // A quote on a line of its own may hold others. The header of its table may stand before it.
  const quote =
    /(?<=^|\n)[ \t]*(?:“[^\n]+?” … (?=“))?“([^\n]+)”[ \t]*$/u.exec(said) ??
    /(?:"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»)/u.exec(said);
  const words = quote?.slice(1).find((one) => one !== undefined);
  const name = (quote === null ? said : said.replace(quote[0], " ")).trim();
  const link = /\[([^\]]*)\]\(<?([^)\s>]+)>?[^)]*\)|<([^>\s]+)>|(\b[a-z][a-z0-9+.-]*:\/\/[^\s<>"]+)/iu.exec(name);
  const uri = link?.[2] ?? link?.[3] ?? link?.[4]?.replace(/[.,;:!?)]+$/u, "");
  const title = (link?.[1] ?? name)
    .replaceAll(/\s+/gu, " ")
    .replace(/[\s:,;–—-]+$/u, "")
    .trim();
  return { quote: words, uri, title: title === "" ? undefined : title };
}
