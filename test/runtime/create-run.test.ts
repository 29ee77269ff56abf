import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import type { Answer, AnswerEvent, AskRun, IngestResult, IngestRun, IngestSummary, Run } from "../../src/index.ts";
import { createRun } from "../../src/runtime/create-run.ts";

/** A run of three events. `fail` is the event before which it fails. */
function counted(fail?: number, leave?: () => void) {
  const log: string[] = [];
  const run = createRun(async function* () {
    log.push("start");
    try {
      for (let i = 0; i < 3; i++) {
        await Promise.resolve();
        if (i === fail) throw new Error(`at ${i}`);
        yield i;
      }
      return "done";
    } finally {
      log.push("end");
    }
  }, leave);
  return { run, log };
}

async function iterate<Event>(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const turn = (): Promise<void> => new Promise((wake) => setTimeout(wake, 1));

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
let before: NodeJS.UnhandledRejectionListener[] = [];
beforeEach(() => {
  before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await turn();
  process.off("unhandledRejection", note);
  for (const listener of before) process.on("unhandledRejection", listener);
  expect(unhandled.splice(0)).toEqual([]);
});

describe("a run", () => {
  it("starts when it is first awaited or iterated, and not before", async () => {
    const { run, log } = counted();
    await turn();
    expect(log).toEqual([]);
    expect(await run).toBe("done");
    expect(log).toEqual(["start", "end"]);
  });

  it("runs once, iterated and then awaited", async () => {
    const { run, log } = counted();
    expect(await iterate(run)).toEqual([0, 1, 2]);
    expect([await run, await run]).toEqual(["done", "done"]);
    expect(log).toEqual(["start", "end"]);
  });

  it("is a promise: then, catch, finally, all, race, allSettled, any, and returned from async functions", async () => {
    const { run } = counted();
    expect(run).toBeInstanceOf(Promise);
    const derived = run.then((result) => `${result}!`);
    expect(derived.constructor).toBe(Promise);
    expect(await derived).toBe("done!");
    expect(await counted(1).run.catch((error: Error) => error.message)).toBe("at 1");
    const ends: string[] = [];
    expect(await counted().run.finally(() => void ends.push("ok"))).toBe("done");
    await expect(counted(0).run.finally(() => void ends.push("failed"))).rejects.toThrow("at 0");
    expect(ends).toEqual(["ok", "failed"]);
    expect(await Promise.all([counted().run, counted().run])).toEqual(["done", "done"]);
    expect(await Promise.race([counted().run, new Promise(() => {})])).toBe("done");
    expect(await Promise.any([counted(0).run, counted().run])).toBe("done");
    expect(await Promise.allSettled([counted(0).run, counted().run])).toMatchObject([
      { status: "rejected", reason: { message: "at 0" } },
      { status: "fulfilled", value: "done" },
    ]);
    const given = async (): Promise<string> => counted().run;
    expect(await given()).toBe("done");
    await expect(counted(2).run).rejects.toThrow("at 2");
  });

  it("gives a loop that begins late every event", async () => {
    const { run } = counted();
    await turn();
    expect(await iterate(run)).toEqual([0, 1, 2]);
  });

  it("gives a loop every event also when it is awaited beside it", async () => {
    const first = counted().run;
    const caught = first.catch(() => "failed");
    expect([await iterate(first), await caught]).toEqual([[0, 1, 2], "done"]);
    const second = counted().run;
    expect(await Promise.all([iterate(second), second, iterate(second)])).toEqual([[0, 1, 2], "done", [0, 1, 2]]);
  });

  it("can be awaited in the middle of a loop, which then gets the rest", async () => {
    const { run } = counted();
    const seen: unknown[] = [];
    for await (const event of run) {
      seen.push(event);
      if (event === 0) seen.push(await run);
    }
    expect(seen).toEqual([0, "done", 1, 2]);
  });

  it("ends a loop at once that begins after the end", async () => {
    const { run } = counted();
    await run;
    expect(await iterate(run)).toEqual([]);
  });

  it("rejects with aborted when a loop is left early, and stops the work", async () => {
    let left = 0;
    const { run, log } = counted(undefined, () => void left++);
    for await (const event of run) if (event === 1) break;
    expect([log, left]).toEqual([["start", "end"], 1]);
    await expect(run).rejects.toMatchObject({ code: "aborted", hint: expect.any(String) });
    const other = counted().run;
    const loop = iterate(other);
    await Promise.all([
      expect(loop).rejects.toMatchObject({ code: "aborted" }),
      other[Symbol.asyncIterator]().return?.(),
    ]);
  });

  it("starts nothing when it is left before its first step", async () => {
    const { run, log } = counted();
    await run[Symbol.asyncIterator]().return?.();
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(log).toEqual([]);
  });

  it("fails in the loop and in the promise, without an unhandled rejection", async () => {
    const looped = counted(1).run;
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for await (const event of looped) seen.push(event);
    };
    await expect(loop()).rejects.toThrow("at 1");
    expect(seen).toEqual([0]);
    await turn();
    await expect(looped).rejects.toThrow("at 1");
    const early = createRun((): AsyncGenerator<number, string> => {
      throw new Error("closed");
    });
    await expect(early).rejects.toThrow("closed");
    await expect(iterate(early)).rejects.toThrow("closed");
  });

  it("is an unhandled rejection when its failure is nobody's, as with any promise", async () => {
    void counted(0).run.then(() => {});
    await turn();
    expect(unhandled.splice(0)).toMatchObject([{ message: "at 0" }]);
  });

  it("has the types of a promise and of an iterable", () => {
    expectTypeOf<IngestRun>().toEqualTypeOf<Run<IngestResult, IngestSummary>>();
    expectTypeOf<AskRun>().toExtend<Promise<Answer>>();
    expectTypeOf<AskRun>().toExtend<AsyncIterable<AnswerEvent>>();
    expectTypeOf<Awaited<AskRun>>().toEqualTypeOf<Answer>();
  });

  it("is reported by oxlint where nobody awaits it", async () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), "ibid-floating-"));
    try {
      const text = `import type { KnowledgeBase } from "ibid";
export async function work(kb: KnowledgeBase): Promise<void> {
  kb.ingest("./docs");
  await kb.ingest("./docs");
}
`;
      writeFileSync(join(folder, "work.ts"), text);
      const config = { extends: join(root, "tsconfig.json"), include: ["*.ts"], compilerOptions: { types: [] } };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const args = [join(root, "node_modules/oxlint/bin/oxlint"), "-c", join(root, ".oxlintrc.json")];
      const printed = await new Promise<string>((resolve) => {
        const options = { cwd: folder };
        execFile(process.execPath, [...args, "--format", "json", "."], options, (_, stdout) => resolve(stdout));
      });
      type Diagnostics = { diagnostics: { code: string; labels: { span: { line: number } }[] }[] };
      const { diagnostics } = JSON.parse(printed) as Diagnostics;
      const reported = diagnostics.map(({ code, labels }) => [code, labels[0]?.span.line]);
      expect(reported).toEqual([["typescript(no-floating-promises)", 3]]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
