import { checkGiven } from "../runtime/check-options.ts";
import { IbidError } from "../contracts/errors.ts";
import { parseQrels, type Qrels } from "./qrels.ts";
import { type Line, lineError, readJsonLines } from "./read-lines.ts";

/**
 * A document of a test collection.
 *
 * @experimental
 */
export interface CollectionDocument {
  readonly id: string;
  /** `""` when it has none. */
  readonly title: string;
  readonly text: string;
}

/**
 * A test collection: documents, queries, and which document answers which query.
 *
 * @experimental
 */
export interface Collection {
  readonly documents: readonly CollectionDocument[];
  /** The text of each judged query, by id, in the order of the file. */
  readonly queries: ReadonlyMap<string, string>;
  readonly qrels: Qrels;
  /** Documents that were judged relevant and are not in the collection: nobody can find them. */
  readonly missing: readonly string[];
}

/**
 * One file of a collection: its text, and its name for messages.
 *
 * @experimental
 */
export interface CollectionFile {
  readonly text: string;
  readonly file: string;
}

/**
 * Reads a test collection in BEIR's layout.
 *
 * **Shape** corpus and queries have one JSON object a line: `_id`, `text`, and for a document `title` if it has one. Other keys have no effect.
 * Queries without a judgement are left out.
 * **Errors** `unreadable`, with file and line, for a line that is not JSON, a wrong `_id` (missing, blank, repeated) or text, or
 * judgements of another form; `empty` for a corpus without documents or judgements of no query; `not-found` for a judged query that is not among
 * the queries.
 * **Source** the layout of BEIR (Thakur et al., NeurIPS 2021).
 *
 * @experimental
 */
export function parseCollection(files: {
  readonly corpus: CollectionFile;
  readonly queries: CollectionFile;
  readonly qrels: CollectionFile;
}): Collection {
  checkGiven("parseCollection", "files", files, "object", { corpus: "object", queries: "object", qrels: "object" });
  const documents = Array.from(parseItems(files.corpus), ({ id, title, text }) => ({ id, title, text }));
  if (documents.length === 0) throw empty(files.corpus.file, "no document");
  const qrels = parseQrels(files.qrels.text, { file: files.qrels.file });
  if (qrels.size === 0) throw empty(files.qrels.file, "no judgement");

  const queries = new Map<string, string>();
  for (const { id, text, number } of parseItems(files.queries)) {
    if (!qrels.has(id)) continue;
    if (text.trim() === "")
      throw lineError(
        files.queries.file,
        number,
        "asks nothing: its text is blank",
        "Write the query, or take out its judgements.",
      );
    queries.set(id, text);
  }
  const unknown = [...qrels.keys()].find((id) => !queries.has(id));
  if (unknown !== undefined) {
    throw new IbidError(
      "not-found",
      `${files.qrels.file} judges query ${unknown}, which is not in ${files.queries.file}.`,
      {
        uri: files.queries.file,
        hint: "Add the query, or take its judgements out.",
      },
    );
  }
  const known = new Set(documents.map(({ id }) => id));
  const relevant = [...qrels.values()].flatMap((grades) =>
    [...grades].flatMap(([id, grade]) => (grade > 0 && !known.has(id) ? [id] : [])),
  );
  return { documents, queries, qrels, missing: [...new Set(relevant)] };
}

function* parseItems({ text, file }: CollectionFile): Generator<CollectionDocument & Pick<Line, "number">> {
  const lineOf = new Map<string, number>();
  for (const { value, number } of readJsonLines(text, file)) {
    const { _id: id, title, text: own } = value;
    if (id === undefined) throw lineError(file, number, "has no _id", 'Give it one: {"_id": "1", "text": "…"}.');
    if (typeof id !== "string" || id.trim() === "")
      throw lineError(file, number, "has an _id that is no text, or blank", "Put the id in quotes.");
    const before = lineOf.get(id);
    if (before !== undefined)
      throw lineError(file, number, `has the _id ${id} of line ${before} again`, "Give each its own _id.");
    lineOf.set(id, number);
    if (typeof own !== "string") throw lineError(file, number, "has no text", 'Add one: {"_id": "1", "text": "…"}.');
    if (title !== undefined && title !== null && typeof title !== "string")
      throw lineError(file, number, "has a title that is no text", "Put the title in quotes, or leave it out.");
    yield { id, title: title ?? "", text: own, number };
  }
}

function empty(file: string, what: string): IbidError {
  return new IbidError("empty", `${file} has ${what}.`, { uri: file, hint: "Add at least one line." });
}
