import { describe, expect, it } from "vitest";
import { createRedisEngine } from "../../../src/stores/redis/redis-engine.ts";

const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
const spec = { name: "b1_v1", version, dimensions: 2, metric: "cosine" } as const;
const vector = Float32Array.of(1, 0);

/** A client that answers with replies of a real server, and keeps what it was sent. */
function scripted(replies: Readonly<Record<string, unknown>>) {
  const sent: string[][] = [];
  return {
    sent,
    async sendCommand(args: readonly (string | Buffer)[]): Promise<unknown> {
      sent.push(args.map(String));
      const reply = replies[String(args[0])];
      if (reply instanceof Error) throw reply;
      return reply ?? "OK";
    },
  };
}

const fields = [
  ["identifier", "tags", "attribute", "tags", "type", "TAG", "SEPARATOR", ","],
  ["identifier", "vector", "attribute", "vector", "type", "VECTOR", "algorithm", "HNSW", "dim", 2],
  ["identifier", "n0a", "attribute", "n0a", "type", "NUMERIC"],
];
const info = ["index_name", "ibid_b1_v1", "attributes", fields];

describe("the engine over Redis", () => {
  it.each([
    ["second", [2, "ibid_b1_v1:k", ["ref", "deployment/c1", "distance", "0.25"]]],
    [
      "third",
      {
        total_results: 2,
        results: [{ id: "ibid_b1_v1:k", extra_attributes: { ref: "deployment/c1", distance: "0.25" }, values: [] }],
      },
    ],
  ])("reads replies of the %s protocol alike [S1 S2]", async (_, found) => {
    const server = scripted({ "FT.INFO": info, "FT.SEARCH": found });
    const index = await createRedisEngine({ server }).open(spec);
    expect(await index.nearest({ vector, limit: 3 })).toEqual([{ ref: "deployment/c1", score: 0.75 }]);
    expect(await index.count("0a")).toBe(2);
    expect((await index.list("0a", undefined)).keys).toEqual(["k"]);
  });

  it("sends numbers as parameters, and lets Redis's own attributes through", async () => {
    const server = scripted({ "FT.INFO": info, "FT.SEARCH": [0] });
    const engine = createRedisEngine({ server, attributes: { M: 32 }, query: { EF_RUNTIME: 900 } });
    const index = await engine.open(spec);
    expect(server.sent[0]!.slice(-2)).toEqual(["M", "32"]);
    const condition = { op: "number", key: "n0a", is: "gt", value: 1e21 } as const;
    await index.nearest({ vector, condition, limit: 3 });
    const search = server.sent.at(-1)!;
    expect(search[2]).toBe("(@n0a:[($n2 inf])=>[KNN 3 @vector $vector EF_RUNTIME 900 AS distance]");
    expect(search.slice(4, 5)).toEqual(["4"]);
    expect(search.slice(7, 9)).toEqual(["n2", "1e+21"]);
    await index.nearest({ vector, limit: 3, options: { HYBRID_POLICY: "ADHOC_BF" } });
    expect(server.sent.at(-1)![2]).toContain("HYBRID_POLICY ADHOC_BF");
    const attack = index.nearest({ vector, limit: 3, options: { EF_RUNTIME: "1] @x" } });
    await expect(attack).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("searches words under the same condition, and joins both by their ranks [S2]", async () => {
    const hit = (ref: string) => ["k", ["ref", ref, "distance", "0.25"]];
    const server = scripted({ "FT.INFO": info, "FT.SEARCH": [2, ...hit("r/1"), ...hit("r/2")] });
    const index = await createRedisEngine({ server }).open({ ...spec, records: true });
    const condition = { op: "has", tag: "0a" } as const;
    const found = await index.nearest({ vector, condition, words: 'the "lantern" @x:{y}', limit: 3 });
    expect(found).toEqual([
      { ref: "r/1", score: 2 / 61 },
      { ref: "r/2", score: 2 / 62 },
    ]);
    expect(server.sent.at(-1)![2]).toBe("@tags:{0a} @text:(the|lantern|x|y)");
    // Signs alone are no words.
    expect(await index.nearest({ vector, condition, words: "?!", limit: 1 })).toMatchObject([{ score: 0.75 }, {}]);
  });

  it("makes a field of each new number once, also when another process was faster", async () => {
    const server = scripted({ "FT.INFO": info, "FT.ALTER": new Error("Duplicate field in schema - n0b") });
    const index = await createRedisEngine({ server }).open(spec);
    const entry = { key: "k", ref: "deployment/c1", vector, tags: ["0a"], numbers: { n0a: 1, n0b: 2 } };
    await index.put([entry]);
    await index.put([entry]);
    expect(server.sent.filter(([name]) => name === "FT.ALTER")).toEqual([
      ["FT.ALTER", "ibid_b1_v1", "SCHEMA", "ADD", "n0b", "NUMERIC"],
    ]);
  });

  it("refuses an index of other dimensions, and what it has no name for", async () => {
    const server = scripted({ "FT.INFO": info });
    const wide = { ...spec, dimensions: 3 };
    await expect(createRedisEngine({ server }).open(wide)).rejects.toMatchObject({ code: "dimension-mismatch" });
    expect(() => createRedisEngine({ server, index: "ivf" as never })).toThrow(/index is "ivf"/u);
    expect(() => createRedisEngine({ server, efRuntime: 3 } as never)).toThrow(/efRuntime/u);
    expect(() => createRedisEngine({ server: "http://localhost" })).toThrow(/cannot be read/u);
  });

  it("names store, operation and next action, and repeats no password", async () => {
    const failing = (reason: string) => createRedisEngine({ server: scripted({ "FT._LIST": new Error(reason) }) });
    await expect(failing("unknown command 'FT._LIST'").indexes("b")).rejects.toMatchObject({
      code: "store-failed",
      details: { store: "redis", operation: "list indexes" },
      hint: "Use Redis 8, or Redis 7 with the module RediSearch 2.10 or later.",
    });
    await expect(failing("OOM command not allowed").indexes("b")).rejects.toMatchObject({ code: "store-busy" });
    // The package redis is not installed for the tests.
    const away: unknown = await createRedisEngine({ server: "redis://ada:hunter2@127.0.0.1:1" })
      .indexes("b")
      .catch((error: unknown) => error);
    expect(away).toMatchObject({ code: "dependency-missing", details: { package: "redis" } });
    expect(JSON.stringify([away, String(away)])).not.toContain("hunter2");
  });
});
