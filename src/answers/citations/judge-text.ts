import type { Analyzer } from "../../contracts/analyzer.ts";
import type { AnswerSentence, Citation, Support } from "../../contracts/answer.ts";
import type { ChatModel, Usage } from "../../contracts/chat.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { giveTurn } from "../../runtime/next-turn.ts";
import { createSentenceCutter, type CutSentence, positionAt } from "../sentences/cut-sentences.ts";
import { createRoleReader, type StatementJudge } from "../sentences/read-sentence.ts";
import type { CheckedPiece } from "./checked-piece.ts";
import type { TableOf } from "./hit-tables.ts";
import { type Evidence, readEvidence } from "./find-quote.ts";
import { type JudgedClaim, judgeClaims } from "./judge-claims.ts";
import { createWordsJudge, type HitQuote, type SentenceJudgement } from "./judge-sentence.ts";

/** A sentence of a complete text. */
export interface PlacedSentence {
  readonly cut: CutSentence;
  /** Where it stands in the text, markers included. */
  readonly start: number;
  readonly end: number;
}

/** A sentence with the hits that it cites. */
export interface CitingSentence extends PlacedSentence {
  /** Places among the hits, from 0. */
  readonly cited: readonly number[];
  /** It has citations, though none of them may lead to a hit. */
  readonly isCited: boolean;
  /** Its words stand in its first hit as they are. */
  readonly isVerbatim?: boolean | undefined;
}

export interface JudgeTextInput {
  readonly text: string;
  readonly sentences: readonly CitingSentence[];
  readonly hits: readonly Hit[];
  readonly analyzer: Analyzer;
  /** Default: no hit holds rows of delimited text. */
  readonly tableOf?: TableOf | undefined;
  readonly judge?: ChatModel | undefined;
  readonly minSupport?: number | undefined;
  /** The citations of words that carried a verdict. `undefined` where a document does not hold them. */
  readonly cite: (quotes: readonly HitQuote[]) => Promise<readonly Citation[] | undefined>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sentences of an answer with their verdicts.
 *
 * @experimental
 */
export interface CheckedAnswer {
  /** It claims something, and quotations support every claim. */
  readonly grounded: boolean;
  /** **Shape** places in the text as given. */
  readonly sentences: readonly AnswerSentence[];
  readonly support: Support;
  /** Absent where no judge answered; nothing in it where the judge does not count. */
  readonly usage?: Usage;
}

/**
 * Judges each sentence of a complete text by the hits that it cites.
 *
 * **Errors** `aborted`; those of `cite`. **Cost** linear in the cited hits; with a judge, one call. Others have their turn between two sentences.
 */
export async function judgeText(input: JudgeTextInput): Promise<CheckedAnswer> {
  const { text, hits, analyzer, judge, minSupport, cite, signal } = input;
  const evidence = readEvidence(hits, analyzer, input.tableOf);
  const judgeWords = createWordsJudge(hits, evidence, minSupport);
  const everything = [...hits.keys()];
  const judgeStatement: StatementJudge = (statement) => judgeWords(statement, everything);
  const readRole = createRoleReader(analyzer, evidence.language, judgeStatement);
  const namesColumns = createHeaderTest(hits, evidence.tables);
  const claims: CitingSentence[] = [];
  const asked: JudgedClaim[] = [];
  for (const sentence of input.sentences) {
    await giveTurn();
    throwIfAborted(signal, "The answer");
    const { cut, cited, isCited } = sentence;
    if (readRole(cut) !== "claim" || namesColumns(cut.words)) continue;
    const byWords = judgeWords(cut.words, cited);
    const verdict = byWords.verdict === "uncited" && isCited ? "unsupported" : byWords.verdict;
    claims.push(sentence);
    asked.push({ text: cut.words, cited, byWords: { ...byWords, verdict } });
  }
  const judgement = judge && (await judgeClaims(asked, { hits, evidence, judgeWords, judge, signal }));
  const judged = judgement?.verdicts ?? asked.map(({ byWords }) => byWords);
  const verdicts = new Map(claims.map((claim, index) => [claim, verbatim(claim, hits) ?? judged[index]]));
  const sentences: AnswerSentence[] = [];
  for (const one of input.sentences) {
    const { start, end, cut } = one;
    const place = { text: text.slice(start, end), start, end };
    const given = verdicts.get(one);
    if (given === undefined) {
      sentences.push({ ...place, claims: false, quotes: [], unsupportedWords: [] });
      continue;
    }
    const quotes = await cite(given.quotes);
    const verdict: SentenceJudgement =
      quotes === undefined ? { ...given, verdict: "unsupported", support: 0, by: "words" } : given;
    sentences.push({
      ...place,
      claims: true,
      verdict: verdict.verdict,
      support: verdict.support,
      by: verdict.by,
      quotes: verdict.verdict === "unsupported" ? [] : (quotes ?? []),
      unsupportedWords: verdict.verdict === "supported" ? [] : placeWords(start, cut, verdict.unsupportedWords),
    });
  }
  const said = sentences.filter((sentence) => sentence.claims);
  return {
    grounded: said.length > 0 && said.every(({ verdict }) => verdict === "supported"),
    sentences,
    support: {
      by: said.some(({ by }) => by === "judge") ? "judge" : "words",
      ...(judgement?.failure && { judgeFailure: judgement.failure }),
    },
    ...(judgement && { usage: judgement.usage }),
  };
}

/** Whether a line has the names of a table's columns and nothing else: an answer shows them above a row. */
function createHeaderTest(hits: readonly Hit[], tables: Evidence["tables"]): (line: string) => boolean {
  const wordsOf = (text: string): string => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
  const headers = new Set(
    hits.flatMap(({ source }, index) =>
      (tables[index]?.columnsIn(source.start, source.end) ?? []).map((columns) => wordsOf(columns.join(" "))),
    ),
  );
  headers.delete("");
  return (line) => headers.size > 0 && headers.has(wordsOf(line));
}

/** The judgement of words that stand in their source as they are. */
function verbatim(
  { cited: [hitIndex], isVerbatim }: CitingSentence,
  hits: readonly Hit[],
): SentenceJudgement | undefined {
  const hit = isVerbatim === true && hitIndex !== undefined ? hits[hitIndex] : undefined;
  if (hit === undefined) return undefined;
  const quotes = [{ hitIndex: hitIndex!, start: 0, end: hit.text.length }];
  return { verdict: "supported", support: 1, by: "verbatim", quotes, unsupportedWords: [], isVetoed: false };
}

/** The sentences of a complete text. **Shape** the pieces, joined, are the text. */
export function cutText(text: string, pieces: Iterable<CheckedPiece>): readonly PlacedSentence[] {
  const cutter = createSentenceCutter();
  const cuts: CutSentence[] = [];
  for (const piece of pieces) for (const cut of cutter.push(piece)) cuts.push(cut);
  for (const cut of cutter.finish()) cuts.push(cut);
  let at = 0;
  return cuts
    .map((cut) => {
      const length = cut.pieces.reduce(
        (sum, piece) => sum + (piece.type === "text" ? piece.text : piece.raw).length,
        0,
      );
      const from = at;
      at += length;
      const end = from + text.slice(from, at).trimEnd().length;
      return { cut, start: Math.min(end, from + cut.lead), end };
    })
    .filter(({ start, end }) => start < end);
}

/** Ranges of a sentence's words, as places of the text, in which markers stand between them. */
function placeWords(
  start: number,
  { pieces, lead, at: placeOf }: CutSentence,
  ranges: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  let said = 0;
  let at = start - lead;
  const stops: [number, number][] = [];
  for (const piece of pieces) {
    const { length } = piece.type === "text" ? piece.text : piece.raw;
    if (piece.type === "text") {
      stops.push([said, at]);
      said += length;
    }
    at += length;
  }
  return ranges.map(
    ([from, to]) => [positionAt(stops, placeOf(from)), positionAt(stops, placeOf(to - 1)) + 1] as const,
  );
}
