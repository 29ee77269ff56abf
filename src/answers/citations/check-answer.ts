import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Answer, Citation } from "../../contracts/answer.ts";
import type { ChatModel } from "../../contracts/chat.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import type { PlacedCitation } from "./check-grounded.ts";
import { decideSupport, type SupportDecision } from "./decide-support.ts";
import { readEvidence } from "./find-quote.ts";
import { createMarkerScanner } from "../../text/untrusted/scan-markers.ts";

/**
 * How an answer is checked; everything has a default.
 *
 * @experimental
 */
export interface CheckAnswerOptions {
  /** Default: the one that stores use by default. */
  readonly analyzer?: Analyzer;
  /** Reads the answer beside what it cites. Default: none; its words are held against those of what it cites. */
  readonly judge?: ChatModel;
  readonly signal?: AbortSignal;
}

/**
 * Checks whether every sentence of an earlier, foreign or edited answer is supported by its citations.
 *
 * **Shape** a marker outside `citations` cites nothing. The cited text is the chunk, where it is among the hits, else the quote alone. The check does not look for the quotes in
 * their documents; a knowledge base has done that for its own answers.
 * **Errors** `aborted`; `invalid-argument` for an unknown option. **Cost** linear in the cited texts; with a judge, one call.
 *
 * @experimental
 */
export async function checkAnswer(
  answer: Pick<Answer, "text" | "citations"> & Partial<Pick<Answer, "hits">>,
  options: CheckAnswerOptions = {},
): Promise<SupportDecision> {
  checkOptions("checkAnswer", options, ["analyzer", "judge", "signal"]);
  const { analyzer = defaultAnalyzer, judge, signal } = options;
  const given = answer.hits ?? [];
  const quoted = answer.citations.map((citation) => given.find((hit) => isFrom(citation, hit)) ?? quoteAsHit(citation));
  // The other hits show how rare a word is.
  const hits = [...new Set([...quoted, ...given])];

  const placed: PlacedCitation[] = [];
  let words = "";
  const scanner = createMarkerScanner();
  let afterMarker = false;
  const read = (pieces: ReturnType<typeof scanner.push>): void => {
    for (const piece of pieces) {
      if (piece.type === "text") {
        // Without the marker, "days [1]." is "days."
        words = (afterMarker && /^[\s\p{P}]/u.test(piece.text) ? words.trimEnd() : words) + piece.text;
        afterMarker = false;
      } else {
        afterMarker = true;
        for (const number of piece.numbers) {
          const index = answer.citations.findIndex(({ marker }) => marker === `[${number}]`);
          const hit = quoted[index];
          if (hit) placed.push({ hitIndex: hits.indexOf(hit), offset: words.length });
        }
      }
    }
  };
  read(scanner.push(answer.text));
  read(scanner.finish());
  return decideSupport({ words, placed, hits, evidence: readEvidence(hits, analyzer), judge, signal });
}

function isFrom({ chunkId, documentId, start, end }: Citation, hit: Hit): boolean {
  const { source } = hit;
  return hit.chunkId === chunkId && hit.documentId === documentId && source.start <= start && end <= source.end;
}

function quoteAsHit({ quote, uri, title, documentId, chunkId, start, end }: Citation): Hit {
  return {
    rank: 1,
    score: 0,
    chunkId,
    documentId,
    // Nobody asks: nothing is read through it.
    scope: "deployment",
    text: quote,
    snippet: "",
    source: { uri, title, headings: [], start, end },
    metadata: {},
    origin: "user-content",
  };
}
