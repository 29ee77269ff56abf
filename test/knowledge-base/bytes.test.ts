import { Readable } from "node:stream";
import { openKnowledgeBase, type ByteContent, type KnowledgeBase } from "ibid";
import type { ByteStream } from "../../src/contracts/knowledge-base.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectBytes } from "../../src/readers/collect-bytes.ts";

const text = "The heron waits in the reeds. Ünïcödé 🦢";
const bytes = new TextEncoder().encode(text);
const halves = [bytes.subarray(0, 20), bytes.subarray(20)];

async function* iterate(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** A web stream as old browsers have it: without iteration. */
function readerOnly(parts: readonly Uint8Array[], onCancel?: () => void): ByteStream {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return {
    getReader() {
      const reader = stream.getReader();
      return {
        read: () => reader.read(),
        async cancel(reason) {
          onCancel?.();
          await reader.cancel(reason);
        },
        releaseLock: () => reader.releaseLock(),
      };
    },
  };
}

const forms: Readonly<Record<string, () => ByteContent>> = {
  "a Uint8Array": () => bytes,
  "a Buffer of a pool": () => Buffer.from(bytes),
  "an ArrayBuffer": () => bytes.slice().buffer,
  "a Blob": () => new Blob([bytes]),
  "an async iterable": () => iterate(halves),
  "a Node stream": () => Readable.from(halves),
  "a web stream": () => new Blob([bytes]).stream(),
  "a web stream that cannot be iterated": () => readerOnly(halves),
};

const read = (content: ByteContent, maxBytes = 1000, signal?: AbortSignal): Promise<Uint8Array> =>
  collectBytes(content, { uri: "x.txt", maxBytes, signal });

describe("bytes in any form [E14 E15]", () => {
  it.each(Object.entries(forms))("%s is read whole, up to its limit", async (_, create) => {
    expect(await read(create())).toEqual(bytes);
    expect(await read(create(), bytes.length)).toEqual(bytes);
    await expect(read(create(), bytes.length - 1)).rejects.toMatchObject({ code: "too-large", uri: "x.txt" });
  });

  it.each(Object.entries(forms))("%s becomes a document that is found and cited", async (_, create) => {
    const kb = await openKnowledgeBase();
    expect((await kb.ingest({ uri: "x.txt", bytes: create(), title: "On herons" })).added).toBe(1);
    expect(await kb.document("x.txt")).toMatchObject({ text, title: "On herons", mediaType: "text/plain" });
    const [hit] = await kb.search("heron");
    expect(hit?.text).toBe(text);
    expect((await kb.ingest({ uri: "x.txt", bytes: create(), title: "On herons" })).unchanged).toBe(1);
    await kb.close();
  });

  it("joins parts as they were cut, wherever that was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 }), async (parts) => {
        const whole = new Uint8Array(Buffer.concat(parts));
        expect(await read(iterate(parts))).toEqual(whole);
        expect(await read(readerOnly(parts))).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it("shares nothing with what was given", async () => {
    const own = bytes.slice();
    const taken = await read(own);
    own.fill(0);
    expect(taken).toEqual(bytes);
  });

  it("stops reading at its limit, and lets the stream go", async () => {
    let given = 0;
    let returned = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          given++;
          yield new Uint8Array(100);
        }
      } finally {
        returned = true;
      }
    }
    await expect(read(endless(), 1000)).rejects.toMatchObject({ code: "too-large" });
    expect([given, returned]).toEqual([11, true]);
    let cancelled = false;
    const stream = readerOnly(halves, () => {
      cancelled = true;
    });
    await expect(read(stream, 5)).rejects.toMatchObject({ code: "too-large" });
    expect(cancelled).toBe(true);
  });

  it("stops when told to, also while a stream keeps silent", async () => {
    const stop = new AbortController();
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const reading = read(silent, 1000, stop.signal);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    await expect(read(silent, 1000, AbortSignal.timeout(5))).rejects.toMatchObject({ code: "timeout" });
  });

  it("says what is wrong with a stream", async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield bytes;
      throw new Error("the line is dead");
    }
    await expect(read(breaking())).rejects.toMatchObject({
      code: "unreadable",
      message: "The stream of x.txt could not be read to its end.",
      cause: expect.objectContaining({ message: "the line is dead" }),
    });
    const words = iterate(["text" as unknown as Uint8Array]);
    await expect(read(words)).rejects.toMatchObject({ code: "unreadable" });
    const locked = new Blob([bytes]).stream();
    locked.getReader();
    await expect(read(locked)).rejects.toMatchObject({ code: "unreadable" });
  });

  it("takes a limit and a charset of its own, beside texts and from streams of inputs", async () => {
    const kb: KnowledgeBase = await openKnowledgeBase();
    const latin = Uint8Array.from("Grüße vom Reiher", (letter) => letter.charCodeAt(0));
    const outcome: Record<string, string> = {};
    const inputs = [
      { uri: "long.bin", bytes, maxBytes: 5 },
      { uri: "latin.txt", bytes: latin, charset: "iso-8859-1" },
      { uri: "plain.txt", text: "beside a text" },
    ];
    for await (const { uri, status, error } of kb.ingest(inputs)) outcome[uri] = error?.code ?? status;
    expect(outcome).toEqual({ "long.bin": "too-large", "latin.txt": "added", "plain.txt": "added" });
    expect((await kb.document("latin.txt"))?.text).toBe("Grüße vom Reiher");
    const stream = (async function* () {
      yield { uri: "streamed.txt", bytes: iterate(halves) };
    })();
    expect((await kb.ingest(stream)).added).toBe(1);
    await expect((async () => kb.ingest({ uri: " ", bytes }))()).rejects.toMatchObject({ code: "invalid-id" });
    await kb.close();
  });
});
