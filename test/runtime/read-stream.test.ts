import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStream } from "../../src/runtime/read-stream.ts";

/** A stream of both kinds, and whether it was let go before its end. */
function streams(parts: readonly unknown[], fails?: Error) {
  const stopped: string[] = [];
  async function* iterate(): AsyncGenerator<Uint8Array> {
    let isOver = false;
    try {
      for (const part of parts) yield part as Uint8Array;
      if (fails !== undefined) throw fails;
      isOver = true;
    } finally {
      if (!isOver) stopped.push("iterable");
    }
  }
  const iterator = iterate();
  const web = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(error);
      }
    },
    cancel: () => void stopped.push("web"),
  });
  return { iterable: iterate(), web, stopped };
}

describe("a stream, read within a bound", () => {
  it("gives its bytes, whatever the parts, up to exactly the bound", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 9 })),
        fc.integer({ min: 0, max: 40 }),
        async (parts, maxBytes) => {
          const whole = Buffer.concat(parts);
          const { iterable, web } = streams(parts);
          const tooLarge = (): Error => new Error("too large");
          for (const stream of [iterable, web]) {
            const read = await readStream(stream, { maxBytes, tooLarge }).catch((error: Error) => error.message);
            expect(read).toEqual(whole.length > maxBytes ? "too large" : Uint8Array.from(whole));
          }
        },
      ),
    );
    expect(await readStream(null, { maxBytes: 1 })).toEqual(new Uint8Array());
  });

  it("is let go at the bound, and cut there when no error is wanted", async () => {
    const { iterable, web, stopped } = streams([Uint8Array.of(1, 2), Uint8Array.of(3, 4), Uint8Array.of(5)]);
    expect(await readStream(iterable, { maxBytes: 3 })).toEqual(Uint8Array.of(1, 2));
    expect(await readStream(web, { maxBytes: 3 })).toEqual(Uint8Array.of(1, 2));
    await expect.poll(() => stopped).toEqual(["iterable", "web"]);
  });

  it("stops at the signal, also while it is silent", async () => {
    let cancelled = false;
    const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const stop = new AbortController();
    const read = readStream(silent, { maxBytes: 9, signal: stop.signal, stopped: () => new Error("stopped") });
    stop.abort();
    await expect(read).rejects.toThrow("stopped");
    expect(cancelled).toBe(true);
    const early = readStream(streams([]).web, { maxBytes: 9, signal: AbortSignal.abort(new Error("before")) });
    await expect(early).rejects.toThrow("before");
  });

  it("keeps what a part held when its buffer is used again", async () => {
    async function* same(): AsyncGenerator<Uint8Array> {
      const buffer = new Uint8Array(1);
      for (const value of [1, 2, 3]) {
        buffer[0] = value;
        yield buffer;
      }
    }
    expect(await readStream(same(), { maxBytes: 9 })).toEqual(Uint8Array.of(1, 2, 3));
  });

  it("passes on the stream's failure, and refuses parts that are not bytes", async () => {
    const { iterable, web } = streams([Uint8Array.of(1)], new Error("broken off"));
    await expect(readStream(iterable, { maxBytes: 9 })).rejects.toThrow("broken off");
    await expect(readStream(web, { maxBytes: 9 })).rejects.toThrow("broken off");
    await expect(readStream(streams(["text"]).iterable, { maxBytes: 9 })).rejects.toThrow(TypeError);
  });
});
