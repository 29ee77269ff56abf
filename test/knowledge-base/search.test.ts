import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

let kb: KnowledgeBase;

beforeAll(async () => {
  kb = await openKnowledgeBase();
  const texts = {
    splitter: "The document splitter divides a long document into shorter ones.",
    retriever: "The embedding retriever compares the query with what was embedded.",
    writer: "The writer stores what the pipeline hands over.",
  };
  for (const [uri, text] of Object.entries(texts)) await kb.ingest({ uri, text });
});
afterAll(() => kb.close());

const uris = async (query: string, options = {}): Promise<string[]> =>
  (await kb.search(query, options)).map(({ source }) => source.uri);

describe("what counts as found without a model of meaning", () => {
  it("is misspelt words, and not what only chance makes alike [L4 L5]", async () => {
    expect((await uris("documnet spliter"))[0]).toBe("splitter");
    expect(await uris("zzz qqq")).toEqual([]);
    expect(await uris("xylophone")).toEqual([]);
  });

  it("is everything when the floor is named, or the dense leg alone is asked [L5]", async () => {
    expect(await uris("zzz qqq", { mode: "dense" })).toHaveLength(3);
    expect(await uris("pipeline", { minScore: -1 })).toContain("writer");
    expect(await uris("pipeline", { minScore: 0.9 })).toEqual(["writer"]);
  });
});

describe("a document's title", () => {
  it("finds every part of it, and is followed when it changes [L7]", async () => {
    const titled = await openKnowledgeBase();
    const text = "How to opt out: set the variable to false.";
    await titled.ingest({ uri: "a", title: "Telemetry", text });
    await titled.ingest({ uri: "b", title: "Caching", text: "How to opt out of caching: unset it." });
    const found = async (query: string): Promise<string[]> =>
      (await titled.search(query, { mode: "lexical" })).map(({ source }) => source.uri);
    expect(await found("telemetry")).toEqual(["a"]);
    expect((await found("opt out of telemetry"))[0]).toBe("a");

    expect(await titled.ingest({ uri: "a", title: "Statistics", text })).toMatchObject({ updated: 1, embedded: 0 });
    expect(await found("telemetry")).toEqual([]);
    expect(await found("statistics")).toEqual(["a"]);
    await titled.close();
  });
});
