import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { lineError, readLines } from "./read-lines.ts";

/**
 * Relevance judgements: by query, the grade of each judged document. 1 or more is relevant, 0 and below is not.
 *
 * @experimental
 */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Reads relevance judgements, as BEIR or as TREC writes them.
 *
 * **Shape** BEIR: query, document, grade, with tabs between, with or without a heading line. TREC: query, anything, document, grade, with white
 * space between. Queries in order of first appearance. The same judgement twice counts once.
 * `file` is the name that messages say. **Errors** `unreadable` for a line of another form, a grade that is no whole number, a document that has two grades for one query.
 *
 * @experimental
 */
export function parseQrels(text: string, options: { readonly file?: string | undefined } = {}): Qrels {
  checkGiven("parseQrels", "text", text, "text");
  checkOptions("parseQrels", options, { file: true });
  const { file = "qrels" } = options;
  const qrels = new Map<string, Map<string, number>>();
  let isFirst = true;
  for (const { text: line, number } of readLines(text)) {
    const fields = (line.includes("\t") ? line.split("\t") : line.trim().split(/\s+/u)).map((field) => field.trim());
    // A heading: its last field is a word where every other line has a number.
    const isHeading = isFirst && fields.length >= 3 && /^[a-z]/iu.test(fields.at(-1) ?? "");
    isFirst = false;
    if (isHeading) continue;
    const [query = "", document = "", grade = ""] = fields.length === 4 ? fields.toSpliced(1, 1) : fields;
    if (fields.length < 3 || fields.length > 4 || query === "" || document === "") {
      throw lineError(
        file,
        number,
        "is no judgement",
        "Write query, document and grade with tabs between, or as TREC does: query 0 document grade.",
      );
    }
    if (!/^[+-]?\d{1,9}$/u.test(grade))
      throw lineError(
        file,
        number,
        "has no whole number as its grade",
        "Write 0 for not relevant, 1 or more for relevant.",
      );
    const grades = qrels.get(query) ?? new Map<string, number>();
    qrels.set(query, grades);
    if ((grades.get(document) ?? Number(grade)) !== Number(grade)) {
      throw lineError(
        file,
        number,
        `gives document ${document} another grade for query ${query} than a line before`,
        "Keep one of them.",
      );
    }
    grades.set(document, Number(grade));
  }
  return qrels;
}
