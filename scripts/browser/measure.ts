import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleForBrowser } from "./bundle.ts";

export interface BundleSize {
  readonly name: string;
  /** Bytes of what is loaded before the program runs. */
  readonly minified: number;
  /** The same, gzipped file by file at the highest level. */
  readonly gzip: number;
  /** Gzipped bytes of what is loaded when it is needed. */
  readonly later: number;
}

/** What applications need of ibid, as programs. */
const programs: Readonly<Record<string, string>> = {
  everything: 'export * from "ibid";',
  "open, ingest text, search, ask": 'export { openKnowledgeBase } from "ibid";',
  "a store and a retriever":
    'export { createMemoryStore, createRetriever, createEmbedder, createHashingModel } from "ibid";',
};

/** Gzipped bytes that each program may have, by its name. */
export const budgets: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "budget.json"), "utf8"),
) as Record<string, number>;

/** **Cost** some seconds. */
export async function measureBundles(): Promise<readonly BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const [name, program] of Object.entries(programs)) {
    const { files, first } = await bundleForBrowser(program);
    const gzipped = (wanted: boolean): number =>
      files
        .filter((file) => first.includes(file.name) === wanted)
        .reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
    const minified = files
      .filter((file) => first.includes(file.name))
      .reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    sizes.push({ name, minified, gzip: gzipped(true), later: gzipped(false) });
  }
  return sizes;
}
