// Runs the engine pack over the engines that were started, and writes what it found to docs/engines.md. No test runner is needed.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Engine, EngineCapabilities } from "../src/contracts/engine.ts";
import { createChromaEngine } from "../src/stores/chroma/chroma-engine.ts";
import { createEngineStore } from "../src/stores/engines/engine-store.ts";
import { createHnswEngine } from "../src/stores/hnsw/hnsw-engine.ts";
import type { UsearchLibrary } from "../src/stores/hnsw/load-usearch.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { createElasticsearchEngine, createOpenSearchEngine } from "../src/stores/opensearch/opensearch-engine.ts";
import { createPgvectorEngine } from "../src/stores/pgvector/pgvector-engine.ts";
import { createQdrantEngine } from "../src/stores/qdrant/qdrant-engine.ts";
import { createRedisEngine } from "../src/stores/redis/redis-engine.ts";
import { createEnginePack } from "../src/testing/engine-pack.ts";

const root = join(import.meta.dirname, "..");
const prefix = `t${Date.now().toString(36)}`;

/** Makers of engines, by name. An address is that of a server, or a folder. */
const makers: Readonly<Record<string, (address: string) => Engine>> = {
  hnsw: (folder) => createHnswEngine({ library: createRequire(import.meta.url)(folder) as UsearchLibrary }),
  pgvector: (database) => createPgvectorEngine({ database, prefix }),
  qdrant: (url) => createQdrantEngine({ url, prefix }),
  chroma: (url) => createChromaEngine({ url, prefix }),
  opensearch: (url) => createOpenSearchEngine({ url, prefix, refresh: "true" }),
  redis: (url) => createRedisEngine({ server: url, prefix }),
  elasticsearch: (url) => createElasticsearchEngine({ url, prefix, refresh: "true" }),
};

export const engineNames: readonly string[] = Object.keys(makers);

/** Findings of the pack about one engine. */
export interface EngineReport {
  readonly name: string;
  /** Name and version of the server, and whether it stands in for another. */
  readonly server: string;
  readonly failures: readonly string[];
  readonly cases: number;
  readonly recall: readonly string[];
  readonly writeMs: number;
  readonly capabilities: EngineCapabilities;
}

/** Runs every case over one engine, and says each failure. */
export async function runEnginePack(name: string, address: string, server: string): Promise<EngineReport> {
  const create = async (): Promise<Engine> => makers[name]!(address);
  const recall: string[] = [];
  const pack = createEnginePack({
    name,
    create,
    createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
    chunks: 2_000,
    onRecall: (_, found, exact) => recall.push(`${found.toFixed(3)}${exact ? " (scan)" : ""}`),
  });
  const failures: string[] = [];
  for (const { id, run } of pack) {
    await run().catch((error: unknown) => {
      failures.push(id);
      console.log(`FAILED ${id}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  const engine = await create();
  const writeMs = await timeWrite(engine);
  await engine.close?.();
  console.log(
    `${name} (${server}): ${pack.length - failures.length} of ${pack.length} cases; recall ${recall.join(" ")}`,
  );
  return { name, server, failures, cases: pack.length, recall, writeMs, capabilities: engine.capabilities };
}

/** Milliseconds from a write to the moment when it is proposed. */
async function timeWrite(engine: Engine): Promise<number> {
  const version = { provider: "report", model: "report", dimensions: 8, fingerprint: "" };
  const name = `report${Date.now().toString(36)}`;
  const index = await engine.open({ name, version, dimensions: 8, metric: "cosine" });
  try {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const vector = Float32Array.from({ length: 8 }, (_, d) => (d === i ? 1 : 0.1));
      const from = performance.now();
      const key = `00000000-0000-4000-8000-00000000000${i}`;
      await index.put([{ key, ref: `deployment/${i}`, vector, tags: ["0000000000000001"], numbers: {} }]);
      while (!(await index.nearest({ vector, limit: 1 })).some(({ ref }) => ref === `deployment/${i}`));
      times.push(performance.now() - from);
    }
    return times.sort((a, b) => a - b)[2]!;
  } finally {
    await engine.drop(name);
  }
}

const page = join(root, "docs", "engines.md");

/** Writes the reports between the marks of the page. Rows of engines that did not run stay. */
export function writeReports(reports: readonly EngineReport[]): void {
  const text = readFileSync(page, "utf8");
  const block = /(<!-- reports -->\n)(.*?)(<!-- end -->)/su;
  const rows = new Map(
    [...(block.exec(text)?.[2] ?? "").matchAll(/^\| `(\w+)` \|.*$/gmu)].map(([row, name]) => [name, row]),
  );
  for (const { name, server, failures, cases, recall, writeMs } of reports) {
    const cells = [`\`${name}\``, server, `${cases - failures.length} of ${cases}`, ...recall, writeMs.toFixed(0)];
    rows.set(name, `| ${cells.join(" | ")} |`);
  }
  const table = [
    "| engine | checked against | cases | 0 % | 50 % | 90 % | 99 % | 99.9 % | write seen after, ms |",
    "|---|---|---|---|---|---|---|---|---|",
    ...engineNames.flatMap((name) => rows.get(name) ?? []),
  ].join("\n");
  writeFileSync(
    page,
    text.replace(block, (_, begin: string, __: string, end: string) => `${begin}\n${table}\n\n${end}`),
  );
}
