import type { Composition } from "../compose-document.ts";

/**
 * Writes a body in plain text: its paragraphs, and as quotes the runs of lines that begin with `>`.
 *
 * **Source** RFC 3676, section 4.5, for what quotes look like.
 */
export function writePlainBody(document: Composition, text: string): void {
  let lines: string[] = [];
  let isQuote = false;
  const flush = (): void => {
    document.write(lines.join("\n"), { kind: isQuote ? "quote" : "paragraph" });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const quoted = line.startsWith(">");
    if (line.trim() === "" || quoted !== isQuote) flush();
    isQuote = quoted;
    lines.push(line);
  }
  flush();
}
