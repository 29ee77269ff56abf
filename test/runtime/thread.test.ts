import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { Transfer } from "../../src/runtime/calls.ts";
import { serveThread, startThread, type Thread } from "../../src/runtime/thread.ts";

const program = new URL("./thread-module.ts", import.meta.url);
const open: Thread[] = [];

function start(...given: Parameters<typeof startThread>): Thread {
  const thread = startThread(...given);
  open.push(thread);
  return thread;
}

afterEach(() => Promise.all(open.splice(0).map((thread) => thread.end())));

describe("a thread", () => {
  it("answers calls, each with its own answer whatever the order", async () => {
    const thread = start(program);
    const slow = thread.call("wait", 50);
    const both = await Promise.race([slow, thread.call("double", 21)]);
    expect([both, await slow, thread.isAlive]).toEqual([42, 50, true]);
  });

  it("calls methods of the thread that started it", async () => {
    const thread = start(program, { triple: (value: number) => value * 3 });
    expect(await thread.call("askBack", 4)).toBe("told 12");
    await expect(start(program).call("askBack", 4)).rejects.toThrow("There is no method triple.");
  });

  it("moves buffers both ways instead of copying them, and copies others", async () => {
    const thread = start(program);
    const moved = new Uint8Array(1024);
    expect(await thread.call("fill", new Transfer(moved, [moved.buffer]))).toEqual(new Uint8Array(1024).fill(7));
    expect(moved.byteLength).toBe(0);
    const copied = new Uint8Array(16);
    await thread.call("fill", copied);
    expect(copied).toEqual(new Uint8Array(16));
  });

  it("hands errors over with code, hint, details, uri and cause", async () => {
    await expect(start(program).call("refuse", undefined)).rejects.toMatchObject({
      name: "IbidError",
      code: "invalid-argument",
      message: "No.",
      hint: "Say yes.",
      details: { got: 1 },
      uri: "a.md",
      cause: { name: "RangeError", message: "too far" },
    });
  });

  it("refuses values that cannot be copied, and goes on", async () => {
    const thread = start(program);
    await expect(thread.call("double", () => 1)).rejects.toThrow(/could not be cloned/u);
    await expect(thread.call("giveFunction", 1)).rejects.toThrow(/could not be cloned/u);
    expect(await thread.call("double", 2)).toBe(4);
  });

  it("rejects what waits when it dies, and says why", async () => {
    const thread = start(program);
    const waiting = thread.call("wait", 60_000);
    await Promise.all([
      expect(thread.call("exit", 3)).rejects.toMatchObject({
        code: "internal",
        message: expect.stringMatching(/exit code is 3/u),
      }),
      expect(waiting).rejects.toMatchObject({ code: "internal" }),
    ]);
    expect([thread.isAlive, await thread.ended]).toMatchObject([false, { code: "internal" }]);
    await expect(thread.call("double", 1)).rejects.toMatchObject({ code: "internal" });
  });

  it.each([
    ["is not there", new URL("./no-such-module.ts", import.meta.url), /no-such-module/u],
    ["throws when it is loaded", new URL("data:text/javascript,throw new Error('broken')"), /broken/u],
  ])("ends when its module %s", async (_, url, message) => {
    const thread = start(url);
    await expect(thread.call("double", 1)).rejects.toMatchObject({
      code: "internal",
      message: expect.stringMatching(message),
    });
    expect(await thread.ended).toMatchObject({ message: expect.stringMatching(message) });
  });

  it("ends at once when asked to, also in the middle of work", async () => {
    const thread = start(program);
    const stuck = thread.call("loop", undefined);
    await Promise.all([expect(stuck).rejects.toMatchObject({ code: "aborted" }), thread.end()]);
    expect([thread.isAlive, await thread.ended]).toEqual([false, undefined]);
  });

  it("keeps the process alive for an answer, and not when it is idle", async () => {
    const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const text = `
      const { startThread } = await import(${from("../../src/runtime/thread.ts")});
      const thread = startThread(new URL(${from("./thread-module.ts")}));
      thread.call("wait", 100).then(async () => console.log(await thread.call("double", 4)));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", text], {
      timeout: 110_000,
    });
    expect(stdout).toBe("8\n");
  });

  it("is served from a worker thread only", () => {
    expect(() => serveThread({})).toThrow(/outside a worker thread/u);
  });
});
