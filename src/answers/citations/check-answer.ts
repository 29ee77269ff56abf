import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Answer, Citation } from "../../contracts/answer.ts";
import type { ChatModel } from "../../contracts/chat.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { createMarkerScanner } from "../../text/untrusted/scan-markers.ts";
import { type HitTable, type TableOf, tableOfQuotation } from "./hit-tables.ts";
import type { HitQuote } from "./judge-sentence.ts";
import { cutText, type CheckedAnswer, judgeText } from "./judge-text.ts";

/**
 * How an answer is checked; everything has a default.
 *
 * @experimental
 */
export interface CheckAnswerOptions {
  /** Default: the one that stores use by default. */
  readonly analyzer?: Analyzer | undefined;
  /** Reads the answer beside what it cites. Default: none; its words are held against those of what it cites. */
  readonly judge?: ChatModel | undefined;
  /** Least support of a sentence that counts as supported. **Units** 0 to 1. */
  readonly minSupport?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks how far the citations of an earlier, foreign or edited answer support each of its sentences.
 *
 * **Shape** a marker outside `citations` cites nothing. The cited text is the quotation alone, with its `header` where it is a row of a table. The check does not look for quotations in their documents; a knowledge base
 * has done that for its own answers.
 * **Errors** `aborted`; `invalid-argument` for an unknown option. **Cost** linear in the cited texts; with a judge, one call.
 *
 * @experimental
 */
export async function checkAnswer(
  answer: Pick<Answer, "text" | "citations"> & { readonly hits?: Answer["hits"] | undefined },
  options: CheckAnswerOptions = {},
): Promise<CheckedAnswer> {
  checkGiven("checkAnswer", "answer", answer, "object", { text: "text", citations: "list" });
  checkOptions("checkAnswer", options, { analyzer: true, judge: true, minSupport: true, signal: true });
  const { analyzer = defaultAnalyzer, judge, minSupport, signal } = options;
  const { text, citations } = answer;
  const scanner = createMarkerScanner();
  const pieces = [...scanner.push(text), ...scanner.finish()].map((piece) =>
    piece.type === "text" ? piece : { ...piece, quoted: [], refuted: false, late: false },
  );
  const sentences = cutText(text, pieces).map((sentence) => {
    const numbers = sentence.cut.pieces.flatMap((piece) => (piece.type === "marker" ? piece.numbers : []));
    const cited = [...new Set(numbers)]
      .map((number) => citations.findIndex(({ marker }) => marker === `[${number}]`))
      .filter((index) => index >= 0);
    return { ...sentence, cited, isCited: cited.length > 0 };
  });
  const quoted = citations.map(quoteAsHit);
  const tables = new Map<unknown, HitTable | undefined>(
    quoted.map((hit, index) => [hit, tableOfQuotation(citations[index]!)]),
  );
  // The other hits show how rare a word is.
  const hits = [...quoted, ...(answer.hits ?? [])];
  const cite = async (quotes: readonly HitQuote[]) => [...new Set(quotes.map(({ hitIndex }) => citations[hitIndex]!))];
  const tableOf: TableOf = (hit) => tables.get(hit);
  return judgeText({ text, sentences, hits, analyzer, tableOf, judge, minSupport, cite, signal });
}

function quoteAsHit({ quote, uri, title, headings, documentId, chunkId, start, end }: Citation): Hit {
  return {
    rank: 1,
    score: 0,
    chunkId,
    documentId,
    // Nobody asks: nothing is read through it.
    scope: "deployment",
    text: quote,
    snippet: "",
    source: { uri, title, headings, start, end },
    metadata: {},
    origin: "user-content",
  };
}
