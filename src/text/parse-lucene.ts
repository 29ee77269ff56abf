import { IbidError } from "../contracts/errors.ts";

/** One part of a query in Lucene's syntax. */
export interface LuceneClause {
  /** Whether a chunk needs it (`+`), must not have it (`-`), or is only the better for it. */
  readonly occurs: "should" | "must" | "not";
  readonly kind: "word" | "phrase" | "prefix" | "fuzzy";
  /** Without signs and escapes. */
  readonly text: string;
  /** For `fuzzy`: the least similarity of the words, from 0 to 1, or the number of letters that may differ, 1 or 2. Absent when the query has none. */
  readonly nearness?: number;
}

const spaces = /\s/u;

/**
 * Parses a query in Lucene's syntax: bare words (any of them), `+word` (needed), `-word` (excluded), `"several words"` (adjacent, in order), `begin*`,
 * `word~`, `word~0.8`, `word~1`. A backslash makes the next sign literal; a sign inside a word is part of the word. Fields, `AND`, `OR`, `NOT` and brackets have no meaning.
 *
 * **Errors** `invalid-argument`, with the position, for an open quotation mark, a sign without a word, an invalid distance, and a query that only
 * excludes.
 * **Source** Embabel's text search, a part of Lucene's classic query parser.
 */
export function parseLucene(query: string): readonly LuceneClause[] {
  const clauses: LuceneClause[] = [];
  let at = 0;

  function fail(message: string, position: number, hint: string): never {
    throw new IbidError("invalid-argument", `The query does not parse: ${message} at character ${position + 1}.`, {
      hint: `${hint} Without Lucene's syntax, every query is taken literally.`,
      details: { position },
    });
  }

  /** Up to a sign that ends it; **shape** its text without escapes. */
  function readUntil(ends: (sign: string) => boolean): string {
    let text = "";
    while (at < query.length && !ends(query[at]!)) {
      if (query[at] === "\\" && at + 1 < query.length) at++;
      text += query[at++]!;
    }
    return text;
  }

  function readPhrase(): Omit<LuceneClause, "occurs"> {
    const start = at++;
    const text = readUntil((sign) => sign === '"');
    if (at >= query.length) fail("a quotation mark has no other half", start, 'Close the phrase, or write \\".');
    at++;
    if (text.trim() === "") fail("a phrase is empty", start, "Put words between the quotation marks.");
    return { kind: "phrase", text };
  }

  function readWord(): Omit<LuceneClause, "occurs"> {
    const start = at;
    const text = readUntil((sign) => spaces.test(sign) || sign === "*" || sign === "~");
    const sign = query[at];
    if (sign === "*" || sign === "~") {
      if (text === "") fail(`nothing stands before ${sign}`, at, `Write at least one letter before it, or \\${sign}.`);
      at++;
      if (sign === "*" && endsHere()) return { kind: "prefix", text };
      if (sign === "*") fail("* stands inside a word", at - 1, "Put it at the end, or write \\*.");
      return { kind: "fuzzy", text, ...readNearness() };
    }
    if (text === "") fail("a sign stands alone", start, "Put a word after it.");
    return { kind: "word", text };
  }

  function readNearness(): { readonly nearness?: number } {
    const start = at;
    const text = readUntil((sign) => spaces.test(sign));
    if (text === "") return {};
    const nearness = Number(text);
    if (!/^[\d.]+$/u.test(text) || !(nearness <= 1 || nearness === 2)) {
      fail(`"${text}" is no distance`, start, "Write a share from 0 to 1, or 1 or 2 letters.");
    }
    return { nearness };
  }

  const endsHere = (): boolean => at >= query.length || spaces.test(query[at]!);

  while (at < query.length) {
    if (spaces.test(query[at]!)) {
      at++;
      continue;
    }
    const sign = query[at]!;
    const occurs = sign === "+" ? "must" : sign === "-" ? "not" : "should";
    if (occurs !== "should") at++;
    if (occurs !== "should" && endsHere()) fail(`${sign} stands alone`, at - 1, "Put a word after it.");
    clauses.push({ occurs, ...(query[at] === '"' ? readPhrase() : readWord()) });
  }
  if (clauses.length > 0 && clauses.every(({ occurs }) => occurs === "not")) {
    fail("it only excludes", 0, "Add a term to find.");
  }
  return clauses;
}

/** Plain words of a query in Lucene's syntax, for highlighting. */
export function luceneWords(clauses: readonly LuceneClause[]): string {
  return clauses.flatMap(({ occurs, text }) => (occurs === "not" ? [] : [text])).join(" ");
}
