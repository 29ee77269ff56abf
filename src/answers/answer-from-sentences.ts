import type { Analyzer } from "../contracts/analyzer.ts";
import type { Hit } from "../contracts/retriever.ts";
import { type Drafting, refuse } from "./answer-draft.ts";
import { createCiter, type DocumentText } from "./citations/cite-quote.ts";
import { type RankedSentence, rankSentences } from "./rank-sentences.ts";
import { openFenceAt, type SentenceKind } from "../text/find-sentences.ts";
import { languageOfHits } from "./hits-language.ts";
import { digitsOf } from "./citations/digits-of.ts";
import { createMarkerScanner } from "../text/untrusted/scan-markers.ts";

/** More than this is no answer but a page. */
const mostSentences = 3;
/** A further sentence must score at least this share of the best one's score … */
const relativeScore = 0.6;
/** … and hold at least this share of the question that the sentences before it do not. */
const newCoverage = 0.12;

/**
 * Answers without a model: the one to three sentences of the hits that best answer the question, verbatim, each with its citation.
 *
 * The best sentence comes first, the others in document order. Bracketed numbers of a source, which would look like citations, are left out of the
 * text; the quotes keep them, and line breaks too.
 *
 * **Shape** grounded by construction; refused when no sentence shares a term with the question or none can be verified. Deterministic.
 */
export async function* answerFromSentences(
  question: string,
  hits: readonly Hit[],
  analyzer: Analyzer,
  documentText: DocumentText,
): Drafting {
  const citer = createCiter(documentText);
  // Only the document knows whether a chunk begins in the midst of a code block.
  const openFences = await Promise.all(
    hits.map(async (hit) => openFenceAt((await citer.read(hit)) ?? "", hit.source.start)),
  );
  let text = "";
  for (const { hit, start, end, kind } of selectSentences(question, hits, analyzer, openFences)) {
    const sentence = showSentence(hit.text.slice(start, end), kind);
    const cited = sentence === "" ? undefined : await citer.cite(hit, { start, end });
    if (!cited?.fresh) continue;
    const delta = `${text === "" ? "" : " "}${sentence} ${cited.citation.marker}`;
    text += delta;
    yield { type: "text", delta };
    yield { type: "citation", citation: cited.citation };
  }
  if (text === "") return yield* refuse();
  return {
    text,
    citations: [...citer.citations],
    grounded: true,
    support: { by: "verbatim", unsupported: [] },
    refused: false,
    removedMarkers: [],
    removedQuotes: [],
  };
}

/** The sentences to say, in the order to say them. */
export function selectSentences(
  question: string,
  hits: readonly Hit[],
  analyzer: Analyzer,
  openFences: readonly string[] = [],
): readonly RankedSentence[] {
  const asked = new Set(analyzer.analyze(question, languageOfHits(hits)));
  const numbers = digitsOf(question);
  const [best, ...others] = rankSentences(question, hits, analyzer, { openFences }).filter(({ hit }) =>
    holdsAll(hit, numbers),
  );
  if (!best || best.coverage === 0) return [];
  const chosen = [best];
  const said = new Set([comparable(best)]);
  const covered = new Set([...best.terms].filter((term) => asked.has(term)));
  let coverage = best.coverage;
  for (const sentence of others) {
    if (chosen.length === mostSentences || sentence.score < relativeScore * best.score) break;
    // Where there is prose, what is not prose adds no sentence that reads well.
    if (sentence.kind !== "prose" || said.has(comparable(sentence))) continue;
    const gained = sentence.gain(covered);
    if (gained < newCoverage) continue;
    chosen.push(sentence);
    said.add(comparable(sentence));
    for (const term of sentence.terms) if (asked.has(term)) covered.add(term);
    coverage += gained;
    if (coverage >= 1) break;
  }
  return [best, ...chosen.slice(1).sort((a, b) => a.hitIndex - b.hitIndex || a.start - b.start)];
}

/** A question about one year is not answered by a passage about another: what has digits must stand in the passage or its headings. */
function holdsAll(hit: Hit, numbers: ReadonlySet<string>): boolean {
  if (numbers.size === 0) return true;
  const held = digitsOf([hit.source.title, ...hit.source.headings, hit.text].join("\n"));
  return [...numbers].every((number) => held.has(number));
}

function comparable({ hit, start, end }: RankedSentence): string {
  return hit.text.slice(start, end).toLowerCase().replaceAll(/\s+/gu, " ");
}

/** A sentence as it reads on one line, without numbers in brackets; code as code, in which brackets are its own. */
function showSentence(quote: string, kind: SentenceKind): string {
  if (kind === "code" && !/[`\n]/u.test(quote)) return `\`${quote}\``;
  const scanner = createMarkerScanner();
  const pieces = [...scanner.push(quote), ...scanner.finish()];
  let words = "";
  for (const [index, piece] of pieces.entries()) {
    if (piece.type !== "text") continue;
    const afterMarker = pieces[index - 1]?.type === "marker" && /^[\s\p{P}]/u.test(piece.text);
    words = (afterMarker ? words.trimEnd() : words) + piece.text;
  }
  return (kind === "prose" ? words.replaceAll(/\s+/gu, " ") : words).trim();
}
