import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { MediaTypeHandler } from "../../src/contracts/media-type-handler.ts";

/** A chunk for each line: what a whole document is can be counted. */
export const linesHandler: MediaTypeHandler = {
  name: "lines",
  mediaTypes: ["text/plain"],
  handle: ({ bytes }) => ({ chunks: new TextDecoder().decode(bytes).split("\n") }),
};

const linesOfEach = 6;
const words = "heron otter vole newt kite reed river bank stone moss fern oak".split(" ");

/** All documents in one version: six chunks each, every one of which names its document and its version. */
export function documentsOf(
  count: number,
  version: number,
): readonly { readonly uri: string; readonly text: string }[] {
  const line = (i: number, j: number): string =>
    `document${i} version${version} line ${j}: ${Array.from({ length: 20 }, (_, k) => words[(i * 7 + j * 5 + k * k + version) % words.length]).join(" ")}`;
  return Array.from({ length: count }, (_, i) => ({
    uri: `${i}.txt`,
    text: Array.from({ length: linesOfEach }, (__, j) => line(i, j)).join("\n"),
  }));
}

/** What one reader saw. */
export interface Reading {
  /** Of each search. **Units** milliseconds. */
  readonly took: number[];
  /** What was no whole set of one version, in words. */
  readonly broken: string[];
  /** Versions that were seen. */
  readonly versions: Set<string>;
}

/** Asks for one document after the other until it is told to stop, and looks whether it sees all of it, and of one version. */
export async function readUntil(
  kb: KnowledgeBase,
  count: number,
  isOver: () => boolean,
  reading: Reading,
  first = 0,
): Promise<void> {
  for (let turn = first; !isOver(); turn += 7) {
    const started = performance.now();
    const hits = await kb.search(`document${turn % count}`, { mode: "lexical", topK: "all" });
    reading.took.push(performance.now() - started);
    const versions = new Set(hits.map(({ text }) => /version\d+/u.exec(text)?.[0] ?? ""));
    for (const version of versions) reading.versions.add(version);
    if (hits.length !== linesOfEach || versions.size !== 1)
      reading.broken.push(`document${turn % count}: ${hits.length} chunks of ${[...versions].join(", ")}`);
    const dense = await kb.search(`document${turn % count} heron`, { topK: 3 });
    if (dense.length !== 3) reading.broken.push(`${dense.length} hits by meaning`);
    // Readers share one thread with what they read beside.
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** Slow as a model over a network is, so that readers come in between. */
export function slowly(model: EmbeddingModel, ms: number): EmbeddingModel {
  return {
    ...model,
    async embed(inputs, options) {
      if (options.purpose === "document") await new Promise((resolve) => void setTimeout(resolve, ms));
      return model.embed(inputs, options);
    },
  };
}
