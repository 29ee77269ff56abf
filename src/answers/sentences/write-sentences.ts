import type { AnswerSentence, Citation, Quotation, WithheldSentence } from "../../contracts/answer.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { ChatModel, Usage } from "../../contracts/chat.ts";
import type { IbidErrorCode } from "../../contracts/errors.ts";
import type { Hit } from "../../contracts/retriever.ts";
import type { DraftEvent } from "../answer-draft.ts";
import { addUsage } from "../../models/price-usage.ts";
import { completeMarker, lastOpeningBefore } from "../../text/untrusted/citation-marker.ts";
import type { CheckedPiece } from "../citations/checked-piece.ts";
import type { CitedQuote, Citer } from "../citations/cite-quote.ts";
import { quoteAround, readEvidence } from "../citations/find-quote.ts";
import type { TableOf } from "../citations/hit-tables.ts";
import { judgeClaims } from "../citations/judge-claims.ts";
import {
  createWordsJudge,
  type HitQuote,
  type SentenceJudgement,
  type WordsJudge,
} from "../citations/judge-sentence.ts";
import { locateWords } from "../citations/locate-words.ts";
import { cleanText } from "../untrusted/answer-filter.ts";
import { createSentenceCutter, type CutSentence, positionAt } from "./cut-sentences.ts";
import { createRoleReader, leansOnPrevious, type SentenceRole, type StatementJudge } from "./read-sentence.ts";

export interface SentenceWriterInput {
  readonly hits: readonly Hit[];
  readonly citer: Citer;
  readonly analyzer: Analyzer;
  /** Default: no hit holds rows of delimited text. */
  readonly tableOf?: TableOf | undefined;
  /** Only supported sentences are written. */
  readonly isStrict: boolean;
  readonly minSupport?: number | undefined;
  readonly judge?: ChatModel | undefined;
  /** Addresses of the sources and of the question. A sentence with any other is not supported. */
  readonly addresses: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** A written answer so far. Sentences stand where `text` has them. */
export interface WrittenSentences {
  readonly text: string;
  readonly sentences: readonly AnswerSentence[];
  readonly withheld: readonly WithheldSentence[];
  readonly removedMarkers: readonly string[];
  /** The judge's; absent where none was asked. */
  readonly usage: Usage | undefined;
  readonly judgeFailure?: IbidErrorCode;
}

/** Writes an answer sentence by sentence, each with its verdict and only with the markers that support it. */
export interface SentenceWriter {
  write(pieces: Iterable<CheckedPiece>): AsyncGenerator<DraftEvent, void>;
  /** The rest, at the end. A last sentence without an end is a fragment where the answer was broken off: it is not supported. */
  finish(isBrokenOff?: boolean): AsyncGenerator<DraftEvent, WrittenSentences>;
}

/** A sentence that is complete: the part that it plays, the hits that it cites, and the judgement of its words. */
interface ReadSentence {
  readonly cut: CutSentence;
  readonly role: SentenceRole;
  /** Places among the hits, from 0. */
  readonly cited: readonly number[];
  readonly byWords: SentenceJudgement;
}

/** Citations that each marker becomes; none for a marker that goes. */
type ResolvedMarkers = ReadonlyMap<CheckedPiece, readonly CitedQuote[]>;

/** Sentences that a judge reads in one call, unless a paragraph ends before. */
const mostJudged = 8;

/**
 * The model cites hits by number; the answer cites quotations. A marker stays where its hit supports its sentence, and becomes the numbers of the quotations that do.
 *
 * With a judge, sentences wait until a paragraph is complete and judged. Under strict grounding a sentence that is not supported is withheld, and so is one that leans on it.
 *
 * **Shape** the `text` events, joined, are the text. **Cost** with a judge, one call a paragraph.
 */
export function createSentenceWriter(input: SentenceWriterInput): SentenceWriter {
  const { hits, citer, analyzer, isStrict, minSupport, judge, addresses, signal } = input;
  const evidence = readEvidence(hits, analyzer, input.tableOf);
  const judgeByWords = createWordsJudge(hits, evidence, minSupport);
  const judgeWords: WordsJudge = (sentence, cited, quotes) => {
    const judgement = judgeByWords(sentence, cited, quotes);
    const unknown = new Set<string>();
    cleanText(sentence, addresses, unknown);
    return unknown.size === 0 ? judgement : { ...judgement, isVetoed: true };
  };
  const everything = [...hits.keys()];
  const judgeStatement: StatementJudge = (statement) => judgeWords(statement, everything);
  const readRole = createRoleReader(analyzer, evidence.language, judgeStatement);
  const sourceNames = new Set(hits.flatMap(({ source: { uri, title } }) => [uri, title]));
  const cutter = createSentenceCutter();
  const page = createPage();
  const gaps = createGaps();
  const sentences: AnswerSentence[] = [];
  const withheld: WithheldSentence[] = [];
  let waiting: ReadSentence[] = [];
  let usage: Usage | undefined;
  let judgeFailure: IbidErrorCode | undefined;

  const read = (cut: CutSentence, isFragment: boolean): ReadSentence => {
    const numbers = cut.pieces.flatMap((piece) => (piece.type === "marker" && !piece.refuted ? piece.numbers : []));
    const cited = [...new Set(numbers)].map((number) => number - 1).filter((index) => hits[index] !== undefined);
    const byWords = judgeWords(cut.words, cited);
    // A line of a list of sources.
    const role = cut.kind === "prose" && sourceNames.has(cut.words.trim()) ? "courtesy" : readRole(cut);
    return { cut, role, cited, byWords: byWords.isVetoed || isFragment ? lower(byWords) : byWords };
  };

  /** The quotations of a marker: those in its hit that carried the verdict, with the one around quoted words. Without any, those of the hit alone. */
  const quotesOf = (
    hitIndex: number,
    { cut }: ReadSentence,
    { verdict, quotes }: SentenceJudgement,
    quoted: readonly string[],
  ) => {
    if (verdict === "unsupported") return [];
    const text = hits[hitIndex]?.text ?? "";
    const said = quoteAround(
      evidence,
      hitIndex,
      quoted.map((words) => locateWords(text, words)),
    );
    const own = quotes.filter((quote) => quote.hitIndex === hitIndex);
    if (said !== undefined) {
      if (own.some(({ start, end }) => start <= said.start && said.end <= end)) return own;
      return [{ hitIndex, ...said }, ...own.filter(({ start, end }) => end <= said.start || said.end <= start)];
    }
    if (own.length > 0) return own;
    const alone = judgeWords(cut.words, [hitIndex]);
    return alone.verdict === "unsupported" ? [] : alone.quotes;
  };

  /** Words of a document as a quotation. `undefined` where the document does not hold them. */
  const verify = async ({ hitIndex, start, end }: HitQuote): Promise<Quotation | undefined> => {
    const hit = hits[hitIndex];
    return hit && (await citer.quote(hit, { start, end }));
  };

  const citeMarkers = async (sentence: ReadSentence, verdict: SentenceJudgement): Promise<ResolvedMarkers> => {
    const resolved = new Map<CheckedPiece, readonly CitedQuote[]>();
    for (const piece of sentence.cut.pieces) {
      if (piece.type !== "marker" || piece.refuted) continue;
      const places = piece.numbers
        .filter((number) => hits[number - 1] !== undefined)
        .flatMap((number) => quotesOf(number - 1, sentence, verdict, piece.quoted));
      const cites: CitedQuote[] = [];
      for (const place of places) {
        const quotation = await verify(place);
        if (quotation !== undefined) cites.push(citer.cite(quotation));
      }
      resolved.set(piece, cites);
    }
    return resolved;
  };

  const withhold = (sentence: ReadSentence, verdict: SentenceJudgement): void => {
    const { cut, role } = sentence;
    for (const piece of cut.pieces) {
      if (piece.type !== "marker") continue;
      for (const number of piece.numbers) if (hits[number - 1] === undefined) page.remove(`[${number}]`);
      if (piece.numbers.length === 0) page.remove(piece.raw);
    }
    if (cut.words !== "")
      withheld.push({
        text: cut.words,
        ...(role === "claim" && { verdict: verdict.verdict, support: verdict.support }),
      });
    gaps.leave(sentence);
  };

  async function* emit(sentence: ReadSentence, judged: SentenceJudgement): AsyncGenerator<DraftEvent, void> {
    const { cut, role } = sentence;
    const leans = gaps.reach(cut);
    if (isStrict && (role !== "claim" || judged.verdict !== "supported" || leans)) return withhold(sentence, judged);
    const carriers: Quotation[] = [];
    for (const place of judged.quotes) {
      const quotation = await verify(place);
      if (quotation !== undefined) carriers.push(quotation);
    }
    // A quotation that its document does not hold carries nothing.
    const isCarried = carriers.length === judged.quotes.length && carriers.length > 0;
    const verdict: SentenceJudgement =
      isCarried || judged.verdict === "uncited"
        ? judged
        : { ...judged, verdict: "unsupported", support: 0, by: "words" };
    if (isStrict && verdict.verdict !== "supported") return withhold(sentence, verdict);
    const resolved = await citeMarkers(sentence, verdict);
    // Quoted words may have made a longer quotation of the one that carries the sentence.
    const cited = [...resolved.values()].flatMap((cites) => cites.map(({ citation }) => citation));
    const citationOf = (quotation: Quotation): Citation =>
      cited.find((one) => isWithin(quotation, one)) ?? citer.cite(quotation).citation;
    const quotes = verdict.verdict === "unsupported" ? [] : [...new Set(carriers.map(citationOf))];
    const shown = isStrict && gaps.isOpen() ? withoutRules(cut) : cut;
    yield* put(shown, resolved);
    gaps.close();
    yield { type: "pause" };
    const place = page.end();
    if (place === undefined) return;
    const { text, start, end } = place;
    if (role !== "claim") sentences.push({ text, start, end, claims: false, quotes, unsupportedWords: [] });
    else {
      const { support, by, unsupportedWords: words } = verdict;
      const unsupportedWords =
        verdict.verdict === "supported"
          ? []
          : words.map(([from, to]) => [place.at(shown.at(from)), place.at(shown.at(to - 1)) + 1] as const);
      sentences.push({
        text,
        start,
        end,
        claims: true,
        verdict: verdict.verdict,
        support,
        by,
        quotes,
        unsupportedWords,
      });
    }
  }

  /** Writes the words and the markers of a sentence. */
  function* put(cut: CutSentence, resolved: ResolvedMarkers): Generator<DraftEvent, void> {
    page.begin(cut.lead);
    for (const piece of cut.pieces) {
      if (piece.type === "text") {
        const delta = page.say(piece.text);
        if (delta !== "") yield { type: "text", delta };
        continue;
      }
      const cites = resolved.get(piece) ?? [];
      if (cites.length === 0) {
        for (const number of piece.numbers) page.remove(`[${number}]`);
        if (piece.numbers.length === 0) page.remove(piece.raw);
      }
      for (const { citation, fresh } of cites) {
        const delta = page.mark(citation.marker);
        if (delta === "") continue;
        yield { type: "text", delta: delta.slice(0, -citation.marker.length), marker: citation.marker };
        if (fresh) yield { type: "citation", citation };
      }
    }
  }

  async function* settle(): AsyncGenerator<DraftEvent, void> {
    const batch = waiting;
    waiting = [];
    const claims = batch.filter(({ role }) => role === "claim");
    const verdicts = new Map<ReadSentence, SentenceJudgement>();
    if (judge !== undefined && claims.length > 0) {
      const asked = claims.map(({ cut, cited, byWords }) => ({ text: cut.words, cited, byWords }));
      const judgement = await judgeClaims(asked, { hits, evidence, judgeWords, judge, signal });
      usage = usage === undefined ? judgement.usage : addUsage(usage, judgement.usage);
      judgeFailure ??= judgement.failure;
      for (const [index, claim] of claims.entries()) verdicts.set(claim, judgement.verdicts[index] ?? claim.byWords);
    }
    for (const sentence of batch) yield* emit(sentence, verdicts.get(sentence) ?? sentence.byWords);
  }

  async function* take(cuts: readonly CutSentence[], isBrokenOff = false): AsyncGenerator<DraftEvent, void> {
    for (const cut of cuts) {
      const isFragment = isBrokenOff && cut === cuts.at(-1) && cut.kind !== "code" && !ended.test(cut.words);
      const startsParagraph = /\n[ \t]*\n/u.test(leadOf(cut));
      if (waiting.length === mostJudged || (waiting.length > 0 && startsParagraph)) yield* settle();
      waiting.push(read(cut, isFragment));
      if (judge === undefined) yield* settle();
    }
  }

  return {
    async *write(pieces) {
      for (const piece of pieces) yield* take(cutter.push(piece));
    },
    async *finish(isBrokenOff = false) {
      yield* take(cutter.finish(), isBrokenOff);
      yield* settle();
      const rest = { text: page.text(), sentences, withheld, removedMarkers: page.removed(), usage };
      return judgeFailure === undefined ? rest : { ...rest, judgeFailure };
    },
  };
}

/** The end of a sentence, and what may close with it. */
const ended = /[.!?…。！？][\p{Pe}\p{Pf}"'*_`~\s]*$/u;

function isWithin(one: Quotation, other: Quotation): boolean {
  const isSame = one.documentId === other.documentId && one.chunkId === other.chunkId;
  return isSame && one.start >= other.start && one.end <= other.end;
}

/** A judgement that no judge makes "supported". */
function lower(judgement: SentenceJudgement): SentenceJudgement {
  const verdict = judgement.verdict === "supported" ? "partly" : judgement.verdict;
  return { ...judgement, verdict, isVetoed: true };
}

/** White space, list sign or fence in front of a sentence. */
function leadOf({ pieces, lead }: CutSentence): string {
  const [first] = pieces;
  return first?.type === "text" ? first.text.slice(0, lead) : "";
}

/** A line of signs, which underlined a heading that was withheld or parted it from the rest. */
const ruleLines = /(?<=^|\n)[ \t]*(?:[-*_=][ \t]*){3,}(?:\n|$)/gu;

function withoutRules(cut: CutSentence): CutSentence {
  const [first, ...rest] = cut.pieces;
  if (first?.type !== "text") return cut;
  const before = leadOf(cut);
  const after = before.replaceAll(ruleLines, "");
  const removed = before.length - after.length;
  if (removed === 0) return cut;
  const pieces: CheckedPiece[] = [{ type: "text", text: after + first.text.slice(cut.lead) }, ...rest];
  return { ...cut, pieces, lead: cut.lead - removed, at: (position) => cut.at(position) - removed };
}

const listSign = /(?:^|\n)[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?$/u;

/** Sentences that were withheld, as far as the next one may lean on them. */
function createGaps() {
  let isFirst = true;
  let isOpen = false;
  /** The list or the block behind a lead-in that was withheld. */
  let list: "none" | "begins" | "goes on" = "none";
  return {
    leave({ cut, role }: ReadSentence): void {
      if (role === "courtesy") return;
      isOpen = true;
      if (role === "claim" && /[:：]["”»)*_\s]*$/u.test(cut.words)) list = "begins";
    },
    /** Whether the next sentence leans on one that was withheld. */
    reach(cut: CutSentence): boolean {
      const lead = leadOf(cut);
      const isItem = listSign.test(lead);
      if (list === "goes on" && !isItem && lead.includes("\n")) list = "none";
      const leans = list !== "none" || (isOpen && leansOnPrevious(cut.words));
      if (list === "begins") list = isItem ? "goes on" : "none";
      return leans;
    },
    /** Whether the sentence before the next one was withheld, or none was. */
    isOpen: () => isOpen || isFirst,
    close(): void {
      isFirst = false;
      isOpen = false;
    },
  };
}

/** Longer brackets are no marker. **Units** UTF-16. */
const longestMarker = 120;

/** Whether a text ends in a marker with nothing but signs of a list or of a quotation before it in its line. */
const beginsLine = (text: string, marker: string): boolean =>
  /(?:^|\n)[\s>*+\d.)-]*$/u.test(text.slice(0, -marker.length));

/** The text as it is written: white space and brackets stay right where markers go. */
function createPage() {
  const removed = new Set<string>();
  /** Sentences before the last one; `tail` is the rest. A long text that is looked at while it grows would be copied each time. */
  const parts: string[] = [];
  let tail = "";
  /** Length of `parts`. */
  let base = 0;
  // White space waits until something follows it: an answer does not end in it, and a marker that is taken out takes it along.
  let held = "";
  let justRemoved = false;
  /** Where the last marker that went would have stood; -1 before any has. */
  let removedAt = -1;
  let lastMark = { marker: "", at: -1 };
  /** Characters of the sentence before its words, and what was said of it. */
  let lead = 0;
  let said = 0;
  let from = -1;
  /** Where characters of the sentence stand in the text: `[in the sentence, in the text]`, ascending. */
  let stops: (readonly [said: number, at: number])[] = [];
  const length = (): number => base + tail.length;

  /** In `[1[3]]`, `[1` and `]` stay when `[3]` goes: together they would form an unchecked marker. */
  const unjoin = (delta: string): string => {
    const at = removedAt - base;
    if (at <= 0 || tail.length - at > longestMarker) return delta;
    const open = lastOpeningBefore(tail, at);
    const marker = open < 0 ? undefined : completeMarker.exec(tail.slice(open) + delta)?.[0];
    if (marker === undefined || open + marker.length <= at) return delta;
    const bracket = open + marker.length - 1 - tail.length;
    return delta.slice(0, bracket) + delta.slice(bracket + 1);
  };

  return {
    text: () => parts.join("") + tail,
    removed: () => [...removed],
    begin(leadLength: number) {
      const done = Math.max(0, tail.length - longestMarker);
      parts.push(tail.slice(0, done));
      base += done;
      tail = tail.slice(done);
      lead = leadLength;
      said = 0;
      from = -1;
      stops = [];
    },
    say(piece: string): string {
      const before = said;
      said += piece.length;
      // White space on both sides of what went is one too many; a line break is kept, for what follows it may be code. Ticks must not join.
      if (justRemoved && !held.includes("\n") && /^[\s\p{P}]/u.test(piece)) held = "";
      if (justRemoved && held === "" && tail.endsWith("`") && piece.startsWith("`")) held = " ";
      // A marker that began a line kept what follows it from being a fence.
      if (justRemoved && (length() === 0 || held.includes("\n")) && /^\s*[`~>]/u.test(piece)) held += "… ";
      const body = piece.trimEnd();
      const space = piece.slice(body.length);
      if (body === "") {
        held += space;
        justRemoved = false;
        return "";
      }
      justRemoved = false;
      // `[1]:` at the beginning of a line would be a definition, which leads every `[1]` away.
      if (held === "" && body.startsWith(":") && lastMark.at === length() && beginsLine(tail, lastMark.marker))
        held = " ";
      const delta = unjoin(length() === 0 ? (held + body).trimStart() : held + body);
      const skipped = delta.length - body.length;
      stops.push([before, length() + skipped]);
      tail += delta;
      if (from < 0 && said - space.length > lead) from = length() - Math.min(delta.length, said - space.length - lead);
      held = space;
      return delta;
    },
    mark(marker: string): string {
      if (lastMark.marker === marker && lastMark.at === length() && !held.includes("\n")) {
        justRemoved = true;
        return "";
      }
      const delta = (length() === 0 ? "" : held) + marker;
      held = "";
      justRemoved = false;
      if (from < 0) from = length() + delta.length - marker.length;
      tail += delta;
      lastMark = { marker, at: length() };
      return delta;
    },
    remove(marker: string): void {
      removed.add(marker);
      justRemoved = true;
      removedAt = length();
    },
    end() {
      if (from < 0) return undefined;
      const start = from;
      const end = length();
      const known = stops;
      /** Where a character of the sentence stands in the text. */
      const at = (position: number): number => Math.min(end, Math.max(start, positionAt(known, position)));
      return { text: tail.slice(start - base), start, end, at };
    },
  };
}
