import { IbidError } from "../contracts/errors.ts";
import { hashParts } from "../runtime/hash.ts";
import { lineError, readJsonLines } from "./read-lines.ts";

/**
 * A place that answers a question: words of a document.
 *
 * @experimental
 */
export interface QuestionSpan {
  readonly uri: string;
  readonly quote: string;
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
  /** Documents of which one must be found, where several answer. A uri may be the end of a document's, from a slash on. */
  readonly uris?: readonly string[];
  /** Places that answer, each with its document. */
  readonly spans?: readonly QuestionSpan[];
  /** A name of your own, such as `howto`; an evaluation gives figures for each. */
  readonly kind?: string;
  /** False: nothing in the knowledge base answers it, and saying so is right. */
  readonly answerable: boolean;
}

const keys = ["id", "question", "kind", "uri", "quote", "uris", "spans", "answerable", "must", "note"] as const;

/**
 * Reads `questions.jsonl`: one question a line, with the uri or the quote (or both) of the expected place, or `"answerable": false`.
 *
 * **Shape** `{"question": "…", "uri": "docs/keys.md", "quote": "…"}`; `quote` may be a list. Places in several documents are
 * `"uris": ["…"]` and `"spans": [{"uri": "…", "quote": "…"}]`. `id` and `kind` are names of your own; `must` and `note` are for people.
 * **Errors** `unreadable`, with file and line, for a line that is not JSON, has an unknown key, expects nothing, contradicts itself or
 * repeats another; `empty` without a question.
 *
 * @experimental
 */
export function parseQuestions(
  text: string,
  { file = "questions" }: { readonly file?: string } = {},
): readonly Question[] {
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
      throw refuse("has spans that are no list of places", 'Write "spans": [{"uri": "docs/keys.md", "quote": "…"}].');
    if ((uris.length > 0 || spans.length > 0) && (uri !== undefined || quotes.length > 0))
      throw refuse("names its places twice", 'Take "uri" and "quote", or "uris" and "spans".');
    const expectsPlace = uri !== undefined || quotes.length > 0 || uris.length > 0 || spans.length > 0;
    if (answerable && !expectsPlace)
      throw refuse("does not say what must be found", 'Add "uri" or "quote", or "answerable": false.');
    if (!answerable && expectsPlace)
      throw refuse("says that there is no answer, and where it stands", 'Take out "uri" and "quote", or "answerable".');
    const id = name ?? hashParts("question", question, uri ?? "", ...quotes);
    const before = lineOf.get(id);
    if (before !== undefined) throw refuse(`says the same as line ${before}`, "Take one of them out.");
    lineOf.set(id, number);
    questions.push({
      id,
      line: number,
      question,
      ...(uri !== undefined && { uri }),
      quotes,
      ...(uris.length > 0 && { uris: uris as readonly string[] }),
      ...(spans.length > 0 && { spans: spans as readonly QuestionSpan[] }),
      ...(kind !== undefined && { kind }),
      answerable,
    });
  }
  if (questions.length === 0)
    throw new IbidError("empty", `${file} has no question.`, { uri: file, hint: "Add at least one line." });
  return questions;
}

function isSpan(value: unknown): value is QuestionSpan {
  if (typeof value !== "object" || value === null) return false;
  const { uri, quote } = value as Readonly<Record<string, unknown>>;
  return isFilled(uri) && isFilled(quote);
}

const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
