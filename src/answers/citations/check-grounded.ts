import type { Hit } from "../../contracts/retriever.ts";
import { digitsOf } from "./digits-of.ts";
import type { Evidence } from "./find-quote.ts";
import { findSentences } from "../../text/find-sentences.ts";
import { locateWords } from "./locate-words.ts";
import { denies, namesIn } from "./telling-details.ts";
import { shareHeld } from "../term-weights.ts";

/** A citation that resolved, and where in the answer's words (markers left out) its marker stood. */
export interface PlacedCitation {
  /** Place of its hit among the hits, from 0. */
  readonly hitIndex: number;
  readonly offset: number;
}

/** A sentence of an answer that claims something, and what it cites for it. */
export interface Claim {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Places of the cited hits among the hits, from 0. */
  readonly cited: readonly number[];
}

/**
 * The share of a claim's words, by rarity, that the chunks it cites must hold.
 *
 * **Source** measured by `bench/grounded.ts`; the figures stand in `bench/README.md`.
 */
const supportedShare = 0.5;

/** A sentence that holds this share of a claim speaks of the same thing, and must not deny what the claim affirms. **Source** as {@link supportedShare}. */
const sameMatter = 0.6;
/** A sentence that has more terms than so many times a claim's may deny something else. */
const comparableLength = 2;
/** Fewer words may stand anywhere: "stay valid" also stands in "do not stay valid". */
const leastVerbatim = 4;

/** Reads the claims of an answer: its sentences, each with the citations in it or right behind it. Headings and lines without words claim nothing. */
export function readClaims(
  words: string,
  placed: readonly PlacedCitation[],
  { termsOf }: Pick<Evidence, "termsOf">,
): readonly Claim[] {
  const sentences = findSentences(words);
  const claims: Claim[] = [];
  for (const [index, { start, end, kind }] of sentences.entries()) {
    const text = words.slice(start, end);
    const terms = termsOf(text);
    if (kind === "heading" || terms.size === 0) continue;
    const next = sentences[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const cited = placed.filter(({ offset }) => offset > start && offset <= next).map(({ hitIndex }) => hitIndex);
    claims.push({ text, terms, cited: [...new Set(cited)] });
  }
  return claims;
}

/**
 * Whether the citations of a claim support it, judged by words without a model.
 *
 * A claim is supported if a cited chunk has it word for word. Otherwise three conditions must hold:
 *
 * - The cited chunks, with titles and headings, have at least {@link supportedShare} of its terms by rarity.
 * - They have every number and every name of the claim as it is: another year or another person is another claim.
 * - At least one of their sentences on the subject agrees with the claim in having a "not" or none.
 *
 * The check misses the same words in another relation, and rejects a paraphrase or a translation.
 */
export function isSupported({ text, terms, cited }: Claim, hits: readonly Hit[], evidence: Evidence): boolean {
  const of = cited.filter((hitIndex) => hitIndex < hits.length);
  if (of.length === 0) return false;
  // A verbatim claim needs no weighing.
  if (terms.size >= leastVerbatim && of.some((index) => locateWords(hits[index]?.text ?? "", text) !== undefined))
    return true;
  const held = new Set(of.flatMap((hitIndex) => [...(evidence.hitTerms[hitIndex] ?? [])]));

  const said = of.flatMap((hitIndex) => hits[hitIndex] ?? []).map(({ text: words }) => words);
  const numbers = digitsOf(said.join("\n"));
  for (const number of digitsOf(text)) if (!numbers.has(number) && !held.has(number)) return false;
  for (const name of namesIn(text, evidence.language)) {
    for (const term of evidence.termsOf(name)) if (!held.has(term)) return false;
  }
  if (shareHeld(terms, held, evidence.weights) < supportedShare) return false;

  const denied = denies(text);
  const alike = of.flatMap((hitIndex) =>
    (evidence.sentences[hitIndex] ?? [])
      .filter(
        (sentence) =>
          sentence.terms.size <= comparableLength * terms.size &&
          shareHeld(terms, sentence.terms, evidence.weights) >= sameMatter,
      )
      .map(({ start, end }) => denies(hits[hitIndex]?.text.slice(start, end) ?? "")),
  );
  return alike.length === 0 || alike.includes(denied);
}
