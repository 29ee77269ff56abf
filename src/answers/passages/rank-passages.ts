import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Hit, HitPart } from "../../contracts/retriever.ts";
import { languageOfHits } from "../hits-language.ts";
import { digitsOf } from "../citations/digits-of.ts";
import { askedWeights, shareHeld, type TermWeights, weighTerms } from "../term-weights.ts";
import { linkEntry, pageEntry } from "../../text/contents-lines.ts";
import { findBlocks } from "../../text/find-blocks.ts";
import { segmentSentences } from "../../text/sentences.ts";
import { createStances, type Stance } from "./opposite-actions.ts";
import { isPointer } from "./pointers.ts";
import type { FoundQuotable } from "./read-passages.ts";

/** A passage, and how well it may answer. */
export interface RankedQuotable extends FoundQuotable {
  /** Higher is better; comparable within one question only. */
  readonly score: number;
  /** Share of the question's rarity in the passage and its context, from 0 to 1. */
  readonly coverage: number;
  /** The same, in the passage alone. */
  readonly held: number;
  /** Its action is the opposite of the question's: no quotation begins with it. */
  readonly isOpposite: boolean;
  /** Whether it may stand first: it is no opposite, and has the question's numbers. */
  readonly mayLead: boolean;
}

/** Weights beside BM25, which is at most some 2. **Source** our own choice: on the pages of a documentation, half or double of each changes little. */
const weights = {
  /** For terms that stand in the title, the headings or the context only. */
  heading: 0.3,
  /** For a passage whose innermost heading is the question, as in a list of questions and answers. */
  asked: 1.5,
  /** For the best hit that overlaps the passage: its score beside the top one's. */
  hit: 0.6,
  /** For the best hit in its document. */
  document: 0.2,
  codeAlone: -0.5,
  /** For rows of a table, which list much and say little. */
  rows: -0.35,
  /** The same again, as far as the question does not name a row. */
  unnamedRows: -0.35,
  /** For a passage that ends with a colon. */
  leadIn: -0.3,
};

/** BM25 over passages, of which most have some seventy terms. */
const k1 = 1.2;
const b = 0.7;
const meanLength = 70;

/** A term in code counts as so much of one in prose: an example that repeats the question does not answer it. */
const termInCode = 0.3;
/** A row is named by this share of the question's rarity in its first cell. */
const namedShare = 0.4;

/** Passages with a smaller share of their letters outside of links are links. */
const leastSaid = 0.25;

/**
 * Orders the passages that may be quoted by how well they answer the question.
 *
 * The score adds BM25 over the passages, terms that stand in headings only, and the scores of the hits around.
 *
 * **Shape** best first; ties by the document's place, then by position. Tables of contents, and passages that only point elsewhere, are left out; for a "why",
 * code alone too.
 * **Source** a formula chosen on the pages of a documentation; `bench/answers/quotations.ts` measures it.
 * **Cost** linear in the passages' texts.
 */
export function rankPassages(
  question: string,
  passages: readonly FoundQuotable[],
  hits: readonly Hit[],
  analyzer: Analyzer,
): readonly RankedQuotable[] {
  const language = languageOfHits(hits);
  const asked = [...new Set(analyzer.analyze(question.replace(measure, "$1"), language))];
  const isWhy = why.test(question);
  const stanceOf = createStances(question);
  const numbers = digitsOf(question);
  const mayPoint = asksForPage.test(question);
  const readable = passages.filter(
    (passage) =>
      !listsContents(passage) &&
      !isLinks(passage) &&
      (mayPoint || !pointsElsewhere(passage)) &&
      !(isWhy && isCodeAlone(passage)),
  );
  const counted = readable.map((passage) => {
    const { counts, length, names } = countTerms(passage, analyzer, language, mayPoint);
    const above = new Set(
      analyzer.analyze([passage.hit.source.title, ...passage.headings, passage.lead].join("\n"), language),
    );
    return { passage, counts, length, names, above };
  });
  const rarity =
    askedWeights(question, hits, analyzer, language) ?? weighTerms(counted.map(({ counts }) => new Set(counts.keys())));
  const mass = asked.reduce((sum, term) => sum + rarity(term), 0);
  const top = hits.reduce((most, { score }) => Math.max(most, score), 0);
  const bestOf = new Map<string, number>();
  const scoreOf = ({ score, rank }: Pick<Hit, "score" | "rank">): number =>
    top > 0 ? Math.max(0, score) / top : 1 / rank;
  // A joined hit has the score of its best part, which says nothing of the others.
  const chunks = hits.flatMap((hit): readonly ScoredPlace[] => hit.parts ?? [{ ...hit, ...hit.source }]);
  for (const hit of hits) {
    const key = `${hit.scope} ${hit.documentId}`;
    bestOf.set(key, Math.max(bestOf.get(key) ?? 0, scoreOf(hit)));
  }
  return counted
    .map(({ passage, counts, length, names, above }): RankedQuotable => {
      const { hit, isInHit } = passage;
      const overlapping = chunks.filter(
        (one) =>
          one.documentId === hit.documentId &&
          one.scope === hit.scope &&
          one.start < passage.end &&
          passage.start < one.end,
      );
      const ofHit = isInHit ? Math.max(0, ...overlapping.map(scoreOf)) : 0;
      const ofDocument = bestOf.get(`${hit.scope} ${hit.documentId}`) ?? 0;
      const held = shareHeld(asked, new Set(counts.keys()), rarity);
      const onlyAbove = shareHeld(asked, new Set([...above].filter((term) => !counts.has(term))), rarity);
      const isAsked = isSame(new Set(analyzer.analyze(passage.headings.at(-1) ?? "", language)), asked);
      const score =
        bm25(asked, counts, length, rarity) / (mass || 1) +
        weights.heading * onlyAbove +
        weights.hit * ofHit +
        weights.document * ofDocument +
        (isCodeAlone(passage) ? weights.codeAlone : 0) +
        (isAsked ? weights.asked : 0) +
        (isAsked || isAskedCell(passage, asked, analyzer, language) ? 0 : weighRows(names, asked, rarity)) +
        (/[:：]$/u.test(passage.text) ? weights.leadIn : 0);
      const isOpposite = opposes(passage, asked, stanceOf, analyzer, language);
      return {
        ...passage,
        score,
        coverage: held + onlyAbove,
        held,
        isOpposite,
        mayLead: !isOpposite && holdsAll(passage, numbers),
      };
    })
    .sort((x, y) => y.score - x.score || x.rank - y.rank || x.start - y.start);
}

/**
 * Terms of a passage with their counts, and the terms of the first cell of each of its rows. A row says the names of its columns too. Pointers count where the question
 * asks for them.
 */
function countTerms(
  { text, fence = "", row, lead }: FoundQuotable,
  analyzer: Analyzer,
  language: string,
  mayPoint: boolean,
): {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  readonly names: readonly ReadonlySet<string>[];
} {
  const counts = new Map<string, number>();
  const names: ReadonlySet<string>[] = [];
  let length = 0;
  let from = 0;
  const count = (part: string, weight: number): void => {
    for (const term of analyzer.analyze(withoutTargets(mayPoint ? part : withoutPointers(part)), language)) {
      counts.set(term, (counts.get(term) ?? 0) + weight);
      length += 1;
    }
  };
  if (row !== undefined) names.push(new Set(analyzer.analyze(row.cells.find((cell) => cell !== "") ?? "", language)));
  for (const { kind, start, end } of row === undefined ? findBlocks(text, fence) : []) {
    if (kind === "row") names.push(new Set(analyzer.analyze(firstCell(text.slice(start, end)), language)));
    if (kind !== "code") continue;
    count(text.slice(from, start), 1);
    count(text.slice(start, end), termInCode);
    from = end;
  }
  count(text.slice(from), 1);
  if (row !== undefined) count(lead, 1);
  return { counts, length, names };
}

/** A bar behind a backslash does not end a cell. */
function firstCell(row: string): string {
  return /^\s*\|?((?:[^|\\]|\\.)*)/su.exec(row)?.[1] ?? "";
}

function weighRows(names: readonly ReadonlySet<string>[], asked: readonly string[], rarity: TermWeights): number {
  if (names.length === 0) return 0;
  const named = Math.max(...names.map((name) => shareHeld(asked, name, rarity)));
  return weights.rows + weights.unnamedRows * Math.max(0, 1 - named / namedShare);
}

function isSame(heading: ReadonlySet<string>, asked: readonly string[]): boolean {
  return heading.size > 0 && heading.size === asked.length && asked.every((term) => heading.has(term));
}

/** Whether the question names a cell of a row whole, such as a country, and the column of another one. */
function isAskedCell({ row }: FoundQuotable, asked: readonly string[], analyzer: Analyzer, language: string): boolean {
  if (row === undefined) return false;
  const isAsked = (term: string): boolean => asked.includes(term);
  const named = row.cells.findIndex((cell) => {
    const terms = analyzer.analyze(cell, language);
    return terms.length > 0 && terms.every(isAsked);
  });
  return (
    named !== -1 &&
    row.columns.some((name, column) => column !== named && analyzer.analyze(name, language).some(isAsked))
  );
}

type ScoredPlace = Pick<HitPart, "scope" | "documentId" | "start" | "end" | "score" | "rank">;

function bm25(
  asked: readonly string[],
  counts: ReadonlyMap<string, number>,
  length: number,
  rarity: TermWeights,
): number {
  let sum = 0;
  for (const term of asked) {
    const count = counts.get(term) ?? 0;
    sum += (rarity(term) * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / meanLength));
  }
  return sum;
}

function isCodeAlone({ kinds }: FoundQuotable): boolean {
  return kinds.size === 1 && kinds.has("code");
}

/** A question about one year is not answered by a passage about another. */
function holdsAll({ text, row, lead, headings, hit }: FoundQuotable, numbers: ReadonlySet<string>): boolean {
  if (numbers.size === 0) return true;
  const held = digitsOf(
    [hit.source.title, ...headings, lead, ...(row === undefined ? [text] : [...row.columns, ...row.cells])].join("\n"),
  );
  return [...numbers].every((number) => held.has(number));
}

/** The innermost heading with an action decides; without one, the sentences that share another term with the question. */
function opposes(
  { text, lead, headings }: FoundQuotable,
  asked: readonly string[],
  stanceOf: (text: string) => Stance,
  analyzer: Analyzer,
  language: string,
): boolean {
  const whole = stanceOf(`${lead}\n${text}`);
  const heading = stanceOf(headings.at(-1) ?? "");
  if (whole === "same" || heading === "same") return false;
  if (heading === "opposite" || whole === "neither") return heading === "opposite";
  const about = [lead, ...segmentSentences(text).map(({ start, end }) => text.slice(start, end))].filter((sentence) => {
    const terms = new Set(analyzer.analyze(sentence, language));
    return asked.some((term) => terms.has(term));
  });
  return stanceOf(about.join("\n")) === "opposite";
}

/** A sentence that sends its reader elsewhere says nothing of its subject. */
function withoutPointers(text: string): string {
  return segmentSentences(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((sentence) => !isPointer(sentence))
    .join("");
}

/** Addresses of links are not what a passage says. */
function withoutTargets(text: string): string {
  return text.replaceAll(/\]\([^)\n]{0,200}\)|\bhttps?:\/\/\S{1,500}/gu, "]");
}

/** A question for a measure: its word is no word of the answer. **Source** our own choice, in English and German. */
const measure =
  /(?<![\p{L}\p{Nd}])(how|wie) (?:long|often|many|much|far|old|big|large|lange|oft|viele?|weit|alt|groß)(?![\p{L}\p{Nd}])/giu;
/** **Source** our own choice: how questions for a reason begin in languages that ibid stems, and in Chinese, Japanese and Korean. */
const why =
  /^\W*(?:why|how come|for what reason|what(?:['’]s| is) the reason|warum|wieso|weshalb|pourquoi|por qué|perché|por que|waarom|varför|hvorfor|почему|зачем|لماذا)(?!\p{L})|为什么|為什麼|为何|なぜ|どうして|왜/iu;

/** The question asks for a page itself. **Source** our own choice, in English and German. */
const asksForPage =
  /^\W*(?:(?:in |on |auf )?(?:which|what|welche[rsmn]?) (?:pages?|sections?|chapters?|guides?|documents?|files?|seiten?|kapitel|abschnitt|anleitung|dokument|datei)(?!\p{L})|(?:where|is there|wo|gibt es)(?!\p{L}).*(?<!\p{L})(?:docs?|documented|documentation|described|explained|explanation|page|section|chapter|guide|tutorial|manual|handbook|read|dokumentiert|beschrieben|erklärt|dokumentation|seite|kapitel|abschnitt|anleitung|handbuch|lesen)(?!\p{L}))/iu;

/** A list of nothing but links, or lines that end in dots and a page. */
function listsContents({ text }: FoundQuotable): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.filter((line) => linkEntry.test(line) || pageEntry.test(line));
  return entries.length >= 2 && entries.length >= 0.8 * lines.length;
}

/** Hardly more than links. */
function isLinks({ text }: FoundQuotable): boolean {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const said =
    text.replaceAll(/\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)|\bhttps?:\/\/\S{1,500}/gu, "").match(/[\p{L}\p{N}]/gu)
      ?.length ?? 0;
  return said < leastSaid * letters;
}

/** A passage whose every sentence sends its reader elsewhere, announces what a page holds, or leads in what is not in it. */
function pointsElsewhere({ text, kinds }: FoundQuotable): boolean {
  if (kinds.has("code") || kinds.has("row")) return false;
  return segmentSentences(text).every(({ start, end }) => {
    const sentence = text.slice(start, end).trim();
    return isPointer(sentence) || /[:：]$/u.test(sentence);
  });
}
