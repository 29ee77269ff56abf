// BM25 top-10 for natural questions, each library as it comes.
import { scoreRanking } from "../../beir.ts";
import { type Bar, type Bench, count, fasterBar, type Section } from "../bench.ts";
import { compete, type Entry, find, toFigures, toTable } from "../compete.ts";

const labels = {
  "ibid-words": "**ibid, memory store**",
  "ibid-words-durable": "**ibid, SQLite store**",
  minisearch: "MiniSearch",
  "orama-words": "Orama",
  "langchain-bm25": "LangChain.js BM25Retriever",
  "lancedb-words": "LanceDB full-text",
};

/** Who can be asked to hold more than a hundred thousand. */
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
      turns: { rounds: 6, count: 16, budgetMs: 1200 },
      indexings: size <= 10_000 ? 3 : 1,
    });
    const quality = new Map(entries.map((entry) => [entry, meanNdcg(bench, entry)]));
    tables.push(toTable(`${count(size)} passages`, entries, { name: "nDCG@10", of: quality }, labels));
    bars.push(...judge(size, entries, quality));
    figures.push(toFigures(entries, quality));
  }
  return {
    title: "BM25",
    about:
      "The abstracts of the Vaswani collection and its 93 questions (which are sentences), each library with its defaults. Above 11,429 passages the rest is recombined from the abstracts of Vaswani and CACM and a documentation site (see `data.ts`) and unjudged, so nDCG@10 there only ranks. Below, what is judged relevant may be missing.",
    tables,
    bars,
    figures,
  };
}

function meanNdcg({ data }: Bench, { ids, count: size }: Entry): number {
  const scores = [...ids].flatMap(([query, found]) => {
    const grades = new Map([...data.judged[query % data.judged.length]!].filter(([id]) => Number(id) < size));
    return grades.size === 0 ? [] : [scoreRanking(found, grades).ndcg];
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function judge(size: number, entries: readonly Entry[], quality: ReadonlyMap<Entry, number>): Bar[] {
  const ours = find(entries, "ibid-words");
  if (ours === undefined || size < 10_000) return [];
  return ["minisearch", "orama-words"].flatMap((name) => {
    const theirs = find(entries, name);
    if (theirs === undefined) return [];
    const label = `${count(size)}: against ${labels[name as keyof typeof labels]}`;
    return [
      ...fasterBar(`${label}, p50`, 50, theirs.query.p50, ours.query.p50),
      ...fasterBar(`${label}, p95`, 50, theirs.query.p95, ours.query.p95),
      {
        what: `${label}, nDCG@10`,
        wanted: `${quality.get(theirs)!.toFixed(3)} or more`,
        measured: quality.get(ours)!.toFixed(3),
        met: quality.get(ours)! >= quality.get(theirs)!,
      },
    ];
  });
}
