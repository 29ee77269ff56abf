/** A row of delimited text, and where it stands. */
export interface DelimitedRow {
  readonly start: number;
  /** Just after the last character of the row, before its line break. */
  readonly end: number;
  readonly cells: readonly string[];
}

/** Finds the rows of a text, one after the other. */
export interface DelimitedScanner {
  /** Where the row that begins at `start` ends; calls `cell` for each of its cells with the raw text's place and whether it is quoted. */
  scan(start: number, cell?: (from: number, to: number, quoted: boolean) => void): number;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/**
 * Scans rows and cells of delimited text with their exact places: CSV, TSV, with semicolons, with pipes.
 *
 * **Shape** line breaks are `\n`. A cell that begins with a quotation mark ends with one. A doubled mark within stands for itself, and a cell in quotes
 * may hold delimiters and line breaks. A mark that is never closed, or whose text runs over a line break into a mark inside a cell, is no quotation mark. It
 * stays as it is and its row ends with its line, so that one wrong mark does not swallow the rows after it.
 * **Cost** linear: the search for the end of a quoted cell is bounded by the length of the text.
 * **Source** RFC 4180, section 2; the leniency is ibid's.
 */
export function createDelimitedScanner(text: string, delimiter: string, to = text.length): DelimitedScanner {
  const comma = delimiter.charCodeAt(0);
  /** Characters that may still be read in vain. */
  let patience = text.length + 1024;

  /** Spaces may stand around a cell in quotes, unless they part the cells. */
  function skipSpaces(from: number): number {
    let at = from;
    if (delimiter !== " ") while (at < to && text.charCodeAt(at) === 0x20) at += 1;
    return at;
  }

  /** Just after the mark that closes a quoted cell whose text begins at `from`; `undefined` when the opening mark was none. */
  function closeQuote(from: number): number | undefined {
    let crossed = false;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) {
        crossed = true;
        if (patience < at - from) break;
      }
      if (code !== QUOTE) continue;
      if (text.charCodeAt(at + 1) === QUOTE && at + 1 < to) {
        at += 1;
        continue;
      }
      const after = skipSpaces(at + 1);
      const next = text.charCodeAt(after);
      if (after >= to || next === comma || next === LINE_FEED) return after;
      if (crossed) {
        patience -= at - from;
        return undefined;
      }
    }
    patience -= to - from;
    return undefined;
  }

  /** The next delimiter or line break from `at` on. */
  function endOfPlain(at: number): number {
    let end = at;
    while (end < to) {
      const code = text.charCodeAt(end);
      if (code === comma || code === LINE_FEED) break;
      end += 1;
    }
    return end;
  }

  return {
    scan(start, cell) {
      let at = start;
      for (;;) {
        const open = skipSpaces(at);
        const isOpen = open < to && text.charCodeAt(open) === QUOTE;
        const closed = isOpen ? closeQuote(open + 1) : undefined;
        const end = closed ?? endOfPlain(at);
        cell?.(closed === undefined ? at : open, end, closed !== undefined);
        if (end >= to || text.charCodeAt(end) !== comma) return end;
        at = end + 1;
      }
    },
  };
}

/** The cells of the row in [start, end), unquoted, white space around them taken off. **Shape** no more than `maxCells`; what follows is left out. */
export function readDelimitedCells(
  text: string,
  delimiter: string,
  start: number,
  end: number,
  maxCells = Infinity,
): string[] {
  const cells: string[] = [];
  createDelimitedScanner(text, delimiter, end).scan(start, (from, to, quoted) => {
    if (cells.length >= maxCells) return;
    const raw = text.slice(from, to).trim();
    cells.push(quoted ? raw.slice(1, -1).replaceAll('""', '"') : raw);
  });
  return cells;
}

/** Rows of a text that hold something, in order and lazily. */
export function* readDelimitedRows(text: string, delimiter: string, from = 0): Generator<DelimitedRow, undefined> {
  const scanner = createDelimitedScanner(text, delimiter);
  for (let start = from; start < text.length;) {
    const end = scanner.scan(start);
    if (text.slice(start, end).trim() !== "") {
      yield { start, end, cells: readDelimitedCells(text, delimiter, start, end) };
    }
    start = end + 1;
  }
}
