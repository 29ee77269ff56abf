// From a folder of Markdown pages to something that can be searched.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Bar, type Bench, milliseconds, type Section } from "../bench.ts";
import { quantile } from "../measure.ts";

const labels = {
  "ibid-memory": "**ibid, in memory**: parsed, vectors and words",
  "ibid-durable": "**ibid, durable**: parsed, vectors and words",
  langchain: "LangChain.js, in memory: vectors",
  orama: "Orama, in memory: vectors and words",
  lancedb: "LanceDB, durable: vectors and words",
  vectra: "Vectra, durable: vectors",
};
const rounds = 5;

interface Ingested {
  readonly ms: number;
  readonly cpuMs: number;
  readonly chunks: number;
}

export async function run(bench: Bench): Promise<Section> {
  mkdirSync(bench.scratch, { recursive: true });
  const hosts = Object.keys(labels).map((name) => ({ name, ...start(name, bench) }));
  const taken = new Map<string, { ms: number[]; cpuMs: number[]; chunks: number }>(
    hosts.map(({ name }) => [name, { ms: [], cpuMs: [], chunks: 0 }]),
  );
  // The first round is cold, and kept apart.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, ask } of hosts) {
      const { ms, cpuMs, chunks } = await ask();
      const own = taken.get(name)!;
      own.ms.push(ms);
      own.cpuMs.push(cpuMs);
      own.chunks = chunks;
    }
  }
  for (const { close } of hosts) close();
  const warm = (name: string): number => quantile(taken.get(name)!.ms.slice(1), 0.5);
  for (const { name } of hosts)
    bench.log(`${name}: ${milliseconds(taken.get(name)!.ms[0]!)} ms cold, ${milliseconds(warm(name))} ms warm`);

  const durable = warm("ibid-durable");
  const bars: Bar[] = [
    {
      what: "durable, parsed and indexed by words, against LangChain.js in memory",
      wanted: "at most 4 ×",
      measured: `${(durable / warm("langchain")).toFixed(2)} ×`,
      met: durable <= 4 * warm("langchain"),
    },
    ...(["lancedb", "vectra"] as const).map((name) => ({
      what: `durable against ${labels[name]}`,
      wanted: "faster",
      measured: `${milliseconds(durable)} against ${milliseconds(warm(name))} ms`,
      met: durable < warm(name),
    })),
  ];
  return {
    title: "Ingesting a documentation site",
    about: `Pages are read from files and cut into at most 1,000 characters with 125 overlap, ibid's default. For the others LangChain.js's recursive splitter cuts. All use the same hash embedding of 256 dimensions. Median of ${rounds} rounds in turns; the first round, with libraries still to load, by itself.`,
    tables: [
      {
        title: "Ingesting",
        columns: ["", "chunks", "first ms", "ms", "processor"],
        rows: hosts
          .map(({ name }) => name)
          .toSorted((a, b) => warm(a) - warm(b))
          .map((name) => [
            labels[name as keyof typeof labels],
            String(taken.get(name)!.chunks),
            milliseconds(taken.get(name)!.ms[0]!),
            milliseconds(warm(name)),
            milliseconds(quantile(taken.get(name)!.cpuMs.slice(1), 0.5)),
          ]),
      },
    ],
    bars,
    figures: Object.fromEntries(taken),
  };
}

function start(name: string, { documents, scratch }: Bench) {
  const child = spawn(
    process.execPath,
    [
      "--expose-gc",
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "../ingest-host.ts"),
      name,
      documents,
      scratch,
    ],
    { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, LANCEDB_LOG: "error" } },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(): Promise<Ingested> {
      child.stdin.write("\n");
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${name} ended.`);
      return JSON.parse(value) as Ingested;
    },
    close: () => void child.kill(),
  };
}
