import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { createRecentMarks } from "../../src/runtime/recent-marks.ts";

describe("createRecentMarks", () => {
  it("keeps the rows of the window in their order, as a plain list would", () => {
    let time = 0;
    const most = 500;
    const marks = createRecentMarks({ now: () => time, window: 1000, most, width: 2 });
    let plain: number[][] = [];
    for (let i = 0; i < 20_000; i++) {
      // Clocks differ a little, and there are hours with more rows than others.
      time += i % 2000 < 1000 ? 0.5 : 9;
      const at = time - (i % 7);
      marks.add(at, i);
      plain.push([at, i]);
      if (i % 997 !== 0) continue;
      plain = plain.filter(([one]) => one! > time - 1000).slice(-most);
      expect(marks.after(time - 1000)).toEqual(plain);
    }
  });

  it("keeps no row on the heap of the garbage collector, and none twice the most beside it", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const marks = createRecentMarks({ now: () => 0, window: 1000, most: 65_536, width: 4 });
    for (let i = 0; i < 100; i++) marks.add(i, 1, 200, 3);
    collect();
    const before = process.memoryUsage();
    for (let i = 0; i < 300_000; i++) marks.add(i, 1, 200, 3);
    // V8 gives back memory beside its heap in a thread, some time after a collection.
    await vi.waitFor(() => {
      collect();
      const after = process.memoryUsage();
      // A list of as many objects takes 8 MB of the heap.
      expect(after.heapUsed - before.heapUsed).toBeLessThan(1_000_000);
      expect(after.arrayBuffers - before.arrayBuffers).toBeLessThanOrEqual(65_536 * 2 * 4 * 8);
    });
    expect(marks.after(-1)).toHaveLength(65_536);
  });
});
