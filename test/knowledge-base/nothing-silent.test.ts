import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { inspect } from "node:util";
import type { IbidError } from "ibid";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import { createIngestionQueue } from "ibid/ingest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collect } from "../../src/testing/assert.ts";

let folder: string;
let kb: KnowledgeBase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "silent-"));
  kb = await openKnowledgeBase(join(folder, ".ibid"));
});
afterEach(async () => {
  await kb.close();
  rmSync(folder, { recursive: true, force: true });
});

const rejection = async (run: PromiseLike<unknown>): Promise<IbidError> => {
  try {
    await run;
  } catch (error) {
    return error as IbidError;
  }
  return expect.fail("nothing was thrown");
};

describe("an input that is named and is not there", () => {
  it.each([
    ["a path", "nope", "There is no file or folder at nope."],
    ["a glob", "nope/*.md", "Nothing matches"],
  ])("rejects and is named: %s", async (_, name, message) => {
    const error = await rejection(kb.ingest(join(folder, name)));
    expect(error).toMatchObject({ code: "not-found", details: { summary: { failed: 1, added: 0 } } });
    expect(error.message).toContain(message);
    expect(error.uri).toContain("nope");
    expect(error.hint).toBeDefined();
  });

  it("is printed by Node with its stack once, its hint, and without a summary of the rest", async () => {
    const error = await rejection(kb.ingest([join(folder, "nope"), join(folder, "nor-this")]));
    const printed = inspect(error, { depth: 5 });
    expect(printed).toContain(error.hint);
    expect(printed.match(/^\s+at /gmu)!.length).toBe(error.stack!.match(/^\s+at /gmu)!.length);
    expect(printed).not.toMatch(/receipt|failures/u);
  });

  it("rejects after the rest is ingested, which its summary counts", async () => {
    await writeFile(join(folder, "a.md"), "Apples.");
    const uris: string[] = [];
    const run = kb.ingest(["nope", "a.md", "nor-this"].map((name) => join(folder, name)));
    const error = await rejection(
      (async () => {
        for await (const { uri, status } of run) uris.push(`${status} ${uri}`);
      })(),
    );
    expect(uris).toEqual(["added a.md", "failed nope", "failed nor-this"]);
    expect(error).toMatchObject({
      message: "There is no file or folder at nope. Nor is there anything at nor-this.",
      details: { missing: ["nope", "nor-this"], summary: { added: 1, failed: 2 } },
    });
    expect((await kb.search("apples")).length).toBe(1);
  });

  it("fails a queued job, once", async () => {
    const queue = createIngestionQueue(kb);
    const id = (await queue.enqueue(join(folder, "nope"))) as string;
    expect(await queue.done(id)).toMatchObject({ state: "failed", error: { code: "not-found" }, attempts: 1 });
    await queue.close();
    expect((await kb.health()).ingestion).toMatchObject({ failed: 1 });
  });
});

describe("a folder with failures", () => {
  it("resolves, with the reason of each", async () => {
    await mkdir(join(folder, "docs"));
    await writeFile(join(folder, "docs/a.md"), "Apples.");
    await writeFile(join(folder, "docs/b.bin"), Uint8Array.of(0, 1, 2, 0, 255));
    await writeFile(join(folder, "docs/c.md"), "");
    const left: [uri: string, kind: string][] = [];
    const summary = await kb.ingest(join(folder, "docs"), { onSkip: (uri, kind) => void left.push([uri, kind]) });
    expect(left).toEqual([["docs/b.bin", "unread"]]);
    expect(summary).toMatchObject({ added: 1, skipped: 1, failed: 1 });
    expect(summary.failures.map(({ uri, error }) => [uri, error.code, typeof error.hint])).toEqual([
      ["docs/c.md", "empty", "string"],
    ]);
  });
});

describe("metadata", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  it("keep a date as an ISO string, and a typed array as numbers", async () => {
    const given = {
      at: new Date(Date.UTC(2024, 1, 3)),
      list: [new Date(0)],
      vector: new Float32Array([0.5]),
      no: undefined,
    };
    await kb.ingest({ uri: "a", text: "Apples.", metadata: given as never }, { metadata: { seen: new Date(1) } });
    const expected = {
      at: "2024-02-03T00:00:00.000Z",
      list: ["1970-01-01T00:00:00.000Z"],
      vector: [0.5],
      seen: "1970-01-01T00:00:00.001Z",
    };
    expect((await kb.document("a"))?.metadata).toEqual(expected);
    expect(await kb.search("apples", { filter: { at: { gte: "2024-01-01" } } })).toHaveLength(1);
    expect(await kb.ingest({ uri: "a", text: "Apples.", metadata: expected })).toMatchObject({ unchanged: 1 });
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["a function", { f() {} }, "metadata.f is a function"],
    ["a symbol", { s: Symbol("s") }, "metadata.s is a symbol"],
    ["a bigint", { deep: { list: [1, 2n] } }, "metadata.deep.list[1] is a bigint"],
    ["NaN", { n: NaN }, "metadata.n is NaN"],
    ["infinity", { n: -Infinity }, "metadata.n is -Infinity"],
    ["a cycle", cycle, "metadata.self is an object that holds itself"],
    ["an invalid date", { d: new Date("never") }, "metadata.d is an invalid date"],
    ["a map", { m: new Map([[1, 2]]) }, "metadata.m is a Map"],
    ["undefined in a list", { l: [undefined] }, "metadata.l[0] is undefined"],
    ["a list", [1], "metadata is a list"],
  ];
  it.each(wrong)("refuse what JSON cannot hold, by its key: %s", async (_, metadata, message) => {
    const input = { uri: "a", text: "Apples.", metadata: metadata as never };
    const refused = await rejection(kb.ingest(input));
    expect(refused).toMatchObject({ code: "invalid-argument" });
    expect(refused.message).toContain(message);
    const option = await rejection((async () => kb.ingest("x", { metadata: metadata as never }))());
    expect(option).toMatchObject({ code: "invalid-argument" });
    const queue = createIngestionQueue(kb);
    const queued = await rejection(queue.enqueue(input));
    expect(queued.message).toContain(message);
    await queue.close();
    expect(await collect(kb.list())).toEqual([]);
  });

  it("of an item that a source gives fail that item alone", async () => {
    const item = (uri: string, metadata: object) => ({
      uri,
      metadata: metadata as never,
      bytes: () => Promise.resolve(new TextEncoder().encode("Apples.")),
    });
    const source = {
      folders: [],
      async *items() {
        yield await Promise.resolve(item("bad.txt", { f() {} }));
        yield item("good.txt", { at: new Date(0) });
      },
    };
    const summary = await kb.ingest(source);
    expect(summary).toMatchObject({ added: 1, failed: 1, failures: [{ uri: "bad.txt" }] });
    expect((await kb.document("good.txt"))?.metadata["at"]).toBe("1970-01-01T00:00:00.000Z");
  });
});

it("a telemetry that would hear nothing is refused", async () => {
  const telemetry = { start: () => ({ end: () => {} }) } as never;
  await expect(openKnowledgeBase({ operations: { telemetry } })).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("span or event") as string,
  });
});

describe("an input that names a scope", () => {
  const secret = { uri: "plan.md", text: "The heron plan.", scope: "team:north" };

  it.each([
    ["a text", secret],
    ["a list", [{ uri: "a.md", text: "A crane." }, secret]],
    ["a stream", Readable.from([secret])],
    ["bytes", { uri: "plan.md", bytes: new TextEncoder().encode("The heron plan."), scope: "team:north" }],
  ])("as %s is refused where the call names none: others would read it", async (_what, input) => {
    await expect(kb.ingest(input as never)).rejects.toMatchObject({
      code: "invalid-argument",
      message: 'An input names the scope "team:north", and the call ingests into deployment.',
      hint: 'The scope is an option of the call: kb.ingest(input, { scope: "team:north" }).',
    });
    expect(await kb.search("heron")).toEqual([]);
  });

  it("goes where the call says, and where both agree", async () => {
    await kb.ingest(secret as never, { scope: "team:south" });
    await kb.as({ userId: "ada", teamId: "north" }).ingest(secret as never);
    expect((await kb.search("heron", { copies: "all" })).map(({ scope }) => scope).toSorted()).toEqual([
      "team:north",
      "team:south",
    ]);
  });
});
