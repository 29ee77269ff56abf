import { checkGiven, checkText } from "../runtime/check-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { halveText, type HalvingSeparators, markdownSeparators, plainSeparators } from "./halve-text.ts";

/**
 * How many tokens a text has. A `LengthFunction` is one.
 *
 * @experimental
 */
export type TokenCounter = (text: string) => number;

/** Semantic Kernel's rule of thumb: one token for every four characters, rounded down (ToolUp rounds up). */
const floorTokens: TokenCounter = (text) => text.length >> 2;

const halves = (
  text: string,
  maxSize: number,
  separators: HalvingSeparators,
  trim: boolean,
  count: TokenCounter,
): string[] =>
  halveText(text, { start: 0, end: text.length }, { maxSize, separators, count, trim }).map(({ start, end }) =>
    text.slice(start, end),
  );

/**
 * Splits plain text into lines, without blank ones. A line that is too long is halved at line ends, full stops, other marks, spaces, hyphens, and at last anywhere.
 *
 * **Source** Semantic Kernel `TextChunker.SplitPlainTextLines`.
 *
 * @experimental
 */
export function splitPlainTextLines(
  text: string,
  maxTokens: number,
  tokenCounter: TokenCounter = floorTokens,
): string[] {
  checkGiven("splitPlainTextLines", "text", text, "text");
  checkMaxTokens("splitPlainTextLines", maxTokens);
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .flatMap((line) => halves(line, maxTokens, plainSeparators, true, tokenCounter));
}

/**
 * A Markdown text, halved as {@link splitPlainTextLines} does, but at line ends only when nothing else is left.
 *
 * **Source** Semantic Kernel `TextChunker.SplitMarkDownLines`.
 *
 * @experimental
 */
export function splitMarkdownLines(
  text: string,
  maxTokens: number,
  tokenCounter: TokenCounter = floorTokens,
): string[] {
  checkGiven("splitMarkdownLines", "text", text, "text");
  checkMaxTokens("splitMarkdownLines", maxTokens);
  return halves(text.replaceAll("\r\n", "\n"), maxTokens, markdownSeparators, true, tokenCounter);
}

/**
 * Lines gathered into paragraphs.
 *
 * **Shape** the budget of a paragraph is `maxTokens` less `overlapTokens` and the header's tokens; lines that do not fit it are halved first. A last paragraph below a quarter of it
 * is joined to the one before when their words together are no more than it. An overlap is the beginning of the next paragraph, behind a space; the header stands
 * before each as it is.
 * **Errors** `invalid-argument` for a size below 1, or an overlap, with the header, that is not below it.
 * **Source** Semantic Kernel `TextChunker.SplitPlainTextParagraphs`.
 *
 * @experimental
 */
export function splitPlainTextParagraphs(
  lines: Iterable<string>,
  maxTokens: number,
  overlapTokens = 0,
  chunkHeader = "",
  tokenCounter: TokenCounter = floorTokens,
): string[] {
  checkGiven("splitPlainTextParagraphs", "lines", lines, "items");
  const given = checkLines("splitPlainTextParagraphs", lines);
  const normalised = given.map((line) => line.replaceAll(/\r\n|\r/g, "\n"));
  return splitParagraphs(
    "splitPlainTextParagraphs",
    normalised,
    maxTokens,
    overlapTokens,
    chunkHeader,
    tokenCounter,
    plainSeparators,
  );
}

/**
 * As {@link splitPlainTextParagraphs}, for Markdown. **Source** Semantic Kernel `TextChunker.SplitMarkdownParagraphs`.
 *
 * @experimental
 */
export function splitMarkdownParagraphs(
  lines: Iterable<string>,
  maxTokens: number,
  overlapTokens = 0,
  chunkHeader = "",
  tokenCounter: TokenCounter = floorTokens,
): string[] {
  checkGiven("splitMarkdownParagraphs", "lines", lines, "items");
  return splitParagraphs(
    "splitMarkdownParagraphs",
    checkLines("splitMarkdownParagraphs", lines),
    maxTokens,
    overlapTokens,
    chunkHeader,
    tokenCounter,
    markdownSeparators,
  );
}

function checkLines(where: string, lines: Iterable<string>): readonly string[] {
  return Array.from(lines, (line, at) => {
    checkText(where, `lines[${at}]`, line);
    return line;
  });
}

function splitParagraphs(
  where: string,
  lines: readonly string[],
  maxTokens: number,
  overlapTokens: number,
  chunkHeader: string,
  count: TokenCounter,
  separators: HalvingSeparators,
): string[] {
  checkText(where, "chunkHeader", chunkHeader);
  checkGiven(where, "tokenCounter", count, "function");
  const headerTokens = chunkHeader === "" ? 0 : count(chunkHeader);
  checkBudget(maxTokens, overlapTokens, headerTokens);
  const budget = maxTokens - overlapTokens - headerTokens;
  const halve = (text: string, size: number): string[] =>
    halves(text.replaceAll("\r\n", "\n"), size, separators, false, count);
  const paragraphs = joinShortLast(
    gatherLines(
      lines.flatMap((line) => halve(line, budget)),
      budget,
      count,
    ),
    budget,
    count,
  );
  return paragraphs.map((paragraph, index) => {
    const next = paragraphs[index + 1];
    const shared = overlapTokens > 0 && next !== undefined ? ` ${halve(next, overlapTokens)[0] ?? ""}` : "";
    return chunkHeader + paragraph + shared;
  });
}

function gatherLines(lines: readonly string[], budget: number, count: TokenCounter): string[] {
  const paragraphs: string[] = [];
  let paragraph = "";
  for (const line of lines) {
    if (paragraph !== "") {
      const own = count(line) + 1;
      if (own >= budget || own + count(paragraph) >= budget) {
        paragraphs.push(paragraph.trim());
        paragraph = "";
      }
    }
    paragraph += `${line}\n`;
  }
  return paragraph === "" ? paragraphs : [...paragraphs, paragraph.trim()];
}

/** Words count as tokens here, as in the source. */
function joinShortLast(paragraphs: readonly string[], budget: number, count: TokenCounter): readonly string[] {
  const [before, last] = paragraphs.slice(-2);
  if (before === undefined || last === undefined || count(last) >= Math.floor(budget / 4)) return paragraphs;
  const words = [before, last].flatMap((paragraph) => paragraph.split(" ").filter((word) => word !== ""));
  return words.length > budget ? paragraphs : [...paragraphs.slice(0, -2), words.join(" ")];
}

function checkBudget(maxTokens: number, overlapTokens: number, headerTokens: number): void {
  if (typeof maxTokens !== "number" || !(maxTokens >= 1)) {
    throw new IbidError("invalid-argument", "maxTokens should be a positive number", { details: { maxTokens } });
  }
  if (typeof overlapTokens !== "number" || !(overlapTokens + headerTokens < maxTokens)) {
    throw new IbidError("invalid-argument", "overlapTokens, with those of the header, must be below maxTokens", {
      hint: "Give a larger maxTokens, or a smaller overlap or header.",
      details: { maxTokens, overlapTokens, headerTokens },
    });
  }
}

function checkMaxTokens(where: string, maxTokens: unknown): void {
  if (typeof maxTokens === "number" && !Number.isNaN(maxTokens)) return;
  throw new IbidError(
    "invalid-argument",
    `${where}: maxTokens is of the type ${typeof maxTokens}; it must be a number.`,
    {
      hint: "Give the most tokens of a line.",
    },
  );
}
