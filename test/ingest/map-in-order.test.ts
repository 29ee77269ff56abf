import { describe, expect, it } from "vitest";
import { mapInOrder } from "../../src/ingest/map-in-order.ts";

async function* count(to: number, log: number[] = []): AsyncGenerator<number> {
  for (let i = 0; i < to; i++) {
    log.push(i);
    yield i;
  }
}

const later = (turns: number): Promise<void> =>
  turns === 0 ? Promise.resolve() : Promise.resolve().then(() => later(turns - 1));

describe("mapInOrder", () => {
  it("keeps the order of the items however long each takes", async () => {
    const results: number[] = [];
    const work = async (item: number): Promise<number> => {
      await later(20 - item);
      return item * 10;
    };
    for await (const result of mapInOrder(count(20), 4, work)) results.push(result);
    expect(results).toEqual(Array.from({ length: 20 }, (_, i) => i * 10));
  });

  it("has at most the given number under way and reads no further ahead", async () => {
    let running = 0;
    let most = 0;
    const read: number[] = [];
    const work = async (item: number): Promise<number> => {
      most = Math.max(most, ++running);
      await later(5);
      running--;
      return item;
    };
    for await (const result of mapInOrder(count(30, read), 3, work))
      expect(read.length - result).toBeLessThanOrEqual(4);
    expect(most).toBe(3);
  });

  it("fails with the first failure in order, starts nothing after it, and waits for what is under way", async () => {
    const finished: number[] = [];
    const work = async (item: number): Promise<number> => {
      await later(item === 1 ? 1 : 10);
      if (item === 1) throw new Error("one");
      finished.push(item);
      return item;
    };
    const read: number[] = [];
    const drain = async (): Promise<void> => {
      for await (const _ of mapInOrder(count(100, read), 3, work)) void _;
    };
    await expect(drain()).rejects.toThrow("one");
    expect(read.length).toBeLessThan(6);
    expect(finished).toEqual(expect.arrayContaining([0, 2]));
  });

  it("ends between items when it is aborted, and closes its source", async () => {
    const controller = new AbortController();
    let closed = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    }
    const drain = async (): Promise<void> => {
      for await (const result of mapInOrder(endless(), 2, (item) => Promise.resolve(item), controller.signal)) {
        if (result === 5) controller.abort(new Error("enough"));
      }
    };
    await expect(drain()).rejects.toMatchObject({ code: "aborted", cause: new Error("enough") });
    expect(closed).toBe(true);
  });
});
