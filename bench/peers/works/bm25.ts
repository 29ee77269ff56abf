// BM25 top-10 for natural questions, each library as it comes.
import { scoreRanking } from "../../beir.ts";
import { type Bar, type Bench, count, type Section } from "../bench.ts";
import { compete, type Entry, fasterBar, find, toFigures, toTable } from "../compete.ts";

const labels = {
  "ibid-words": "**ibid, memory store**",
  "ibid-words-durable": "**ibid, SQLite store**",
  minisearch: "MiniSearch",
  "orama-words": "Orama",
  "langchain-bm25": "LangChain.js BM25Retriever",
  "lancedb-words": "LanceDB full-text",
};

/** Contestants that can hold more than a hundred thousand. */
const large = ["ibid-words-durable", "lancedb-words"];

export async function run(bench: Bench): Promise<Section> {
  const tables = [];
  const bars: Bar[] = [];
  const figures = [];
  // Ten thousand are the collection as it is, so that all that is judged is there.
  const whole = bench.collectionSize;
  for (const size of bench.sizes.map((wanted) => (wanted === 10_000 ? whole : wanted))) {
    const entries = await compete(bench, {
      contestants: Object.keys(labels).filter((name) => size <= 100_000 || large.includes(name)),
      count: size,
      texts: true,
      dimensions: 0,
      topK: 10,
      turns: { rounds: 6, count: 16, budgetMs: 1500 },
      indexings: size <= 10_000 ? 3 : 1,
    });
    // A contestant without time for every question is not compared by those that it happened to answer.
    const complete = entries.filter(({ ids }) => ids.size >= bench.data.queries.length);
    const quality = new Map(complete.map((entry) => [entry, meanNdcg(bench, entry)]));
    tables.push(toTable(`${count(size)} passages`, entries, { name: "nDCG@10", of: quality }, labels));
    bars.push(...judge(bench, size, entries));
    figures.push(toFigures(entries, quality));
  }
  return {
    title: "BM25",
    about:
      "The abstracts of the Vaswani collection and its 93 questions (which are sentences), each library with its defaults. Above 11,429 passages the others are recombined from the abstracts of Vaswani and CACM and a documentation site (see `data.ts`). Those have no judgements, so nDCG@10 there only ranks. Below that size, relevant passages may be missing.",
    tables,
    bars,
    figures,
  };
}

/** **Shape** over the questions that `other`, if given, answered too. */
function meanNdcg({ data }: Bench, { ids, count: size }: Entry, other?: Entry): number {
  const scores = [...ids].flatMap(([query, found]) => {
    if (other !== undefined && !other.ids.has(query)) return [];
    const grades = new Map([...data.judged[query % data.judged.length]!].filter(([id]) => Number(id) < size));
    return grades.size === 0 ? [] : [scoreRanking(found, grades).ndcg];
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function judge(bench: Bench, size: number, entries: readonly Entry[]): Bar[] {
  const ours = find(entries, "ibid-words");
  if (ours === undefined || size < 10_000) return [];
  return ["minisearch", "orama-words"].flatMap((name) => {
    const theirs = find(entries, name);
    if (theirs === undefined) return [];
    const [own, other] = [meanNdcg(bench, ours, theirs), meanNdcg(bench, theirs, ours)];
    const label = `${count(size)}: against ${labels[name as keyof typeof labels]}`;
    return [
      ...fasterBar(`${label}, p50`, 50, "p50", theirs, ours),
      ...fasterBar(`${label}, p95`, 50, "p95", theirs, ours),
      {
        what: `${label}, nDCG@10 of the ${theirs.ids.size} questions that both answered`,
        wanted: `${other.toFixed(3)} or more`,
        measured: own.toFixed(3),
        met: own >= other,
      },
    ];
  });
}
