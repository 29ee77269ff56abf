import { afterEach, describe, expect, it, vi } from "vitest";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import type { DirectoryReader, SegmentDirectory } from "../../src/stores/segments/segment-directory.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { slowClock } from "../support/turns.ts";
import { documentEntry, read, write } from "./build.ts";

afterEach(() => vi.restoreAllMocks());

const secret = createSecret();
const open = (directory: SegmentDirectory) =>
  composeStore(
    createSegmentStore(directory, {
      ...decideStoreOptions({ corpusModel: latentSemanticModel, segments: { sealAt: 60, settleAt: 60 } }),
      secret,
      embeddings: ["dense"],
    }),
  );

/** Two segments and some chunks that are not sealed. */
async function fill(): Promise<SegmentDirectory> {
  const directory = createMemoryDirectory();
  const store = open(directory);
  for (let i = 0; i < 35; i++) {
    const texts = ["heron", "otter", "newt", "vole"].map((word, n) => `${word} ${i} waits near the river ${n}.`);
    const document = { title: `The ${i % 2 === 0 ? "heron" : "otter"} ${i}` };
    await store.replace(write("deployment"), documentEntry(`d${i}`, texts, { document, headings: ["A river"] }));
  }
  return directory;
}

/** The same directory for a process that has read nothing yet. Each call is told to `asked`, which may throw. */
function watch(inner: SegmentDirectory, asked: (name: string) => void): SegmentDirectory {
  let watched: DirectoryReader | undefined;
  const around = (rows: DirectoryReader): DirectoryReader =>
    new Proxy(rows, {
      get(target, name: keyof DirectoryReader) {
        const call = target[name] as ((...given: unknown[]) => unknown) | undefined;
        if (call === undefined) return undefined;
        return (...given: unknown[]) => {
          asked(name);
          return call.apply(target, given);
        };
      },
    });
  return { ...inner, read: (work) => inner.read((rows) => work((watched ??= around(rows)))) };
}

describe.each(["lexical", "dense", "hybrid"] as const)("a %s search of which a read fails", (mode) => {
  it("leaves nothing behind that moves a hit or a score of the next one [L11]", async () => {
    const inner = await fill();
    // No search is cut in slices: its calls are the same each time.
    slowClock(0);
    const openSearch = (directory: SegmentDirectory) => {
      const retriever = createRetriever({ store: open(directory) });
      return async () => {
        const hits = await retriever.retrieve(read("deployment"), "heron 7 waits otter", { mode, topK: 12 });
        return hits.map(({ chunkId, score }) => [chunkId, score]);
      };
    };
    const calls: string[] = [];
    const expected = await openSearch(watch(inner, (name) => calls.push(name)))();
    expect(expected).toHaveLength(12);
    expect(calls.length).toBeGreaterThan(10);
    let failed = 0;
    for (let at = 0; at < calls.length; at++) {
      let call = 0;
      let isBroken = true;
      const find = openSearch(
        watch(inner, () => {
          if (isBroken && call++ === at) throw new Error("The disk does not answer.");
        }),
      );
      await find().catch(() => failed++);
      isBroken = false;
      expect([calls[at], await find()]).toEqual([calls[at], expected]);
    }
    expect(failed).toBeGreaterThan(calls.length / 2);
  });
});
