import { describe, expect, it } from "vitest";
import { createMilvusEngine } from "../../../src/stores/milvus/milvus-engine.ts";

const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
const spec = { name: "b1_v1", version, dimensions: 2, metric: "cosine" } as const;
const vector = Float32Array.of(1, 0);
const well = { error_code: "Success", code: 0, reason: "" };
const described = { status: well, schema: { fields: [{ name: "vector", dim: "2" }] } };

/** A client that answers as a real server does, and keeps what it was sent. */
function scripted(answers: Readonly<Record<string, unknown>>) {
  const sent: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const answer = (request: string) => async (body: object) => {
    sent.push([request, body as Readonly<Record<string, unknown>>]);
    const given = answers[request] ?? { status: well };
    if (given instanceof Error) throw given;
    return given;
  };
  const requests = ["createCollection", "describeCollection", "loadCollectionSync", "dropCollection"] as const;
  const others = ["showCollections", "upsert", "delete", "query", "search"] as const;
  return Object.assign(Object.fromEntries([...requests, ...others].map((name) => [name, answer(name)])), {
    sent,
  }) as unknown as Parameters<typeof createMilvusEngine>[0]["server"] & { readonly sent: typeof sent };
}

describe("the engine over Milvus", () => {
  it("writes a condition as an expression, in which no value is text of others [S1 S2]", async () => {
    const server = scripted({
      describeCollection: described,
      search: { status: well, results: [{ ref: "r/1", score: 4 }] },
    });
    const index = await createMilvusEngine({ server, query: { ef: 900 } }).open({ ...spec, metric: "euclidean" });
    const condition = {
      op: "and",
      of: [
        { op: "lacks", tag: "0a" },
        {
          op: "or",
          of: [
            { op: "has", tag: "0b" },
            { op: "or", of: [] },
          ],
        },
        { op: "number", key: "n0c", is: "gte", value: 1e21 },
      ],
    } as const;
    // The square of a distance of 2.
    expect(await index.nearest({ vector, condition, limit: 3, options: { nprobe: 7 } })).toEqual([
      { ref: "r/1", score: 1 / 3 },
    ]);
    expect(server.sent.at(-1)).toEqual([
      "search",
      expect.objectContaining({
        expr: '(not(array_contains(tags, "0a")) and (array_contains(tags, "0b") or array_contains(tags, "none")) and numbers["n0c"] >= 1e+21)',
        params: { ef: 900, nprobe: 7 },
        consistency_level: "Strong",
        limit: 3,
      }),
    ]);
  });

  it("searches words beside the vector under the same condition, and fuses by rank", async () => {
    const server = scripted({ describeCollection: described, search: { status: well, results: [] } });
    const index = await createMilvusEngine({ server }).open({ ...spec, records: true });
    const condition = { op: "has", tag: "0a" } as const;
    await index.nearest({ vector, condition, words: '"lantern" inn', limit: 500 });
    const expr = 'array_contains(tags, "0a")';
    expect(server.sent.at(-1)![1]).toMatchObject({
      data: [
        { anns_field: "vector", data: [1, 0], expr, params: { ef: 500 } },
        { anns_field: "words", data: '"lantern" inn', expr },
      ],
      rerank: { strategy: "rrf", params: { k: 60 } },
    });
  });

  it("makes the index of each kind, and lets Milvus's own fields through", async () => {
    let looks = 0;
    const missing = { status: { error_code: "CollectionNotExists", code: 100, reason: "not found" } };
    const server = scripted({});
    Object.assign(server, { describeCollection: async () => (looks++ % 2 === 0 ? missing : described) });
    const engine = createMilvusEngine({
      server,
      collection: { shards_num: 2 },
      index: { index_type: "DISKANN", params: {} },
    });
    await engine.open(spec);
    await engine.open({ ...spec, kind: "ivf-flat" });
    const made = server.sent.filter(([name]) => name === "createCollection").map(([, body]) => body);
    expect(made[0]).toMatchObject({ shards_num: 2, index_params: [{ index_type: "DISKANN", metric_type: "COSINE" }] });
    expect(made[1]).toMatchObject({ index_params: [{ index_type: "IVF_FLAT", params: { nlist: 128 } }] });
  });

  it("names store, operation and cause, also where the server answers with a refusal", async () => {
    const full = { status: { error_code: "RateLimit", code: 8, reason: "quota exceeded.", retriable: true } };
    const server = scripted({ describeCollection: described, upsert: full, query: new Error("14 UNAVAILABLE") });
    const index = await createMilvusEngine({ server }).open(spec);
    const entry = { key: "k", ref: "r/1", vector, tags: ["0a"], numbers: {} };
    await expect(index.put([entry])).rejects.toMatchObject({
      code: "store-busy",
      message: "milvus at the client given: write failed: quota exceeded.",
      details: { store: "milvus", operation: "write", status: 8 },
    });
    await expect(index.count("0a")).rejects.toThrow(/milvus at the client given: count failed: 14 UNAVAILABLE\./u);
    const denied = { status: { error_code: "UnexpectedError", code: 65_535, reason: "auth check failure" } };
    const closed = createMilvusEngine({ server: scripted({ showCollections: denied }) }).indexes("b");
    await expect(closed).rejects.toMatchObject({ hint: expect.stringContaining("token") as string });
  });

  it("refuses an index of other dimensions, wrong options and addresses, and repeats no password", async () => {
    const server = scripted({ describeCollection: described });
    const wide = { ...spec, dimensions: 3 };
    await expect(createMilvusEngine({ server }).open(wide)).rejects.toMatchObject({ code: "dimension-mismatch" });
    expect(() => createMilvusEngine({ server, ef: 3 } as never)).toThrow(/no option "ef"/u);
    expect(() => createMilvusEngine({ server: "milvus:19530" })).toThrow(/address of milvus cannot be read/u);
    const away = createMilvusEngine({ server: "http://ada:hunter2@127.0.0.1:1" }).indexes("b");
    const error: unknown = await away.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "dependency-missing", details: { package: "@zilliz/milvus2-sdk-node" } });
    expect(JSON.stringify([error, String(error)])).not.toContain("hunter2");
  });
});
