/**
 * Cleans text to what a page shows. No-break spaces become spaces, and a vertical tab breaks the line. Invisible
 * characters (soft hyphens, zero-width spaces, controls), halves of surrogate pairs and white space at line ends go.
 *
 * **Cost** linear, also in long runs of spaces.
 */
export function cleanText(text: string): string {
  return (
    text
      .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n")
      // oxlint-disable-next-line no-control-regex -- control characters are what is to be taken out
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F\u00AD\u200B\u2060\uFEFF]/g, "")
      .replace(/[\u00A0\u202F]/g, " ")
      .toWellFormed()
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
  );
}

/** The text as one line. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

/**
 * Control characters that PowerPoint writes out, such as `_x000B_` for a vertical tab.
 *
 * **Source** ISO/IEC 29500-1, 22.9.2.19.
 */
export function unescapeControls(text: string): string {
  return text.replace(/_x(00[01][0-9A-Fa-f]|005[Ff])_/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** The first ten names of a list, for a sentence. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - 10;
  return names.slice(0, 10).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The note about embedded files that are not in the text; none for no file. */
export function leftOutObjects(names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`Not read: what is embedded in it (${nameSome(names)}).`];
}

/** The note about comments that are not in the text; none for no comment. */
export function leftOutComments(count: number): readonly string[] {
  return count === 0 ? [] : [`Left out: its comments (${count}).`];
}

/** An alternative text as it stands in the text: `[Image: the harbour]`; `""` for a picture without one. */
export function imageText(alternative: string | undefined): string {
  const line = oneLine(alternative ?? "");
  return line === "" ? "" : `[Image: ${line}]`;
}
