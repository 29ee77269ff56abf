// Exact top-10 among 384-dimensional vectors: what it takes to index them, to hold them with their texts, and to search them.
import { type Bar, type Bench, count, milliseconds, type Section } from "../bench.ts";
import { compete, type Entry, fasterBar, find, toFigures, toTable } from "../compete.ts";
import { createTruth, meanRecall } from "../truth.ts";

const labels = {
  "ibid-memory": "**ibid, memory store** ᵗ",
  "ibid-durable": "**ibid, SQLite store** ᵗ",
  "usearch-exact": "usearch `exactSearch`, 1 thread",
  "python:faiss-flat": "FAISS flat (Debian), 1 thread",
  "python:numpy": "NumPy (Debian)",
  plain: "plain Float32Array loop",
  "langchain-memory": "LangChain.js memory ᵗ",
  "orama-vectors": "Orama ᵗ",
  vectra: "Vectra ᵗ",
  "lancedb-both": "LanceDB flat, all threads ᵗ",
  bandwidth: "(reading as many bytes, `memchr`)",
};

/** Rows above which a contestant is left out, because it takes minutes to index, or too much memory. */
const limits: Readonly<Record<string, number>> = {
  vectra: 10_000,
  "orama-vectors": 100_000,
  "langchain-memory": 100_000,
  "ibid-memory": 100_000,
  "python:numpy": 100_000,
  plain: 100_000,
};

export async function run(bench: Bench): Promise<Section> {
  const tables = [];
  const bars: Bar[] = [];
  const figures = [];
  for (const size of bench.sizes) {
    const contestants = Object.keys(labels).filter((name) => size <= (limits[name] ?? Infinity));
    const entries = await compete(bench, {
      contestants,
      count: size,
      texts: true,
      dimensions: bench.data.dimensions,
      topK: 10,
      turns: { rounds: size > 100_000 ? 3 : 6, count: size > 10_000 ? 10 : 15, budgetMs: 600 },
      indexings: size <= 10_000 ? 3 : 1,
    });
    const truth = createTruth(bench.data, size, 10);
    const recall = new Map<Entry, number>();
    for (const entry of entries) if (entry.name !== "bandwidth") recall.set(entry, meanRecall(truth, entry));
    tables.push(
      toTable(`${count(size)} × ${bench.data.dimensions}`, entries, { name: "recall@10", of: recall }, labels),
    );
    bars.push(...judge(size, bench.data.dimensions, entries, recall));
    figures.push(toFigures(entries, recall));
  }
  return {
    title: "Exact search by vector",
    about:
      "The same unit vectors around 400 centres; queries from the same clusters. Each contestant is a process of its own. They answer single queries, in turns of about ten. The mark ᵗ stands for contestants that hold the texts and return them. Three can search them too: ibid, LanceDB (an index over the text) and Orama. Memory is the resident set after indexing and searching, minus that before.",
    tables,
    bars,
    figures,
  };
}

function judge(size: number, dimensions: number, entries: readonly Entry[], recall: ReadonlyMap<Entry, number>): Bar[] {
  const faster = (what: string, times: number, name: string): Bar[] =>
    fasterBar(`${count(size)}: p50 against ${what}`, times, "p50", find(entries, name), find(entries, "ibid-memory"));
  const ours = find(entries, "ibid-memory");
  const durable = find(entries, "ibid-durable");
  // Only the durable store goes beyond a hundred thousand here.
  if (ours === undefined || durable === undefined) return [];
  const at = `${count(size)}: `;
  const bars: Bar[] = [
    {
      what: `${at}the same results as 64-bit sums over every row`,
      wanted: "1.0000",
      measured: `${recall.get(ours)!.toFixed(4)}, durable ${recall.get(durable)!.toFixed(4)}`,
      met: recall.get(ours) === 1 && recall.get(durable) === 1,
    },
    ...faster("LangChain.js", 40, "langchain-memory"),
  ];
  if (size >= 100_000) {
    bars.push(
      ...faster("usearch exactSearch", 2, "usearch-exact"),
      ...faster("FAISS flat, one thread", 8, "python:faiss-flat"),
      ...faster("a plain loop", 10, "plain"),
    );
    const read = find(entries, "bandwidth")?.query.p50;
    if (read !== undefined) {
      const gigabytes = (size * dimensions * 4) / read / 1e6;
      bars.push({
        what: `${at}p50 against reading int8 rows at ${gigabytes.toFixed(1)} GB/s (float32 rows: ${milliseconds(read)} ms)`,
        wanted: "at most 1.5 ×",
        measured: `${(ours.query.p50 / (read / 4)).toFixed(2)} × (float32: ${(ours.query.p50 / read).toFixed(2)} ×)`,
        met: ours.query.p50 <= (1.5 * read) / 4,
      });
    }
  }
  bars.push(...judgeMemory(at, entries));
  if (size === 10_000)
    bars.push(
      ...fasterBar(
        `${at}indexing against LanceDB, both durable and searchable by text`,
        5,
        "indexing",
        find(entries, "lancedb-both"),
        durable,
      ),
    );
  return bars;
}

/** Against those who, like ibid, hold the same vectors and the text searchable. */
function judgeMemory(at: string, entries: readonly Entry[]): Bar[] {
  const compare = (what: string, part: "memory" | "disk", name: string, theirs: string): Bar[] => {
    const [own, other] = [find(entries, name), find(entries, theirs)];
    if (own === undefined || other === undefined) return [];
    return [
      {
        what: `${at}bytes ${what} per chunk against ${labels[theirs as keyof typeof labels].replace(" ᵗ", "")}`,
        wanted: `below ${count(Math.round(other[part] / other.count))}`,
        measured: count(Math.round(own[part] / own.count)),
        met: own[part] < other[part],
      },
    ];
  };
  return [
    ...compare("in memory", "memory", "ibid-memory", "orama-vectors"),
    ...compare("in memory", "memory", "ibid-durable", "lancedb-both"),
    ...compare("on disk", "disk", "ibid-durable", "lancedb-both"),
  ];
}
