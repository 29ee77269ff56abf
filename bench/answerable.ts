import { writeChunks } from "../src/testing/store-fixtures.ts";
// Measures that may separate answerable questions from others: the score of the default search, and other measures of the same hits.
//
//   npx node bench/answerable.ts <folder in BEIR's layout> <folder> [<folder>…]
//
// In pairs: up to 100 questions of each collection against as many of every other one. Two folders whose names begin
// alike count as the same texts. Removed: all documents that answer every second question are taken out of its
// collection, then those of the other half. The measure must separate the two halves. Printed are areas under the ROC
// curve (AUC). For the default score also the lowest pairs, with a standard error, and the removed ones by collection.
import { basename } from "node:path";
import { createGate, operator } from "../src/access/gate.ts";
import type { Hit, Retriever } from "../src/contracts/retriever.ts";
import { latentSemanticModel } from "../src/engine/latent/latent-semantic-model.ts";
import { languageAnalyzer } from "../src/text/index.node.ts";
import { createRetriever } from "../src/search/create-retriever.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { type Collection, type Item, readCollection, toChunk } from "./beir.ts";

const folders = process.argv.slice(2);
if (folders.length < 2) {
  console.error("usage: npx node bench/answerable.ts <folder> <folder> [<folder>…]");
  process.exit(2);
}

/** The first ten hits of a question, the best again with `reranker: "proximity"`, and how many chunks were searched. */
interface Asked {
  readonly hits: readonly Hit[];
  readonly near: number;
  readonly chunks: number;
}

interface Term {
  readonly idf: number;
  readonly count: number;
  readonly chunks: number;
}

const first = ({ hits }: Asked): Hit["explain"] => hits[0]?.explain;
const lexical = (asked: Asked): number => first(asked)?.legs.lexical?.score ?? 0;
const cosine = (asked: Asked): number => first(asked)?.legs.dense?.score ?? 0;
const words = (asked: Asked): readonly Term[] => first(asked)?.queryTerms ?? [];
const scoreOf = ({ hits }: Asked, rank: number): number => hits[rank - 1]?.score ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / Math.max(1, values.length);
/** Over the length of the words' rarities, a word that is asked `n` times counting `n^repeats` times, and the length to a power. */
const over = (asked: Asked, repeats: number, power = 1): number =>
  lexical(asked) / Math.hypot(...words(asked).map(({ idf, count }) => idf * count ** repeats)) ** power;
/** No word counts more than so many times what it gives when it stands once in a chunk of average length. */
const capped = (asked: Asked, most: number): number => {
  const whole = new Map(first(asked)?.queryTerms?.map(({ term, idf, count }) => [term, idf * count]));
  const held = (first(asked)?.terms ?? []).map(({ term, score }) => Math.min(score, most * (whole.get(term) ?? 0)));
  return sum(held) / Math.hypot(...words(asked).map(({ idf }) => idf));
};
/** The share of the question's rarity that stands in words which the collection has. */
const known = (asked: Asked): number =>
  sum(words(asked).map(({ idf, chunks }) => (chunks > 0 ? idf : 0))) / sum(words(asked).map(({ idf }) => idf));

/**
 * Logarithm of how rare a chunk with as many words is by chance, over one among all chunks, if words stood
 * independently. **Source** Chernoff's bound; the comparison with the number of chunks is that of BLAST's expected
 * values.
 */
function chance(asked: Asked): number {
  const parts = words(asked).map(({ idf, count, chunks }) => ({
    share: Math.max(chunks, 0.5) / asked.chunks,
    weight: idf * count,
  }));
  const score = Math.min(lexical(asked), 0.999 * sum(parts.map(({ weight }) => weight)));
  const slope = (tilt: number): number =>
    sum(
      parts.map(({ share, weight }) => {
        const held = share * Math.exp(tilt * weight);
        return (weight * held) / (1 - share + held);
      }),
    );
  if (score <= slope(0)) return 0;
  let [low, high] = [0, 20];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (slope(middle) < score) low = middle;
    else high = middle;
  }
  const bound = sum(parts.map(({ share, weight }) => Math.log(1 - share + share * Math.exp(low * weight))));
  return (low * score - bound) / Math.log(asked.chunks);
}

const measures: Readonly<Record<string, (asked: Asked) => number>> = {
  "as it is": (asked) => scoreOf(asked, 1),
  "BM25 / √Σ idf²": (asked) => over(asked, 0),
  "BM25 / √Σ n idf²": (asked) => over(asked, 0.5),
  "BM25 / √Σ (n idf)²": (asked) => over(asked, 1),
  "BM25 / (Σ idf²)^.4": (asked) => over(asked, 0, 0.8),
  "BM25 / Σ idf": (asked) => lexical(asked) / sum(words(asked).map(({ idf }) => idf)),
  "BM25 / √Σ idf², a word at most 1.25": (asked) => capped(asked, 1.25),
  "strength of evidence": (asked) => first(asked)?.strength ?? 0,
  BM25: lexical,
  "rarer than chance": chance,
  "cosine of the hit": cosine,
  "as it is, and the same cosine again": (asked) => scoreOf(asked, 1) + cosine(asked),
  "as it is · √ share of known words": (asked) => scoreOf(asked, 1) * Math.sqrt(known(asked)),
  "as it is · ⁴√ energy": (asked) => scoreOf(asked, 1) * (first(asked)?.latent?.energy || 1) ** 0.25,
  "as it is, less half the tenth": (asked) => scoreOf(asked, 1) - scoreOf(asked, 10) / 2,
  "mean of the first three": (asked) => mean([1, 2, 3].map((rank) => scoreOf(asked, rank))),
  "as it is, with proximity": ({ near }) => near,
};
const asItIs = "as it is";

const gate = createGate();
const from = gate.read(operator, ["deployment"]);
const collections = folders.map((folder) => ({ name: basename(folder), ...readCollection(folder) }));
const pairs: { name: string; aucs: Readonly<Record<string, number>>; error: number }[] = [];
const removed: { name: string; aucs: Readonly<Record<string, number>> }[] = [];

for (const collection of collections) {
  const { name } = collection;
  await withDocuments(collection.corpus, async (ask) => {
    const own = await ask(choose(collection.queries));
    for (const other of collections) {
      if (other.name.startsWith(name) || name.startsWith(other.name)) continue;
      const others = await ask(choose(other.queries));
      const aucs = areas(own, others);
      const error = standardError(aucs[asItIs]!, own.length, others.length);
      pairs.push({ name: `${name} against ${other.name}`, aucs, error });
    }
  });
  for (const half of [0, 1]) removed.push({ name, aucs: await withoutAnswers(collection, half) });
}

console.log("| | below .9 | lowest | mean | removed |\n|---|--:|--:|--:|--:|");
for (const measure of Object.keys(measures)) {
  const inPairs = pairs.map(({ aucs }) => aucs[measure]!);
  const low = inPairs.filter((area) => area < 0.9).length;
  const cells = [Math.min(...inPairs).toFixed(3), mean(inPairs).toFixed(4)];
  console.log(
    `| ${[measure, low, ...cells, mean(removed.map(({ aucs }) => aucs[measure]!)).toFixed(4)].join(" | ")} |`,
  );
}
console.log("\nthe lowest pairs of the score as it is");
for (const { name, aucs, error } of pairs.toSorted((a, b) => a.aucs[asItIs]! - b.aucs[asItIs]!).slice(0, 8)) {
  console.log(`${name.padEnd(28)} ${aucs[asItIs]!.toFixed(4)} ± ${error.toFixed(3)}`);
}
console.log("\nremoved, by collection");
for (const { name } of collections) {
  const halves = removed.filter((half) => half.name === name).map(({ aucs }) => aucs[asItIs]!);
  console.log(`${name.padEnd(28)} ${mean(halves).toFixed(3)}`);
}

async function withoutAnswers({ corpus, queries, judged }: Collection, half: number): Promise<Record<string, number>> {
  const asked = choose(queries);
  const gone = new Set(
    asked.filter((_, i) => i % 2 === half).flatMap(({ _id }) => [...(judged.get(_id)?.keys() ?? [])]),
  );
  const isLeft = ({ _id }: Item): boolean =>
    [...(judged.get(_id)?.keys() ?? [])].some((document) => !gone.has(document));
  let aucs: Record<string, number> = {};
  await withDocuments(
    corpus.filter(({ _id }) => !gone.has(_id)),
    async (ask) => {
      aucs = areas(await ask(asked.filter(isLeft)), await ask(asked.filter((question) => !isLeft(question))));
    },
  );
  return aucs;
}

type Ask = (questions: readonly Item[]) => Promise<readonly Asked[]>;

async function withDocuments(corpus: readonly Item[], use: (ask: Ask) => Promise<void>): Promise<void> {
  const store = createMemoryStore({ analyzer: languageAnalyzer, corpusModel: latentSemanticModel });
  const chunks = corpus.filter(({ text }) => text.trim() !== "").map((item) => toChunk(item));
  await writeChunks(
    store,
    gate.write(operator, "deployment"),
    chunks.map((chunk) => ({ chunk, embeddings: [] })),
  );
  await store.upkeep!.settle();
  const plain = createRetriever({ store, analyzer: languageAnalyzer });
  const nearing = createRetriever({ store, analyzer: languageAnalyzer, reranker: "proximity" });
  const search = (retriever: Retriever, text: string, topK: number): Promise<readonly Hit[]> =>
    retriever.retrieve(from, text, { topK, snippetLength: 0, explain: true });
  await use(async (questions) => {
    const asked: Asked[] = [];
    for (const { text } of questions) {
      const [near] = await search(nearing, text, 1);
      asked.push({ hits: await search(plain, text, 10), near: near?.score ?? 0, chunks: chunks.length });
    }
    return asked;
  });
  await store.close();
}

function choose(questions: readonly Item[]): readonly Item[] {
  const step = Math.max(1, Math.floor(questions.length / 100));
  return questions.filter((_, i) => i % step === 0).slice(0, 100);
}

function areas(own: readonly Asked[], others: readonly Asked[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(measures).map(([name, measure]) => {
      // A question without any hit has nothing to divide by.
      const values = (all: readonly Asked[]): number[] =>
        all.map((asked) => (asked.hits.length > 0 ? measure(asked) : 0));
      return [name, areaUnder(values(own), values(others))];
    }),
  );
}

/** The share of pairs in which the own question scores higher; a tie is half. **Source** Mann and Whitney (1947). */
function areaUnder(own: readonly number[], others: readonly number[]): number {
  let won = 0;
  for (const a of own) for (const b of others) won += a > b ? 1 : a === b ? 0.5 : 0;
  return won / own.length / others.length;
}

/** **Source** Hanley and McNeil, The Meaning and Use of the Area under a ROC Curve (Radiology 1982). */
function standardError(area: number, own: number, others: number): number {
  const [twoOwn, twoOthers] = [area / (2 - area), (2 * area * area) / (1 + area)];
  const spread = area * (1 - area) + (own - 1) * (twoOwn - area * area) + (others - 1) * (twoOthers - area * area);
  return Math.sqrt(spread / (own * others));
}
