import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { hashParts } from "../runtime/hash.ts";
import { lineError, readJsonLines } from "./read-lines.ts";

/**
 * A place that answers a question: words of a document, a page of it, or words on a page.
 *
 * @experimental
 */
export interface QuestionSpan {
  readonly uri: string;
  /** White space does not count. Absent: any words of the page. */
  readonly quote?: string;
  /** From 1: a page, or a slide of a presentation. */
  readonly page?: number;
}

/**
 * A question of one's own, and where its answer stands; or that there is none.
 *
 * @experimental
 */
export interface Question {
  /** Identifies the question, also in a baseline. */
  readonly id: string;
  /** Line in the file, from 1. */
  readonly line: number;
  readonly question: string;
  /** The document that must be found. */
  readonly uri?: string;
  /** Words that a hit must hold, white space aside; several when the answer stands in several places. Empty: any chunk of `uri` will do. */
  readonly quotes: readonly string[];
  /** Pages of `uri` of which a hit must hold a part, from 1; with `quotes`, the pages on which these stand. */
  readonly pages?: readonly number[];
  /** Documents of which one must be found, where several answer. A uri may be the end of a document's, from a slash on. */
  readonly uris?: readonly string[];
  /** Places that answer, each with its document. */
  readonly spans?: readonly QuestionSpan[];
  /** A name of your own, such as `howto`; an evaluation gives figures for each. */
  readonly kind?: string;
  /** False: nothing in the knowledge base answers it, and saying so is right. */
  readonly answerable: boolean;
  /** A remark for people. */
  readonly note?: string;
}

const keys = [
  "id",
  "question",
  "kind",
  "uri",
  "quote",
  "page",
  "uris",
  "spans",
  "answerable",
  "must",
  "near",
  "why",
  "note",
] as const;

/**
 * Reads `questions.jsonl`: one question a line, with uri, quote or page of the expected place, or `"answerable": false`.
 *
 * **Shape** `{"question": "…", "uri": "docs/keys.md", "quote": "…"}` or `{"question": "…", "uri": "report.pdf", "page": 12}`; `quote` and `page` may be lists.
 * Places in several documents are `"uris": ["…"]` and `"spans": [{"uri": "…", "quote": "…", "page": 12}]`, where a span has a quote, a page or both.
 * `id` and `kind` are names of your own; `must`, `near`, `why` and `note` are for people.
 * **Errors** `unreadable`, with file and line, for a line that is not JSON, has an unknown key, expects nothing, contradicts itself or
 * repeats another; `empty` without a question.
 *
 * @experimental
 */
export function parseQuestions(
  text: string,
  options: { readonly file?: string | undefined } = {},
): readonly Question[] {
  checkGiven("parseQuestions", "text", text, "text");
  checkOptions("parseQuestions", options, { file: true });
  const { file = "questions" } = options;
  const questions: Question[] = [];
  const lineOf = new Map<string, number>();
  for (const { value, number } of readJsonLines(text, file)) {
    const refuse = (what: string, hint: string): IbidError => lineError(file, number, what, hint);
    const unread = Object.keys(value).find((key) => !keys.some((known) => known === key));
    if (unread !== undefined)
      throw refuse(`has the key "${unread}", which nobody reads`, `Known keys: ${keys.join(", ")}.`);
    const { question, uri, quote, answerable = true } = value;
    if (!isFilled(question)) throw refuse("has no question", 'Add one: {"question": "…", "uri": "…"}.');
    if (uri !== undefined && !isFilled(uri)) throw refuse("has a uri that is no text, or blank", "Name a document.");
    const quotes = quote === undefined ? [] : Array.isArray(quote) ? (quote as readonly unknown[]) : [quote];
    if (!quotes.every(isFilled) || (Array.isArray(quote) && quotes.length === 0))
      throw refuse(
        "has a quote that is no text, or blank",
        "Copy the words that answer the question, or a list of such.",
      );
    const { page, note } = value;
    const pages = page === undefined ? [] : Array.isArray(page) ? (page as readonly unknown[]) : [page];
    if (!pages.every(isPage) || (Array.isArray(page) && pages.length === 0))
      throw refuse("has a page that is no whole number from 1", "Write the number of the page, or a list of such.");
    if (pages.length > 0 && uri === undefined)
      throw refuse("has a page of no document", 'Add the document: "uri": "report.pdf".');
    if (note !== undefined && typeof note !== "string")
      throw refuse("has a note that is no text", "Put the note in quotes.");
    if (typeof answerable !== "boolean")
      throw refuse("has an answerable that is neither true nor false", "Write true or false.");
    const { id: name, kind } = value;
    if (name !== undefined && !isFilled(name))
      throw refuse("has an id that is no text, or blank", "Name it, or leave id out.");
    if (kind !== undefined && !isFilled(kind))
      throw refuse("has a kind that is no text, or blank", "Name the kind, or leave it out.");
    const { uris = [], spans = [] } = value;
    if (!Array.isArray(uris) || !(uris as readonly unknown[]).every(isFilled))
      throw refuse("has uris that are no list of texts", 'Write "uris": ["docs/keys.md"].');
    if (!Array.isArray(spans) || !(spans as readonly unknown[]).every(isSpan))
      throw refuse(
        "has spans that are no list of places",
        'Write "spans": [{"uri": "docs/keys.md", "quote": "…"}], with a quote, a page or both.',
      );
    if ((uris.length > 0 || spans.length > 0) && (uri !== undefined || quotes.length > 0))
      throw refuse("names its places twice", 'Take "uri", "quote" and "page", or "uris" and "spans".');
    const expectsPlace = uri !== undefined || quotes.length > 0 || uris.length > 0 || spans.length > 0;
    if (answerable && !expectsPlace)
      throw refuse("does not say what must be found", 'Add "uri", "quote" or "page", or "answerable": false.');
    if (!answerable && expectsPlace)
      throw refuse("says that there is no answer, and where it stands", 'Take out "uri" and "quote", or "answerable".');
    const id =
      name ?? hashParts("question", question, uri ?? "", ...quotes, ...pages.map((number) => `page ${number}`));
    const before = lineOf.get(id);
    if (before !== undefined) throw refuse(`says the same as line ${before}`, "Take one of them out.");
    lineOf.set(id, number);
    questions.push({
      id,
      line: number,
      question,
      ...(uri !== undefined && { uri }),
      quotes,
      ...(pages.length > 0 && { pages }),
      ...(uris.length > 0 && { uris: uris as readonly string[] }),
      ...(spans.length > 0 && { spans: spans as readonly QuestionSpan[] }),
      ...(kind !== undefined && { kind }),
      answerable,
      ...(note !== undefined && { note }),
    });
  }
  if (questions.length === 0)
    throw new IbidError("empty", `${file} has no question.`, { uri: file, hint: "Add at least one line." });
  return questions;
}

function isSpan(value: unknown): value is QuestionSpan {
  if (typeof value !== "object" || value === null) return false;
  const { uri, quote, page } = value as Readonly<Record<string, unknown>>;
  const isPlace = quote !== undefined || page !== undefined;
  return isPlace && isFilled(uri) && (quote === undefined || isFilled(quote)) && (page === undefined || isPage(page));
}

const isPage = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
