import type { Quotation } from "../contracts/answer.ts";

/** Made on first use: most lines are ASCII, and loading its data takes as long as a search. */
let segmenter: Intl.Segmenter | undefined;

function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Scripts and signs that take two columns: Han, Kana, Hangul, full-width forms. Emoji have a property of their own. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;

/** Columns that a text takes on a terminal. **Cost** one pass; plain ASCII is not segmented. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7E]*$/u.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{M}\p{Cf}\uFDD0\uFDD1]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes("\uFE0F") ? 2 : 1;
}

/** Pads with spaces; a wider text stays unchanged. */
export function pad(text: string, width: number, side: "left" | "right" = "right"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return side === "right" ? text + space : space + text;
}

/** Cuts the middle out of a text that is wider than `width`: the ends of a path identify it best. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 2) return "…".slice(0, width);
  const parts = [...graphemes(text)];
  const head = takeWithin(parts, Math.floor((width - 1) / 2));
  const tail = takeWithin(parts.toReversed(), width - 1 - displayWidth(head.join("")));
  return `${head.join("")}…${tail.toReversed().join("")}`;
}

function takeWithin(parts: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let used = 0;
  for (const part of parts) {
    used += graphemeWidth(part);
    if (used > width) break;
    taken.push(part);
  }
  return taken;
}

/** Breaks a text at white space into lines of at most `width` columns; a word that is wider is broken where it must. `Infinity`: one line. */
export function wrap(text: string, width: number): string[] {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (width === Infinity) return [words.join(" ")];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const word of words) {
    for (const piece of displayWidth(word) <= width ? [word] : breakWord(word, width)) {
      const needed = displayWidth(piece);
      if (line !== "" && used + 1 + needed > width) {
        lines.push(line);
        line = "";
        used = 0;
      }
      used += needed + (line === "" ? 0 : 1);
      line = line === "" ? piece : `${line} ${piece}`;
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const grapheme of graphemes(word)) {
    const needed = graphemeWidth(grapheme);
    if (piece !== "" && used + needed > width) {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += grapheme;
    used += needed;
  }
  return [...pieces, piece];
}

/**
 * Characters that steer a terminal, change the direction of text, or serve as ibid's own marks: C0 and C1 controls, DEL, bidirectional overrides,
 * noncharacters.
 */
// oxlint-disable-next-line no-control-regex -- the pattern looks for them
const steering = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF]/gu;

/**
 * Makes a text safe for a terminal: controls become their pictures (`ESC` is `␛`), overrides of direction an invisible joiner.
 *
 * **Shape** the same length. `neutralise` gives one line; `neutraliseText` keeps line ends and tabs.
 */
export function neutralise(text: string): string {
  return text.replace(steering, picture);
}

export function neutraliseText(text: string): string {
  return text.replace(steering, (character) =>
    character === "\n" || character === "\t" ? character : picture(character),
  );
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return code >= 0x2000 && code < 0x2100 ? "\u2060" : "\uFFFD";
}

/** A value as one line of JSON that cannot steer a terminal: it escapes characters that JSON leaves bare. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `1 document`, `1,204 documents`. */
export function count(number: number, thing: string): string {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** `812 B`, `3.4 kB`, `1.2 MB`: decimal units, as file managers say them. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 || size >= 99.5 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** `340 ms`, `3.2 s`, `2 min 5 s`, `1 h 4 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}

/** Quoted words on one line, behind the header of their table. */
export function quoted({ quote, header }: Pick<Quotation, "quote" | "header">): string {
  return `${header === undefined ? "" : `“${oneLine(header.quote)}” … `}“${oneLine(quote)}”`;
}
