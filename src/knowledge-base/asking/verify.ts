import { type Citer, createCiter } from "../../answers/citations/cite-quote.ts";
import { readTables } from "../../answers/citations/hit-tables.ts";
import type { HitQuote } from "../../answers/citations/judge-sentence.ts";
import { judgeText } from "../../answers/citations/judge-text.ts";
import { locateVerbatim } from "../../answers/citations/locate-verbatim.ts";
import { cutAnswer, type GivenSentence } from "../../answers/given/cut-answer.ts";
import { findQuotedWords, type QuotedWords } from "../../answers/given/find-quoted-words.ts";
import { readAnswer, readCitations } from "../../answers/given/read-answer.ts";
import type { Citation, Quotation } from "../../contracts/answer.ts";
import type { Usage } from "../../contracts/chat.ts";
import type { DocumentSummary } from "../../contracts/document-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit, SearchWarning } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type {
  CheckedQuotation,
  GivenAnswer,
  GivenCitation,
  QuotationStatus,
  Verification,
  VerifyOptions,
} from "../../contracts/verification.ts";
import { limitAnswers } from "../../models/limit-answers.ts";
import { addUsage, priceOf, priceUsage, usageOf, withPrice } from "../../models/price-usage.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { giveTurn } from "../../runtime/next-turn.ts";
import { type AskStages, createSlices } from "./ask.ts";
import { createEvidenceFinder, type EvidenceFinder } from "./find-evidence.ts";

/** The parts of a question, and how the knowledge base reads a uri that a person writes. */
export interface VerifyStages extends Omit<AskStages, "store"> {
  readonly store: AskStages["store"] & Parameters<typeof createEvidenceFinder>[0]["store"];
  readonly resolveUri?: ((uri: string) => string) | undefined;
  /** Marks hits of notes that hold no longer. Default: none is marked. */
  readonly mark?: ((hits: readonly Hit[]) => Promise<readonly Hit[]>) | undefined;
}

/** A citation that was looked up. */
interface FoundCitation {
  readonly citation: GivenCitation;
  /** Documents that it names. */
  readonly documents: readonly DocumentSummary[];
  /** Its quoted words, where they stand. */
  readonly hit?: Hit | undefined;
  readonly status?: QuotationStatus | undefined;
}

/**
 * Verifies an answer that ibid did not write, against the documents that the caller may read.
 *
 * Quoted words are looked for in the source that the answer names, then anywhere. Found words are the evidence of their sentences; a source without quoted words gives its
 * passages that are nearest to the sentence. An answer without citations is judged by what a search finds for each sentence.
 *
 * A document that the caller may not read is never looked at, so its words and its name are those of no document.
 *
 * **Errors** `invalid-argument` for an answer in an unknown form; `too-large` for one with more than `maxChecks`; `aborted`.
 * **Cost** the evidence of each quotation. Without citations, one search a sentence; with a judge, one call. Others have their turn between two sentences.
 */
export async function verifyAnswer(
  stages: VerifyStages,
  scopes: AuthorizedScopes,
  answer: string | object,
  options: Omit<VerifyOptions, "scopes" | "strategy">,
): Promise<Verification> {
  const started = performance.now();
  const { signal, minSupport } = options;
  const given = readGiven(answer, options);
  const cut = cutAnswer(given);
  const quoted = findQuotedWords(given.text);
  checkCount(cut.length + given.citations.length + quoted.length, options.maxChecks);
  const judge = options.judge === undefined ? stages.judge : options.judge;
  const spent: Usage[] = [];
  const documents = createSlices(stages.store, scopes);
  const finder = createEvidenceFinder({
    ...stages,
    scopes,
    documents,
    signal,
    onUsage: (usage, model) =>
      void spent.push(usage.cost === undefined ? priceUsage(usage, priceOf(stages.prices, model)) : usage),
  });
  const found: FoundCitation[] = [];
  /** Between two checks others have their turn, and a caller who left ends the verification. */
  const pause = async (): Promise<void> => {
    await giveTurn();
    throwIfAborted(signal, "The verification");
  };
  for (const citation of given.citations) {
    await pause();
    found.push(await lookUp(finder, citation));
  }
  const sentences = await coverVerbatim(finder, cut, found, pause);
  const hits = createHitList();
  const citing = [];
  for (const sentence of sentences) {
    await pause();
    const { words } = sentence.cut;
    const own = sentence.citations.flatMap((index) => found[index] ?? []);
    const evidence =
      sentence.covered ??
      (given.citations.length === 0 ? await searchFor(finder, words) : await evidenceOf(finder, own, words));
    const isCited = own.length > 0 || given.citations.length === 0;
    citing.push({ ...sentence, isCited, cited: evidence.map(({ hit, marker }) => hits.add(hit, marker)) });
  }
  const citer = createCiter(documents);
  const { mark = async (unmarked: readonly Hit[]) => unmarked } = stages;
  const quoteOf: Citer["quote"] = async (hit, quote) => citer.quote((await mark([hit]))[0]!, quote);
  const cited: Citation[] = [];
  const cite = async (quotes: readonly HitQuote[]): Promise<readonly Citation[] | undefined> => {
    const made: Citation[] = [];
    for (const quote of quotes) {
      const hit = hits.all[quote.hitIndex];
      const quotation = hit && (await quoteOf(hit, quote));
      if (quotation === undefined) return undefined;
      made.push(citeOnce(cited, { marker: hits.markers[quote.hitIndex] ?? "", ...quotation }));
    }
    return made;
  };
  const { text } = given;
  const judged = await judgeText({
    text,
    sentences: citing,
    hits: hits.all,
    analyzer: stages.analyzer,
    tableOf: await readTables(hits.all, documents),
    judge: judge == null ? undefined : limitAnswers(withPrice(judge, stages.prices), stages.answerLimits),
    minSupport,
    cite,
    signal,
  });
  const quotations = [
    ...checkCitations(found),
    ...(await checkQuotedWords(finder, { ...given, quoted }, sentences, found, pause)),
  ];
  const places = await Promise.all(
    quotations.map(async ({ hit, ...rest }) => ({ ...rest, ...(await placeOf(quoteOf, hit)) })),
  );
  const claims = judged.sentences.filter((sentence) => sentence.claims);
  const { support, usage: ofJudge, grounded } = judged;
  return {
    // Nothing that could be checked is not verified.
    verified:
      claims.length + places.length > 0 &&
      claims.every(({ verdict }) => verdict === "supported") &&
      places.every(({ status }) => status === "found"),
    grounded,
    format: given.format,
    text,
    sentences: judged.sentences,
    quotations: places,
    citations: cited,
    unknownSources: [
      ...new Set(found.flatMap(({ citation, documents: named }) => (named.length > 0 ? [] : (nameOf(citation) ?? [])))),
    ],
    evidence: given.citations.length === 0 ? "search" : "citations",
    support: judge == null ? support : { ...support, judge: `${judge.provider}/${judge.model}` },
    ...usageOf(addUsage(...spent, ofJudge)),
    ...warningsOf(stages.warnings),
    ms: Math.round(performance.now() - started),
  };
}

function checkCount(checks: number, maxChecks = Infinity): void {
  if (checks <= maxChecks) return;
  throw new IbidError(
    "too-large",
    `The answer has ${checks} sentences, citations and quotations; at most ${maxChecks} are verified together.`,
    { hint: "Verify it in parts, such as one section after the other, or raise the limit maxChecks." },
  );
}

function readGiven(answer: string | object, { format, citations }: VerifyOptions): GivenAnswer {
  if (typeof answer !== "string" && (typeof answer !== "object" || answer === null)) {
    throw new IbidError("invalid-argument", `The answer is neither a text nor an object but ${typeof answer}.`, {
      hint: "Give a text, or the response of an API.",
    });
  }
  if (citations === undefined) return readAnswer(answer, format);
  const isText = typeof answer === "string";
  const read = isText ? readAnswer(answer) : readAnswer(answer, format);
  const beside = readCitations(read.text, citations);
  return { ...read, format: isText ? (format ?? read.format) : read.format, citations: [...read.citations, ...beside] };
}

async function lookUp(finder: EvidenceFinder, citation: GivenCitation): Promise<FoundCitation> {
  const documents = await finder.named(citation);
  const { quote } = citation;
  if (quote === undefined) return { citation, documents };
  return { citation, documents, ...(await locate(finder, documents, nameOf(citation) !== undefined, quote)) };
}

/** Looks in the named documents first, then anywhere. */
async function locate(
  finder: EvidenceFinder,
  documents: readonly DocumentSummary[],
  isNamed: boolean,
  quote: string,
): Promise<{ readonly status: QuotationStatus; readonly hit?: Hit }> {
  const there = await finder.locateIn(documents, quote);
  if (there !== undefined) return { status: "found", hit: there };
  const elsewhere = await finder.locate(quote);
  if (elsewhere === undefined) return { status: "not-found" };
  return { status: isNamed ? "found-elsewhere" : "found", hit: elsewhere };
}

function nameOf({ title, uri }: GivenCitation): string | undefined {
  return uri ?? title;
}

/** A sentence, with the evidence that holds its words where it stands there word for word. */
interface CoveredSentence extends GivenSentence {
  readonly covered?: readonly MarkedHit[];
  /** It is code, whose lines are no sentences that words could judge. */
  readonly isVerbatim?: boolean;
}

/**
 * A marker covers the sentences before it that its source has word for word, as far as they have no citation of their own. So it may stand behind a whole paragraph that it
 * quotes, as `ibid ask` prints passages.
 *
 * **Cost** at most one search through the sources of each marker in vain.
 */
async function coverVerbatim(
  finder: EvidenceFinder,
  sentences: readonly GivenSentence[],
  found: readonly FoundCitation[],
  pause: () => Promise<void>,
): Promise<readonly CoveredSentence[]> {
  const covered: CoveredSentence[] = [];
  let citations: readonly number[] = [];
  for (const sentence of sentences.toReversed()) {
    await pause();
    const isCode = sentence.cut.kind === "code";
    const hasOwn = sentence.citations.length > 0;
    if (hasOwn) ({ citations } = sentence);
    const words = hasOwn && !isCode ? "" : sentence.cut.words.replaceAll(fenceLines, "").trim();
    const held = words === "" ? undefined : await holding(words);
    if (held === undefined && !hasOwn) citations = [];
    covered.push(held === undefined ? sentence : { ...sentence, citations, covered: [held], isVerbatim: isCode });
  }
  return covered.reverse();

  async function holding(words: string): Promise<MarkedHit | undefined> {
    for (const index of citations) {
      const { citation, documents, hit } = found[index]!;
      const { marker = "" } = citation;
      if (hit !== undefined && locateVerbatim(hit.text, words) !== undefined) return { hit, marker };
      const there = await finder.locateIn(documents, words);
      if (there !== undefined) return { hit: there, marker };
    }
    return undefined;
  }
}

const fenceLines = /^[ \t]*(?:`{3,}|~{3,}).*$/gmu;

interface MarkedHit {
  readonly hit: Hit;
  readonly marker: string;
}

const searchFor = async (finder: EvidenceFinder, words: string): Promise<readonly MarkedHit[]> =>
  (await finder.search(words)).map((hit) => ({ hit, marker: "" }));

/** Quoted words that were found; for a citation that quotes nothing, the passages of its document. */
async function evidenceOf(
  finder: EvidenceFinder,
  own: readonly FoundCitation[],
  words: string,
): Promise<readonly MarkedHit[]> {
  const evidence: MarkedHit[] = [];
  for (const { citation, documents, hit } of own) {
    const { marker = "", quote } = citation;
    const passages = quote === undefined ? await finder.passages(documents, words) : hit === undefined ? [] : [hit];
    evidence.push(...passages.map((passage) => ({ hit: passage, marker })));
  }
  return evidence;
}

/** Each hit once, with the first marker that led to it. */
function createHitList() {
  const all: Hit[] = [];
  const markers: string[] = [];
  const indices = new Map<string, number>();
  return {
    all: all as readonly Hit[],
    markers: markers as readonly string[],
    add(hit: Hit, marker: string): number {
      const { scope, documentId, source } = hit;
      const key = JSON.stringify([scope, documentId, source.start, source.end]);
      const known = indices.get(key) ?? all.length;
      if (known === all.length) {
        all.push(hit);
        markers.push(marker);
        indices.set(key, known);
      }
      return known;
    },
  };
}

function citeOnce(cited: Citation[], citation: Citation): Citation {
  const known = cited.find(
    ({ marker, documentId, chunkId, start, end }) =>
      marker === citation.marker &&
      documentId === citation.documentId &&
      chunkId === citation.chunkId &&
      start === citation.start &&
      end === citation.end,
  );
  if (known === undefined) cited.push(citation);
  return known ?? citation;
}

type LocatedQuotation = Omit<CheckedQuotation, "place"> & { readonly hit?: Hit | undefined };

/** The quotations of the citations, each once. */
function checkCitations(found: readonly FoundCitation[]): readonly LocatedQuotation[] {
  const seen = new Set<string>();
  return found.flatMap(({ citation, status, hit }) => {
    const { quote, marker } = citation;
    const source = nameOf(citation);
    const key = JSON.stringify([quote, source, marker]);
    if (quote === undefined || status === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ quote, status, ...(source !== undefined && { source }), ...(marker !== undefined && { marker }), hit }];
  });
}

/** Words between quotation marks, where no citation names their source, count as a quotation from this length on. */
const leastWords = 3;

/** Words that the text itself puts between quotation marks. */
async function checkQuotedWords(
  finder: EvidenceFinder,
  { text, asides, quoted }: GivenAnswer & { readonly quoted: readonly QuotedWords[] },
  sentences: readonly GivenSentence[],
  found: readonly FoundCitation[],
  pause: () => Promise<void>,
): Promise<readonly LocatedQuotation[]> {
  const checked: LocatedQuotation[] = [];
  for (const { start, end } of quoted) {
    await pause();
    if (asides.some(([from, to]) => from <= start && end <= to)) continue;
    const sentence = sentences.find((one) => one.start <= start && start < one.end);
    const own = (sentence?.citations ?? []).flatMap((index) => found[index] ?? []);
    const quote = text.slice(start, end).trim();
    const isLong = quote.split(/\s+/u).length >= leastWords;
    if (quote === "" || (own.length === 0 && !isLong)) continue;
    const documents = own.flatMap((one) => one.documents);
    const source = own.map(({ citation }) => nameOf(citation)).find((name) => name !== undefined);
    let located = await locate(finder, documents, source !== undefined, quote);
    // Punctuation before the closing mark may be the writer's.
    const bare = quote.replace(/[.,;:!?]$/u, "");
    if (located.status !== "found" && bare !== quote && bare !== "") {
      const other = await locate(finder, documents, source !== undefined, bare);
      if (located.status === "not-found" || other.status === "found") located = other;
    }
    checked.push({ quote, ...(source !== undefined && { source }), ...located });
  }
  return checked;
}

async function placeOf(quoteOf: Citer["quote"], hit: Hit | undefined): Promise<{ readonly place?: Quotation }> {
  const place = hit && (await quoteOf(hit, { start: 0, end: hit.text.length }));
  return place === undefined ? {} : { place };
}

function warningsOf(warnings: readonly SearchWarning[] | undefined): Pick<Verification, "warnings"> {
  return warnings === undefined || warnings.length === 0 ? {} : { warnings };
}
