import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type * as Ibid from "../../src/index.ts";
import { subpaths } from "../subpaths.ts";
import { type Bundle, bundleForBrowser } from "./bundle.ts";

export interface BundleSize {
  readonly name: string;
  /** Bytes of what is loaded: before the program runs, or by the end of what it does. */
  readonly minified: number;
  /** The same, gzipped file by file at the highest level. */
  readonly gzip: number;
  /** Gzipped bytes of what is loaded when it is needed. */
  readonly later: number;
}

type Door = Pick<typeof Ibid, "openKnowledgeBase">;

interface Application {
  readonly program: string;
  /** Measured are the files that this has loaded at its end. Default: those loaded at once. */
  readonly use?: (ibid: Door) => Promise<void>;
}

const open = 'export { openKnowledgeBase } from "ibid";';

/** Subpaths that a page does not load: they need Node or a package, or are for tests. */
const notForPages: ReadonlySet<string> = new Set([
  "ibid/langchain",
  "ibid/mcp",
  "ibid/memory",
  "ibid/opentelemetry",
  "ibid/server",
  "ibid/stores/postgres",
  "ibid/stores/duckdb",
  "ibid/stores/hnsw",
  "ibid/stores/milvus",
  "ibid/stores/mongodb",
  "ibid/stores/pgvector",
  "ibid/stores/redis",
  "ibid/stores/sqlite",
  "ibid/testing",
]);

/** Applications: the names that they need of ibid, and their use of them. */
const applications: Readonly<Record<string, Application>> = {
  everything: {
    program: subpaths
      .filter(({ specifier }) => !notForPages.has(specifier))
      .map(({ specifier }, i) => `export * as part${i} from "${specifier}";`)
      .join("\n"),
  },
  "open a knowledge base": { program: open },
  "… ingest text, hybrid search": { program: open, use: (ibid) => ingestAndSearch(ibid, 20) },
  "… of 300 documents, with a fit": { program: open, use: (ibid) => ingestAndSearch(ibid, 300) },
  "a store and a retriever": {
    program: `export { createMemoryStore } from "ibid/stores";
export { createRetriever } from "ibid/search";
export { createHashingModel } from "ibid/models";`,
  },
};

/** Gzipped bytes that each application may have, by its name. */
export const budgets: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "budget.json"), "utf8"),
) as Record<string, number>;

/** **Cost** some seconds. */
export async function measureBundles(): Promise<readonly BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const [name, { program, use }] of Object.entries(applications)) {
    const bundle = await bundleForBrowser(program);
    const loaded = use === undefined ? bundle.first : await loadedBy(bundle, use);
    const gzipped = (wanted: boolean): number =>
      bundle.files
        .filter((file) => loaded.includes(file.name) === wanted)
        .reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
    const minified = bundle.files
      .filter((file) => loaded.includes(file.name))
      .reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    sizes.push({ name, minified, gzip: gzipped(true), later: gzipped(false) });
  }
  return sizes;
}

/** Texts with words in common, about different things; then the one that a question is about must be found, by both legs. */
async function ingestAndSearch({ openKnowledgeBase }: Door, documents: number): Promise<void> {
  const kb = await openKnowledgeBase();
  const texts = Array.from({ length: documents }, (_, i) => ({
    uri: `${i}.txt`,
    text: `Room ${i} is on floor ${i % 7}. Its key hangs beside door ${i % 11}, and heating costs ${(i * 37) % 101} a month.`,
  }));
  await kb.ingest([...texts, { uri: "keys.txt", text: "# Keys\n\nSigning keys are rotated every ninety days." }], {
    settle: true,
  });
  const [hit] = await kb.search("how often are signing keys rotated?", { explain: true });
  if (hit?.source.uri !== "keys.txt" || hit.explain?.latent === undefined)
    throw new Error("The search that is measured did not find by both legs what it should.");
  await kb.close();
}

/** Runs the bundle on Node, each file of it saying that it is loaded. */
async function loadedBy({ files }: Bundle, use: (ibid: Door) => Promise<void>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-bundle-"));
  const loaded: string[] = [];
  const tell = "ibidTellsThatItIsLoaded";
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    for (const { name, code } of files)
      writeFileSync(join(folder, name), `globalThis.${tell}(${JSON.stringify(name)});\n${code}`);
    Object.assign(globalThis, { [tell]: (name: string) => loaded.push(name) });
    await use((await import(pathToFileURL(join(folder, "entry.js")).href)) as Door);
    return loaded;
  } finally {
    Reflect.deleteProperty(globalThis, tell);
    rmSync(folder, { recursive: true, force: true });
  }
}
