import type { Hit } from "../contracts/retriever.ts";
import type { Evidence } from "./find-quote.ts";
import { findSentences } from "./find-sentences.ts";
import { shareHeld } from "./term-weights.ts";

/** A citation that resolved, and where in the answer's words (markers left out) its marker stood. */
export interface PlacedCitation {
  /** Place of its hit among the hits, from 0. */
  readonly hitIndex: number;
  readonly offset: number;
}

/**
 * The share of a sentence's words, by rarity, that its cited chunks must hold.
 *
 * **Source** measured on XQuAD's English questions taken for claims: 66 % pass against the passage that answers them (a claim made from a passage shares more words with it
 * than a question does), 6 % against the other passages that were retrieved for them.
 */
export const supportedShare = 0.5;

/**
 * Whether every sentence of an answer is supported by what it cites. No model judges; the words do.
 *
 * A sentence is supported when a citation stands in it or right behind it, when the chunks so cited hold at least {@link supportedShare} of its terms by
 * rarity, and when every term with a digit in it stands in them as it is: another year is another claim. Headings and lines without words claim nothing.
 * What words cannot tell, such as a negation or the same words in another relation, this does not see; and an answer in another language than its sources is
 * not grounded by it.
 *
 * **Shape** false for a text that claims nothing.
 */
export function isGrounded(
  words: string,
  placed: readonly PlacedCitation[],
  hits: readonly Hit[],
  evidence: Evidence,
): boolean {
  const sentences = findSentences(words);
  let claims = 0;
  for (const [index, sentence] of sentences.entries()) {
    const terms = evidence.termsOf(words.slice(sentence.start, sentence.end));
    if (sentence.kind === "heading" || terms.size === 0) continue;
    claims += 1;
    const next = sentences[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const cited = placed.filter(({ offset }) => offset > sentence.start && offset <= next);
    const held = new Set(
      cited.flatMap(({ hitIndex }) => (hitIndex < hits.length ? [...(evidence.hitTerms[hitIndex] ?? [])] : [])),
    );
    if (!isSupported(terms, held, evidence)) return false;
  }
  return claims > 0;
}

/** Whether `held` supports a claim of these terms. */
export function isSupported(
  terms: ReadonlySet<string>,
  held: ReadonlySet<string>,
  evidence: Pick<Evidence, "weights">,
): boolean {
  if (held.size === 0) return false;
  for (const term of terms) if (/\p{Nd}/u.test(term) && !held.has(term)) return false;
  return shareHeld(terms, held, evidence.weights) >= supportedShare;
}
