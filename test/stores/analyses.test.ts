import { describe, expect, it } from "vitest";
import { IbidError } from "../../src/contracts/errors.ts";
import { analyzeChunk, encodeTerms } from "../../src/engine/segments/chunk-terms.ts";
import { type Analyses, createAnalyses } from "../../src/stores/segments/analyses.ts";
import type { StoreThread } from "../../src/stores/segments/errands.ts";
import { type PreparedChunk, prepareChunks } from "../../src/stores/segments/replace-document.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";
import { documentEntry } from "./build.ts";

/** Chunks of one document, and how many of them were analysed here. */
function prepared(count: number): { readonly chunks: readonly PreparedChunk[]; readonly here: () => number } {
  let here = 0;
  const { chunks } = documentEntry(
    "a",
    Array.from({ length: count }, (_, i) => `oak ${i} leaves`),
  );
  const made = prepareChunks(chunks as never, (chunk) => {
    here++;
    return analyzeChunk(defaultAnalyzer, chunk);
  });
  return { chunks: made, here: () => here };
}

/** A thread that keeps what it is asked until `answer` is called. */
function createThread() {
  const asked: { readonly size: number; readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const thread = {
    isAlive: true,
    isFree: true,
    close: async () => {},
    call(_: string, given: never) {
      const said = given as Parameters<typeof analyzeChunk>[1][];
      return new Promise((resolve, reject) => {
        const terms = said.map((each) => encodeTerms(analyzeChunk(defaultAnalyzer, each)));
        let size = 0;
        const ends = terms.map((one) => (size += one.length));
        const answer = (): void => resolve({ bytes: Uint8Array.from(terms.flatMap((one) => [...one])), ends });
        asked.push({ size: said.length, answer, fail: reject });
      });
    },
  };
  return { thread: thread as unknown as StoreThread & { isFree: boolean }, asked };
}

/** Analyses while another document is written. */
function besideAWrite(thread: StoreThread): Analyses {
  const analyses = createAnalyses(thread);
  void analyses.during(new Promise<void>(() => {}));
  return analyses;
}

const turns = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20));

describe("createAnalyses", () => {
  it("takes the terms that a thread made of each chunk", async () => {
    const { thread, asked } = createThread();
    const { chunks, here } = prepared(5);
    const done = besideAWrite(thread).of(chunks);
    await turns();
    expect(asked.map(({ size }) => size)).toEqual([5]);
    asked[0]!.answer();
    await done;
    for (const each of chunks) {
      const terms = analyzeChunk(defaultAnalyzer, each.chunk);
      expect(each.terms()).toEqual(terms);
      expect(each.encoded!.terms).toEqual(encodeTerms(terms));
    }
    expect(here()).toBe(0);
  });

  it("analyses here a document that comes alone", async () => {
    const { thread, asked } = createThread();
    const { chunks, here } = prepared(5);
    await createAnalyses(thread).of(chunks);
    expect([asked.length, here()]).toEqual([0, 5]);
  });

  it("analyses here while the thread has other work", async () => {
    const { thread, asked } = createThread();
    thread.isFree = false;
    const { chunks, here } = prepared(5);
    await besideAWrite(thread).of(chunks);
    expect([asked.length, here()]).toEqual([0, 5]);
  });

  it("analyses here what a thread failed to, and asks it no more", async () => {
    const { thread, asked } = createThread();
    const analyses = besideAWrite(thread);
    const [one, other] = [prepared(5), prepared(3)];
    const done = analyses.of(one.chunks);
    await turns();
    asked[0]!.fail(new IbidError("internal", "The thread ended."));
    await done;
    await analyses.of(other.chunks);
    expect([asked.length, one.here(), other.here()]).toEqual([1, 5, 3]);
  });

  it("waits for the thread where it has enough and writes are under way, and only there", async () => {
    const { thread, asked } = createThread();
    const analyses = besideAWrite(thread);
    const sent = prepared(300);
    void analyses.of(sent.chunks);
    const idle = prepared(5);
    await analyses.of(idle.chunks);
    expect(idle.here()).toBe(5);
    const written = Promise.withResolvers<void>();
    for (let i = 0; i < 31; i++) void analyses.during(written.promise);
    const busy = prepared(5);
    const done = analyses.of(busy.chunks);
    await turns();
    expect([asked.length, busy.here()]).toEqual([1, 0]);
    written.resolve();
    await done;
    expect(busy.here()).toBe(5);
  });
});
