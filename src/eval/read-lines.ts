import { IbidError } from "../contracts/errors.ts";

/** One line of a data file, with where it stands. */
export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/** The lines that say something. A mark of byte order and `\r` before line ends go; blank lines are counted and left out. */
export function* readLines(text: string): Generator<Line> {
  let number = 0;
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  while (start < text.length) {
    let end = text.indexOf("\n", start);
    if (end === -1) end = text.length;
    number++;
    const line = text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    if (line.trim() !== "") yield { text: line, number };
    start = end + 1;
  }
}

/** One JSON object a line. **Errors** `unreadable` for a line that is none. */
export function* readJsonLines(
  text: string,
  file: string,
): Generator<{ readonly value: Readonly<Record<string, unknown>>; readonly number: number }> {
  for (const line of readLines(text)) {
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch {
      // The parser's own message quotes the line, and a query has no business in an error.
      throw lineError(file, line.number, "is not JSON", "Write one JSON object a line, with nothing around it.");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw lineError(file, line.number, "is JSON, but no object", 'Write one JSON object a line: {"_id": …}.');
    yield { value: value as Readonly<Record<string, unknown>>, number: line.number };
  }
}

/** An error with file, line, fault and hint. */
export function lineError(file: string, number: number, what: string, hint: string): IbidError {
  return new IbidError("unreadable", `${file}, line ${number} ${what}.`, {
    uri: file,
    hint,
    details: { line: number },
  });
}
