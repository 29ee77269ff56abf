// The gain of the latent-semantic model over BM25, and its time. Prints nDCG@10 and Recall@100 of the lexical leg
// alone, the dense leg alone, and both fused with each weight. Also how well the top score separates a collection's own
// questions from those of the other collections (AUC).
//
//   npx node bench/latent-semantic.ts [--sample N] [--mass] <folder in BEIR's layout> [<folder>…]
//
// The score is `bm25 / √Σ idf² + m · energy · cosine of meanings + f · cosine of forms`, for several `m + f`. The idf
// are those of the query's distinct terms, unseen ones included. With `--mass` the first part is divided by `Σ idf`
// over all terms of the query. The row "embedding" is the same with the vectors as they are stored. BM25 has k1 = 0.9,
// b = 0.4 and counts repeated words of the query. One document is one chunk. Every document is scored, so no figure
// depends on the size of a pool. English collections are analysed as Lucene does, others by the default analyzer.
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { fitLatentSemantic } from "../src/engine/latent/fit-latent-semantic.ts";
import { embedTerms, formDimensions } from "../src/engine/latent/embed-terms.ts";
import { hashForms } from "../src/engine/latent/hash-forms.ts";
import type { TermCounts, TermRow } from "../src/contracts/corpus-model.ts";
import { projectLatent } from "../src/engine/latent/project-latent.ts";
import { sampleForFit } from "../src/engine/latent/sample-for-fit.ts";
import { createAnalyzer } from "../src/text/analyzer.ts";
import { createLuceneAnalyzer } from "../src/text/lucene-analyzer.ts";
import { type Item, readCollection, scoreRanking } from "./beir.ts";

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string" }, mass: { type: "boolean" } },
});
/** Weights of meaning and form; `undefined` is the embedding as it is. */
const mixtures = [
  [0, 0],
  [0.5, 0],
  [0.75, 0],
  [1, 0],
  [2, 0],
  [0, 0.25],
  [0.5, 0.25],
  [0.75, 0.25],
  [0.75, 0.5],
  [1.5, 0.5],
  undefined,
] as const;
/** Questions of another collection that are asked of this one. */
const mostOthers = 200;
const headings = mixtures.map((mixture) => mixture?.join(" + ") ?? "embedding");
const k1 = 0.9;
const b = 0.4;

/** Scores of every document, the lexical ones already divided. */
interface Scores {
  readonly lexical: Float64Array;
  readonly meaning: Float64Array;
  readonly form: Float64Array;
  readonly embedding: Float64Array;
}

interface Searched {
  readonly name: string;
  readonly ids: readonly string[];
  readonly queries: readonly Item[];
  readonly judged: ReadonlyMap<string, ReadonlyMap<string, number>>;
  score(text: string): Scores;
}

if (folders.length === 0) {
  console.error("usage: npx node bench/latent-semantic.ts [--sample N] [--mass] <folder> [<folder>…]");
  process.exitCode = 2;
} else {
  const searched: Searched[] = [];
  for (const folder of folders) searched.push(await index(folder));
  console.log(
    `\n${"nDCG@10 / Recall@100".padEnd(22)}dense only   ${headings.map((heading) => heading.padEnd(12)).join(" ")}`,
  );
  for (const one of searched) {
    const scores = one.queries.map(({ text }) => one.score(text));
    const columns = [quality(one, scores, ({ embedding }) => embedding)];
    for (const mixture of mixtures) columns.push(quality(one, scores, (all) => fuse(all, mixture)));
    console.log(`${one.name.padEnd(22)}${columns.map((column) => column.padEnd(12)).join(" ")}`);
  }
  console.log(`\n${"AUC: own < others'".padEnd(35)}${headings.map((heading) => heading.padEnd(12)).join("")}`);
  for (const one of searched) {
    const own = one.queries.map(({ text }) => one.score(text));
    for (const other of searched) {
      if (other === one) continue;
      const others = other.queries.slice(0, mostOthers).map(({ text }) => one.score(text));
      const top = (all: readonly Scores[], mixture: (typeof mixtures)[number]): number[] =>
        all.map((scores) => fuse(scores, mixture).reduce((x, y) => Math.max(x, y), 0));
      const columns = mixtures.map((mixture) => areaUnderCurve(top(own, mixture), top(others, mixture)).toFixed(3));
      console.log(`${`${one.name} < ${other.name}`.padEnd(35)}${columns.map((column) => column.padEnd(12)).join("")}`);
    }
  }
}

async function index(folder: string): Promise<Searched> {
  const { corpus, queries, judged } = readCollection(folder);
  const documents = corpus.filter(({ title = "", text }) => `${title}${text}`.trim() !== "");
  const texts = documents.map(({ title = "", text }) => `${title} ${text}`);
  const analyzer = isEnglish(texts) ? createLuceneAnalyzer() : createAnalyzer();
  const counts = texts.map((text) => count(analyzer.analyze(text)));
  const ids = documents.map(({ _id }) => _id);

  const before = process.cpuUsage();
  const started = performance.now();
  const sample = new Set(
    sampleForFit(
      documents.map(({ _id }) => ({ id: _id })),
      Number(options.sample ?? 20_000),
    ),
  );
  const fit = await fitLatentSemantic(ids.flatMap((id, i) => (sample.has(id) ? [{ id, terms: counts[i]! }] : [])));
  const [fitted, fittedCpu] = [performance.now() - started, process.cpuUsage(before).user / 1000];
  const known = new Map<string, TermRow>(fit.terms.map((term) => [term.term, term]));
  const find = (term: string): TermRow | undefined => known.get(term);
  const embeddings = counts.map((terms) => embedTerms(terms, fit.dimensions, find, "document").vector);
  const embedded = performance.now() - started - fitted;
  const meanings = counts.map((terms) => projectLatent(terms, fit.dimensions, find).direction);
  const forms = counts.map((terms) => hashForms(terms, formDimensions, find));
  const vectors = embeddings.map(unit);
  console.log(
    `${basename(folder)}: ${fit.chunks} of ${ids.length} chunks, ${fit.terms.length} terms, ${fit.dimensions} dimensions, energy ${fit.energy.toFixed(2)}; fit ${fitted.toFixed(0)} ms ` +
      `(${fittedCpu.toFixed(0)} of processor), all chunks embedded ${embedded.toFixed(0)} ms`,
  );

  const lexical = createBm25(counts);
  return {
    name: basename(folder),
    ids,
    queries,
    judged,
    score(text) {
      const terms = count(analyzer.analyze(text));
      const { vector, energy, weight } = embedTerms(terms, fit.dimensions, find, "query");
      const stored = unit(vector);
      const meaning = projectLatent(terms, fit.dimensions, find).direction;
      const form = hashForms(terms, formDimensions, find);
      return {
        lexical: lexical(terms),
        meaning: Float64Array.from(meanings, (other) => energy * dot(meaning, other)),
        form: Float64Array.from(forms, (other) => dot(form, other)),
        embedding: Float64Array.from(vectors, (other) => weight * dot(stored, other)),
      };
    },
  };
}

function createBm25(documents: readonly TermCounts[]): (query: TermCounts) => Float64Array {
  const postings = new Map<string, { readonly document: number; readonly count: number }[]>();
  const lengths = documents.map(({ counts }) => counts.reduce((sum, value) => sum + value, 0));
  const average = lengths.reduce((sum, value) => sum + value, 0) / documents.length;
  for (const [document, { terms, counts }] of documents.entries()) {
    for (const [i, term] of terms.entries()) {
      const list = postings.get(term) ?? [];
      list.push({ document, count: counts[i]! });
      postings.set(term, list);
    }
  }
  return ({ terms, counts }) => {
    const scores = new Float64Array(documents.length);
    let mass = 0;
    let squares = 0;
    for (const [i, term] of terms.entries()) {
      const found = postings.get(term) ?? [];
      const idf = Math.log(1 + (documents.length - found.length + 0.5) / (found.length + 0.5));
      mass += counts[i]! * idf;
      squares += idf * idf;
      for (const { document, count: f } of found) {
        const saturated = (f * (k1 + 1)) / (f + k1 * (1 - b + (b * lengths[document]!) / average));
        scores[document]! += counts[i]! * idf * saturated;
      }
    }
    const divisor = options.mass === true ? mass : Math.sqrt(squares);
    return divisor === 0 ? scores : scores.map((score) => score / divisor);
  };
}

function fuse(scores: Scores, mixture: (typeof mixtures)[number]): Float64Array {
  const { lexical, meaning, form, embedding } = scores;
  if (mixture === undefined) return lexical.map((score, i) => score + Math.max(0, embedding[i]!));
  const [ofMeaning, ofForm] = mixture;
  return lexical.map((score, i) => score + Math.max(0, ofMeaning * meaning[i]! + ofForm * form[i]!));
}

function quality(one: Searched, all: readonly Scores[], scoreOf: (scores: Scores) => Float64Array): string {
  let ndcg = 0;
  let recall = 0;
  for (const [i, query] of one.queries.entries()) {
    const scores = scoreOf(all[i]!);
    const order = [...scores.keys()].filter((at) => scores[at]! > 0);
    order.sort((x, y) => scores[y]! - scores[x]! || (one.ids[x]! < one.ids[y]! ? -1 : 1));
    const ranking = order.slice(0, 100).map((at) => one.ids[at]!);
    const figures = scoreRanking(ranking, one.judged.get(query._id) ?? new Map<string, number>());
    ndcg += figures.ndcg;
    recall += figures.recall;
  }
  return `${(ndcg / one.queries.length).toFixed(4)}/${(recall / one.queries.length).toFixed(3)}`;
}

/** How often one of `above` is larger than one of `below`, a tie counting half. **Source** Mann and Whitney (1947). */
function areaUnderCurve(above: readonly number[], below: readonly number[]): number {
  let wins = 0;
  for (const x of above) for (const y of below) wins += x > y ? 1 : x === y ? 0.5 : 0;
  return wins / (above.length * below.length);
}

function count(terms: readonly string[]): TermCounts {
  const counted = new Map<string, number>();
  for (const term of terms) counted.set(term, (counted.get(term) ?? 0) + 1);
  return { terms: [...counted.keys()], counts: [...counted.values()] };
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}

function unit(vector: Int8Array): Float64Array {
  const values = Float64Array.from(vector);
  const length = Math.sqrt(dot(values, values));
  return length === 0 ? values : values.map((value) => value / length);
}

/** Whether one word in ten is among the most frequent ones of English. */
function isEnglish(texts: readonly string[]): boolean {
  const words = texts.slice(0, 200).flatMap((text) => text.toLowerCase().split(/[^a-z]+/u));
  return words.filter((word) => /^(?:the|of|and|to|is)$/u.test(word)).length > words.length / 10;
}
