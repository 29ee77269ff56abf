// Quotations with a local embedding model: as a leg of the search, and as a further score of the passages.
import { createSlices } from "../../src/knowledge-base/asking/ask.ts";
import { choosePassages } from "../../src/answers/passages/choose-passages.ts";
import { rankPassages, type RankedQuotable } from "../../src/answers/passages/rank-passages.ts";
import { readPassages } from "../../src/answers/passages/read-passages.ts";
import { createGate, operator } from "../../src/access/gate.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { TextInput } from "../../src/contracts/knowledge-base.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { shuffle } from "./random.ts";
import type { Figure } from "./report.ts";

/** A question, and whether a place of a document holds its answer. */
export interface PlacedQuestion {
  readonly question: string;
  holds(place: { readonly uri: string; readonly start: number; readonly end: number }): boolean;
}

/** Hits of a question, as `ask` finds them by default. */
const topK = 5;
/** Passages that the model sees, of those that words order. */
const mostPassages = 12;
/** Weights of the cosine beside the score of words, which is at most some 3. */
const mixtures = [0, 0.5, 1, 2, 4];
const foldCount = 5;

/** A question's passages with their cosines, best by words first. */
interface Scored {
  readonly asked: PlacedQuestion;
  readonly ranked: readonly RankedQuotable[];
  readonly cosines: readonly number[];
}

/**
 * Counts answers in the quotations when the model searches, and when its cosine of question and passage adds to the score of the passages.
 *
 * "Cross-validated" takes for each fifth of the questions the weight that is best on the others.
 */
export async function measureLocalTier(
  set: string,
  pages: readonly TextInput[],
  questions: readonly PlacedQuestion[],
  model: EmbeddingModel,
  bar: number,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const embedding of [null, model]) {
    const scored = await scorePassages(pages, questions, embedding, model);
    const search = embedding === null ? "words search" : "words and the model search";
    const outcomes = mixtures.map((weight) => scored.map((one) => outcomeOf(one, weight)));
    for (const [at, weight] of mixtures.entries()) {
      const isSearchAlone = embedding !== null && weight === 0;
      figures.push({
        name: `local model: ${search}, cosine × ${weight}, in the quotations`,
        set,
        size: questions.length,
        value: sum(outcomes[at]!, ({ either }) => either),
        ...(isSearchAlone && { atLeast: bar }),
      });
      figures.push({
        name: `local model: ${search}, cosine × ${weight}, in the first quotation`,
        set,
        size: questions.length,
        value: sum(outcomes[at]!, ({ first }) => first),
      });
    }
    figures.push({
      name: `local model: ${search}, cosine cross-validated, in the quotations`,
      set,
      size: questions.length,
      value: crossValidate(outcomes),
    });
  }
  return figures;
}

async function scorePassages(
  pages: readonly TextInput[],
  questions: readonly PlacedQuestion[],
  searching: EmbeddingModel | null,
  model: EmbeddingModel,
): Promise<readonly Scored[]> {
  const store = createMemoryStore({ analyzer: languageAnalyzer, corpusModel: latentSemanticModel });
  await using kb = await openKnowledgeBase({ store, ...(searching && { models: { embedding: searching } }) });
  await kb.ingest(pages, { settle: true });
  const proof = createGate().read(operator, ["deployment"]);
  const scored: Scored[] = [];
  for (const asked of questions) {
    const hits = await kb.search(asked.question, { topK, explain: true });
    const passages = await readPassages(hits, createSlices(store, proof), { beyondHits: true });
    const ranked = rankPassages(asked.question, passages, hits, languageAnalyzer);
    const texts = ranked
      .slice(0, mostPassages)
      .map(({ hit, headings, lead, text }) => [hit.source.title, ...headings, lead, text].join("\n"));
    const [question] = (await model.embed([asked.question], { purpose: "query" })).embeddings;
    const { embeddings } = await model.embed(texts, { purpose: "document" });
    scored.push({
      asked,
      ranked,
      cosines: embeddings.map((one) => dot(question as Float32Array, one as Float32Array)),
    });
  }
  return scored;
}

interface Outcome {
  readonly first: number;
  readonly either: number;
}

function outcomeOf({ asked, ranked, cosines }: Scored, weight: number): Outcome {
  const mixed = ranked
    .slice(0, weight === 0 ? ranked.length : mostPassages)
    .map((passage, at) => ({ ...passage, score: passage.score + weight * (cosines[at] ?? 0) }))
    .toSorted((a, b) => b.score - a.score);
  const held = choosePassages(mixed).map(({ hit, start, end }) => asked.holds({ uri: hit.source.uri, start, end }));
  return { first: Number(held[0] === true), either: Number(held.includes(true)) };
}

function crossValidate(outcomes: readonly (readonly Outcome[])[]): number {
  const order = shuffle([...outcomes[0]!.keys()], 1);
  return sum(
    Array.from({ length: foldCount }, (_, fold) => fold),
    (fold) => {
      const isOwn = (place: number): boolean => place % foldCount === fold;
      const count = (of: readonly Outcome[], own: boolean): number =>
        sum(
          order.filter((_, place) => isOwn(place) === own),
          (at) => of[at]!.either + (own ? 0 : of[at]!.first / 1000),
        );
      const best = outcomes.reduce((a, b) => (count(b, false) > count(a, false) ? b : a));
      return count(best, true);
    },
  );
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((total, value, at) => total + value * b[at]!, 0);
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
