import type { Analyzer } from "../contracts/analyzer.ts";
import type { AnswerSentence, Quotation } from "../contracts/answer.ts";
import type { Hit } from "../contracts/retriever.ts";
import { findSentences, readOpenFence } from "../text/find-sentences.ts";
import { toPlainMarkdown } from "../text/untrusted/plain-markdown.ts";
import { neutraliseSource } from "../text/untrusted/neutralise-source.ts";
import { type Drafting, refuse } from "./answer-draft.ts";
import { createCiter, type DocumentSlices } from "./citations/cite-quote.ts";
import { choosePassages } from "./passages/choose-passages.ts";
import { createStances } from "./passages/opposite-actions.ts";
import { rankPassages, type RankedQuotable } from "./passages/rank-passages.ts";
import { readPassages } from "./passages/read-passages.ts";
import { showQuotable, type ShownQuotable } from "./passages/show-quotable.ts";
import { findAddresses } from "./untrusted/find-addresses.ts";

/** A question without a model, and the passages that may answer it. */
export interface QuotationInput {
  readonly question: string;
  readonly hits: readonly Hit[];
  readonly analyzer: Analyzer;
  readonly documents: DocumentSlices;
  /** The question is a pattern: the sentences in which it matches. */
  readonly isPattern: boolean;
  /** Where no passage shares a term with the question, the nearest one; where there is none, a statement that says so. */
  readonly anything: boolean;
  /** Passages stand within the texts of the hits, such as those of a filtered search. */
  readonly isWithinHits: boolean;
  /** Addresses that stand in sources; those of the quotations are added. */
  readonly addresses: Set<string>;
}

/** More matches of a pattern than this are no answer but a page. */
const mostMatches = 3;

/**
 * Answers without a model: the one or two passages of the hits' documents that best answer the question, verbatim, each with its citation.
 *
 * The best passage comes first. Bracketed numbers of a source, which would look like citations, are left out of the text; the quotes keep them.
 *
 * **Shape** quotations, verbatim; refused where nothing is chosen or nothing can be verified. Before an item, a row or code, the text shows its lead,
 * header or sentence, which claims nothing. Deterministic.
 */
export async function* answerFromPassages(asked: QuotationInput): Drafting {
  const { hits, documents, addresses, anything } = asked;
  const citer = createCiter(documents);
  const chosen = asked.isPattern ? await selectMatches(hits, documents) : choosePassages(await rank(asked), anything);
  let text = "";
  const sentences: AnswerSentence[] = [];
  for (const passage of chosen) {
    const { lead, body, gap } = showQuotable(passage);
    const quotation = body === "" ? undefined : await citer.quoteAt(passage.hit, passage, passage.text);
    const cited = quotation && citer.cite(quotation);
    if (!cited?.fresh) continue;
    for (const address of findAddresses(toPlainMarkdown(neutraliseSource(`${passage.lead}\n${passage.text}`))))
      addresses.add(address);
    const before = text.length;
    if (text !== "") text += "\n\n";
    if (lead !== "") {
      sentences.push({ text: lead, ...spanOf(lead), claims: false, quotes: [], unsupportedWords: [] });
      text += lead + gap;
    }
    const { marker } = cited.citation;
    const shown = body + marker;
    sentences.push({
      text: shown,
      ...spanOf(shown),
      claims: true,
      verdict: "supported",
      support: 1,
      by: "verbatim",
      quotes: [cited.citation],
      unsupportedWords: [],
    });
    text += shown;
    yield { type: "text", delta: text.slice(before, text.length - marker.length), marker, isEnd: true };
    yield { type: "citation", citation: cited.citation };
  }
  if (text === "" && anything) return yield* sayNothingFound();
  if (text === "") return yield* refuse("no-evidence");
  return {
    kind: "quotes",
    text,
    citations: [...citer.citations],
    sentences,
    verbatim: true,
    support: { by: "verbatim" },
    withheld: [],
    removedMarkers: [],
    removedQuotes: [],
  };

  function spanOf(words: string): { readonly start: number; readonly end: number } {
    return { start: text.length, end: text.length + words.length };
  }
}

const nothingFound = "No passage was found for this question.";

/** Where everything is shown and there is nothing to show: a plain statement, which quotes nothing. */
async function* sayNothingFound(): Drafting {
  yield { type: "text", delta: nothingFound, isEnd: true };
  const place = { text: nothingFound, start: 0, end: nothingFound.length };
  return {
    kind: "quotes",
    text: nothingFound,
    citations: [],
    sentences: [{ ...place, claims: false, quotes: [], unsupportedWords: [] }],
    withheld: [],
    removedMarkers: [],
    removedQuotes: [],
  };
}

/** The passages nearest to a question, best first, verified. */
export async function findNearest(
  asked: Omit<QuotationInput, "isPattern" | "anything" | "addresses">,
  most: number,
): Promise<readonly Quotation[]> {
  const citer = createCiter(asked.documents);
  const nearest: Quotation[] = [];
  for (const passage of (await rank(asked)).slice(0, most)) {
    const quotation = await citer.quoteAt(passage.hit, passage, passage.text);
    if (quotation !== undefined) nearest.push(quotation);
  }
  return nearest;
}

async function rank({
  question,
  hits,
  analyzer,
  documents,
  isWithinHits,
}: Omit<QuotationInput, "isPattern" | "anything" | "addresses">): Promise<readonly RankedQuotable[]> {
  const stanceOf = createStances(question);
  const passages = await readPassages(hits, documents, { beyondHits: !isWithinHits, stanceOf });
  return rankPassages(question, passages, hits, analyzer);
}

/** The sentences in which a pattern matches first in the best hits; front matter and tables of contents are passed over. */
async function selectMatches(hits: readonly Hit[], documents: DocumentSlices): Promise<readonly ShownQuotable[]> {
  const chosen: ShownQuotable[] = [];
  for (const hit of hits) {
    if (chosen.length === mostMatches) break;
    const marks = (await documents.marks?.(hit.documentId, hit.scope)) ?? [];
    const match = hit.matches?.find((one) => !marks.some(({ start, end }) => start < one.end && one.start < end));
    if (match === undefined) continue;
    const from = match.start - hit.source.start;
    const to = match.end - hit.source.start;
    const openFence = await fenceBefore(hit, documents);
    const found = findSentences(hit.text, { openFence }).find(
      ({ start, end }) => start < Math.max(to, from + 1) && from < end,
    );
    if (found === undefined) continue;
    const { start, end, kind } = found;
    const place = { start: hit.source.start + start, end: hit.source.start + end };
    chosen.push({
      hit,
      ...place,
      text: hit.text.slice(start, end),
      lead: "",
      fence: kind === "code" ? "```" : undefined,
    });
  }
  return chosen;
}

/** The construct that a hit begins in the midst of. A section begins outside of any. */
async function fenceBefore({ documentId, scope, source }: Hit, documents: DocumentSlices): Promise<string> {
  const from = (await documents.sectionStart?.(documentId, scope, source.start)) ?? 0;
  const read = async (start: number, end: number) => (await documents.read(documentId, scope, start, end)) ?? "";
  return readOpenFence(read, source.start, from);
}
