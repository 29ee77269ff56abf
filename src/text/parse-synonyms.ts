import { checkGiven } from "../runtime/check-options.ts";
import { IbidError } from "../contracts/errors.ts";
import type { SynonymRule } from "../contracts/leg.ts";

/** Most rules of one list; a group of n phrases makes n · (n - 1). */
const mostRules = 200_000;

/**
 * Reads a list of synonyms: `a, b, c` for phrases that stand for one another, `a => b, c` for one way, `b^0.5` for a weight, `#` for a comment.
 *
 * A backslash before a comma, `=>`, `^` or `#` takes it literally. The words of the query stay in either form: `=>` adds its right side.
 *
 * **Shape** one rule for each direction, in order of lines. **Errors** `invalid-argument`, with the line. **Source** the file format of Solr and Elasticsearch;
 * weights as in Lucene's query syntax.
 *
 * @experimental
 */
export function parseSynonyms(list: string): readonly SynonymRule[] {
  checkGiven("parseSynonyms", "list", list, "text");
  const rules: SynonymRule[] = [];
  for (const [at, raw] of list
    .replace(/^\uFEFF/u, "")
    .split(/\r\n|\r|\n/u)
    .entries()) {
    const line = at + 1;
    const text = raw.replace(/(?<!\\)#.*$/u, "").trim();
    if (text === "") continue;
    const sides = text.split(/(?<!\\)=>/u);
    if (sides.length > 2) throw refuse(line, "has more than one =>", "Write one arrow a line.");
    const [left = [], right] = sides.map((side) => readPhrases(side, line));
    for (const from of left) {
      for (const to of right ?? left) {
        if (from.text !== to.text) rules.push({ from: from.text, to: to.text, weight: to.weight, line });
      }
    }
    if (rules.length > mostRules) throw refuse(line, `makes more than ${mostRules} rules`, "Give a shorter list.");
  }
  return rules;
}

function readPhrases(side: string, line: number): readonly { readonly text: string; readonly weight: number }[] {
  return side.split(/(?<!\\),/u).map((part) => {
    const [, phrase = "", boost] = /^(.*?)(?:(?<!\\)\^([^\s^]*))?$/su.exec(part.trim())!;
    const text = phrase.replaceAll(/\\(.)/gu, "$1").trim().replaceAll(/\s+/gu, " ");
    if (text === "") throw refuse(line, "has a blank phrase", "Put a phrase on either side of a comma and of =>.");
    const weight = boost === undefined ? 1 : Number(boost);
    if (boost === "" || !(weight > 0 && weight <= 10)) {
      throw refuse(
        line,
        `has the weight ${JSON.stringify(boost)}`,
        "Give a number above 0 and up to 10, such as b^0.5.",
      );
    }
    return { text, weight };
  });
}

function refuse(line: number, what: string, hint: string): IbidError {
  return new IbidError("invalid-argument", `Line ${line} of the synonyms ${what}.`, { hint, details: { line } });
}
