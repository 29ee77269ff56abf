import { describe, expect, it } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import { inBytes } from "../../../src/stores/engines/batches.ts";
import { checkSettings } from "../../../src/stores/engines/check-engine.ts";
import { createEngine, type OwnIndex, type OwnRequest } from "../../../src/stores/engines/create-engine.ts";
import { findOrMake } from "../../../src/stores/engines/find-or-make.ts";
import { createNumberFields } from "../../../src/stores/engines/number-fields.ts";
import { createOptionalClient } from "../../../src/stores/engines/optional-client.ts";
import { writeExpression } from "../../../src/stores/engines/translate-filter.ts";
import { waitUntil } from "../../../src/stores/engines/wait-until.ts";

describe("parts that engines share [S1 S2]", () => {
  it("groups texts by their bytes, not by their characters", () => {
    // Each of the four characters takes three bytes.
    expect([...inBytes(["日本", "語文", "ab"], 8)]).toEqual([["日本"], ["語文", "ab"]]);
    expect([...inBytes(["日本日本", "a"], 8)]).toEqual([["日本日本"], ["a"]]);
    expect([...inBytes([], 8)]).toEqual([]);
  });

  it("names indexes with the prefix, and asks for no name that cannot be one", async () => {
    const asked: string[] = [];
    const engine = createEngine({
      name: "mine",
      native: undefined,
      prefix: "team",
      measures: { dot: "product", manhattan: "along axes" },
      capabilities: { batch: 7 },
      open: async (name) => {
        asked.push(name);
        throw new Error("not opened");
      },
      names: async () => ["team_b1_v1", "teams_b1_v1", "team_b2_v1", "other"],
      drop: async (name) => void asked.push(name),
    });
    expect(await engine.indexes("b1")).toEqual(["b1_v1"]);
    await engine.drop("b1_v1");
    await engine.drop('b1"; DROP TABLE documents; --');
    await engine.drop("../b1");
    expect(asked).toEqual(["team_b1_v1"]);
    const metrics = ["dot", "manhattan"];
    expect(engine.capabilities).toMatchObject({ batch: 7, candidates: 10_000, exhaustive: false, metrics });
    const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
    const opening = engine.open({ name: "b", version, dimensions: 2, metric: "cosine" });
    await expect(opening).rejects.toMatchObject({ code: "unsupported", hint: "It has dot, manhattan." });
  });

  it("adds a field for each new key of a number once, and looks again where another process may have", async () => {
    const added: string[][] = [];
    let onServer = ["na"];
    const fields = createNumberFields(
      ["na"],
      async () => onServer,
      async (keys) => void added.push([...keys]),
    );
    const entry = { key: "k", ref: "r", vector: Float32Array.of(1), tags: [] };
    await fields.addFor([
      { ...entry, numbers: { na: 1, nb: 2 } },
      { ...entry, numbers: { nb: 3 } },
    ]);
    await fields.addFor([{ ...entry, numbers: { nb: 3 } }]);
    expect(added).toEqual([["nb"]]);
    onServer = ["na", "nb", "nc"];
    const asks = { op: "number", key: "nc", is: "gt", value: 1 } as const;
    expect(fields.has("nc")).toBe(false);
    await fields.learnFor(asks);
    expect(fields.has("nc")).toBe(true);
  });

  it("scores what an index gives, pages by key, and joins options with those of the caller", async () => {
    const asked: OwnRequest[] = [];
    let page: readonly string[] = ["k1", "k2"];
    const makeEngine = (query?: Readonly<Record<string, unknown>> | "none") =>
      createEngine({
        name: "mine",
        native: undefined,
        prefix: undefined,
        measures: { dot: "product" },
        capabilities: {},
        query,
        open: async (): Promise<OwnIndex> => ({
          score: (value) => -value,
          numbers: createNumberFields(
            ["na"],
            async () => ["na", "nb"],
            async () => {},
          ),
          put: async () => {},
          delete: async () => {},
          count: async () => 0,
          list: async () => page,
          read: async () => [],
          readVectors: async () => [],
          async nearest(request) {
            asked.push(request);
            return [{ ref: "r", score: 3 }];
          },
        }),
        names: async () => [],
        drop: async () => {},
      });
    const version = { provider: "p", model: "m", dimensions: 1, fingerprint: "" };
    const spec = { name: "b", version, dimensions: 1, metric: "dot" } as const;
    const index = await makeEngine({ ef: 1, m: 2 }).open(spec);
    const vector = Float32Array.of(1);
    const number = (key: string) => ({ op: "number", key, is: "gt", value: 1 }) as const;
    const condition = { op: "and", of: [number("na"), number("nb"), number("nc")] } as const;
    const request = { vector, condition, limit: 1 };
    expect(await index.nearest({ ...request, options: { m: 3 } })).toEqual([{ ref: "r", score: -3 }]);
    expect(asked[0]).toMatchObject({
      options: { ef: 1, m: 3 },
      condition: { op: "and", of: [number("na"), number("nb"), { op: "or", of: [] }] },
    });
    // The engine joins words itself: its score is that of both.
    expect(await index.nearest({ ...request, words: "x" })).toEqual([{ ref: "r", score: 3 }]);
    for (const options of ["ef", 3, true]) {
      const wrong = index.nearest({ ...request, options });
      await expect(wrong).rejects.toMatchObject({ code: "invalid-argument" });
    }
    const closed = await makeEngine("none").open(spec);
    await expect(closed.nearest({ ...request, options: { ef: 1 } })).rejects.toThrow(
      /mine has no options of a search/u,
    );
    expect(await index.list("0a", undefined)).toEqual({ keys: ["k1", "k2"], next: undefined });
    page = Array.from({ length: 1_000 }, (_, i) => `k${i}`);
    expect((await index.list("0a", undefined)).next).toBe("k999");
  });

  it("makes an index that is not there, and counts a failure only where it is not there afterwards", async () => {
    let there: string | undefined;
    const look = async () => there;
    const lost = findOrMake("mine", "make an index", look, async () => {
      throw new Error("no room");
    });
    await expect(lost).rejects.toMatchObject({
      code: "store-failed",
      message: "mine: make an index failed: no room.",
      details: { store: "mine", operation: "make an index" },
    });
    const raced = findOrMake("mine", "make an index", look, async () => {
      there = "made by another process";
      throw new Error("it exists");
    });
    expect(await raced).toBe("made by another process");
    const found = await findOrMake("mine", "make an index", look, async () => Promise.reject(new Error("not asked")));
    expect(found).toBe("made by another process");
  });

  it("refuses settings that are more than a name and a value", () => {
    expect(checkSettings("mine", "query", { ef: 4, low: "-0.5" })).toEqual([
      ["ef", "4"],
      ["low", "-0.5"],
    ]);
    for (const given of [{ "a b": 1 }, { a: "1; DROP TABLE t" }, { a: "" }, { a: "1'" }])
      expect(() => checkSettings("mine", "query", given)).toThrow(/^mine: query\./u);
  });

  it("refuses a tag that would be more than a word of an expression", () => {
    const write = (tag: string): unknown =>
      writeExpression(
        { op: "lacks", tag },
        (one) => `has(${one})`,
        () => "",
      );
    expect(write("0a")).toBe("not(has(0a))");
    expect(() => write("a' OR true --")).toThrow(IbidError);
  });

  it("opens another client where its own gave up, once for all calls, and ends none that has ended", async () => {
    type Client = { isOpen: boolean };
    const [opened, ended]: [Client[], Client[]] = [[], []];
    const parts = {
      engine: "test",
      asked: ["createTestEngine", "server"] as const,
      given: "test://host",
      example: "test://host",
      readHost: () => "host",
      // Any package that is here stands for the client's.
      library: ["fast-check", "assert"] as const,
      async open() {
        await Promise.resolve();
        return opened[opened.push({ isOpen: true }) - 1]!;
      },
      end: async (client: Client) => void ended.push(client),
      isEnded: ({ isOpen }: Client) => !isOpen,
      signs: { isBusy: () => false, isDenied: () => false },
    };
    const client = createOptionalClient<Client, Client, { assert: unknown }>(parts);
    const ask = (): Promise<boolean> =>
      client.run("ask", async (one) => {
        if (!one.isOpen) throw new Error("closed");
        return one.isOpen;
      });
    expect(await ask()).toBe(true);
    opened[0]!.isOpen = false;
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([true, true, true]);
    expect(opened).toHaveLength(2);
    opened[1]!.isOpen = false;
    await client.close();
    expect(ended).toEqual([]);
    expect(await ask()).toBe(true);
    await client.close();
    expect(ended).toEqual([opened[2]]);
  });

  it("waits until something is found, and ends with the error of the wait", async () => {
    let looks = 0;
    const late = (): IbidError => new IbidError("store-busy", "It is late.");
    const found = await waitUntil(
      { what: "a test", withinMs: 5_000 },
      async () => (++looks === 3 ? "there" : undefined),
      late,
    );
    expect([found, looks]).toEqual(["there", 3]);
    await expect(waitUntil({ what: "a test", withinMs: 0 }, async () => undefined, late)).rejects.toThrow(
      "It is late.",
    );
  });
});
