import { afterAll, describe, expect, it } from "vitest";
import { createWeaviateEngine } from "../../../src/stores/weaviate/weaviate-engine.ts";
import { type Answer, type Request, serve } from "./stand-ins/serve.ts";

const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
const spec = { name: "b1_v1", version, dimensions: 2, metric: "cosine" } as const;
const vector = Float32Array.of(1, 0);
const entry = { key: "00000000-0000-4000-8000-000000000001", ref: "r/1", vector, tags: ["0a"], numbers: {} };

/** Answers by the beginning of a request, in the shapes of Weaviate 1.35; other requests get `{}`. */
let answers: Readonly<Record<string, Answer>> = {};
const server = await serve(({ method, url: { pathname } }: Request) => {
  const found = Object.entries(answers).find(([beginning]) => `${method} ${pathname}`.startsWith(beginning));
  return found?.[1] ?? { status: 200, body: {} };
});
afterAll(() => server.stop());

const collection = {
  class: "Ibid_b1_v1",
  description: "2 dimensions",
  properties: [
    { name: "tags", dataType: ["text[]"] },
    { name: "n0c", dataType: ["number"] },
  ],
};
const isThere = { "GET /v1/schema/Ibid_b1_v1": { status: 200, body: collection } };
const engine = (more: object = {}) => createWeaviateEngine({ url: server.url, attempts: 1, ...more });
const asked = (): unknown => (server.requests.at(-1)!.body as { query: unknown }).query;
const found = (rows: readonly object[]) => ({ status: 200, body: { data: { Get: { Ibid_b1_v1: rows } } } });

describe("the engine over Weaviate", () => {
  it("writes a condition in GraphQL, with numbers that the collection knows alone [S1 S2]", async () => {
    answers = { ...isThere, "POST /v1/graphql": found([{ ref: "r/1", _additional: { distance: 0.25 } }]) };
    const index = await engine().open(spec);
    const condition = {
      op: "and",
      of: [
        { op: "lacks", tag: "0a" },
        {
          op: "or",
          of: [
            { op: "number", key: "n0d", is: "gt", value: 1 },
            { op: "has", tag: "0b" },
          ],
        },
        { op: "number", key: "n0c", is: "gte", value: 2.5 },
      ],
    } as const;
    expect(await index.nearest({ vector, condition, limit: 3 })).toEqual([{ ref: "r/1", score: 0.75 }]);
    expect(asked()).toBe(
      "{ Get { Ibid_b1_v1(nearVector:{vector:[1,0]},limit:3,where:{operator:And,operands:[" +
        '{path:["tags"],operator:ContainsNone,valueText:["0a"]},' +
        '{operator:Or,operands:[{path:["tags"],operator:ContainsAny,valueText:["none"]},{path:["tags"],operator:ContainsAny,valueText:["0b"]}]},' +
        '{path:["n0c"],operator:GreaterThanEqual,valueNumber:2.5}]}) { ref _additional { distance } } } }',
    );
  });

  it("searches words beside the vector, and reads no sign of theirs as GraphQL", async () => {
    answers = { ...isThere, "POST /v1/graphql": found([{ ref: "r/1", _additional: { score: "0.5" } }]) };
    const index = await engine({ query: { fusionType: "rankedFusion" } }).open(spec);
    const words = 'inn"}) { x } \\ ${a}';
    const options = { alpha: 0.25 };
    expect(await index.nearest({ vector, words, options, limit: 1 })).toEqual([{ ref: "r/1", score: 0.5 }]);
    expect(asked()).toContain(
      `hybrid:{fusionType:rankedFusion,alpha:0.25,vector:[1,0],query:${JSON.stringify(words)},properties:["text"]}`,
    );
    const attack = index.nearest({ vector, options: { "a:1}){x}": 1 }, limit: 1 });
    await expect(attack).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("names store, operation and cause of failures that come with status 200", async () => {
    const failed = { result: { status: "FAILED", errors: { error: [{ message: "vector has 1 dimension." }] } } };
    answers = {
      ...isThere,
      "POST /v1/batch/objects": { status: 200, body: [{ result: { status: "SUCCESS" } }, failed] },
      "POST /v1/graphql": { status: 200, body: { errors: [{ message: "no such prop" }] } },
      "DELETE /v1/batch/objects": { status: 200, body: { results: { matches: 2, failed: 1 } } },
    };
    const index = await engine().open(spec);
    await expect(index.put([entry])).rejects.toThrow("weaviate: write failed in part: vector has 1 dimension.");
    await expect(index.count("0a")).rejects.toThrow("weaviate: count failed: no such prop.");
    await expect(index.delete([entry.key])).rejects.toThrow(/delete failed in part: 1 objects are still there\./u);
  });

  it("makes a property of each new number once, also when another process was faster", async () => {
    answers = {
      ...isThere,
      "POST /v1/schema/Ibid_b1_v1/properties": { status: 422, body: { error: [{ message: "already exists" }] } },
      "POST /v1/batch/objects": { status: 200, body: [] },
    };
    const index = await engine().open(spec);
    await index.put([{ ...entry, numbers: { n0c: 1 } }]);
    await expect(index.put([{ ...entry, numbers: { n0e: 1 } }])).rejects.toThrow(/index a number failed: status 422/u);
    const properties = [...collection.properties, { name: "n0e", dataType: ["number"] }];
    answers = { ...answers, "GET /v1/schema/Ibid_b1_v1": { status: 200, body: { ...collection, properties } } };
    await index.put([{ ...entry, numbers: { n0e: 1 } }]);
    const before = server.requests.length;
    await index.put([{ ...entry, numbers: { n0e: 1 } }]);
    expect(server.requests.length).toBe(before + 1);
  });

  it("refuses an index of other dimensions, unknown options, and repeats no key", async () => {
    answers = isThere;
    await expect(engine().open({ ...spec, dimensions: 3 })).rejects.toMatchObject({ code: "dimension-mismatch" });
    expect(() => engine({ tenant: "a" })).toThrow(/no option "tenant"/u);
    answers = { "GET /v1/schema": { status: 401, body: { code: 401, message: "anonymous access not enabled" } } };
    const error: unknown = await engine({ apiKey: "hunter2" })
      .indexes("b")
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "store-failed", details: { store: "weaviate" } });
    expect(JSON.stringify([error, String(error)])).not.toContain("hunter2");
    expect(server.requests.at(-1)!.headers.authorization).toBe("Bearer hunter2");
  });
});
