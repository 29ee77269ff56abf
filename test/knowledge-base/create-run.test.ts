import { describe, expect, it } from "vitest";
import { createRun } from "../../src/runtime/create-run.ts";

function counted(fail?: number) {
  const log: string[] = [];
  const run = createRun(async function* () {
    log.push("start");
    try {
      for (let i = 0; i < 3; i++) {
        if (i === fail) throw new Error(`at ${i}`);
        yield i;
      }
      return "done";
    } finally {
      log.push("end");
    }
  });
  return { run, log };
}

describe("createRun", () => {
  it("starts nothing until somebody looks", async () => {
    const { run, log } = counted();
    await Promise.resolve();
    expect(log).toEqual([]);
    expect(await run).toBe("done");
    expect(log).toEqual(["start", "end"]);
  });

  it("gives items to a loop and then the result, doing the work once", async () => {
    const { run, log } = counted();
    const items: number[] = [];
    for await (const item of run) items.push(item);
    expect(items).toEqual([0, 1, 2]);
    expect([await run, await run]).toEqual(["done", "done"]);
    expect(log).toEqual(["start", "end"]);
  });

  it("stops the work when the loop is left early; there is no result then", async () => {
    const { run, log } = counted();
    for await (const item of run) if (item === 1) break;
    expect(log).toEqual(["start", "end"]);
    await expect(Promise.resolve(run)).rejects.toMatchObject({ code: "aborted" });
  });

  it("gives a failure to whoever looks, loop or await", async () => {
    const looped = counted(1);
    const items: number[] = [];
    await expect(
      (async () => {
        for await (const item of looped.run) items.push(item);
      })(),
    ).rejects.toThrow("at 1");
    expect(items).toEqual([0]);
    await expect(Promise.resolve(looped.run)).rejects.toThrow("at 1");
    await expect(Promise.resolve(counted(0).run)).rejects.toThrow("at 0");
  });
});
