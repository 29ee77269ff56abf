import { describe, expect, it } from "vitest";

import type { ChatModel } from "../../../src/contracts/chat.ts";
import { hyde } from "../../../src/search/around/hyde.ts";
import { multiQuery } from "../../../src/search/around/multi-query.ts";
import { rewriteQuery } from "../../../src/search/around/rewrite-query.ts";
import { createScriptedChatModel } from "../../../src/testing/scripted-chat-model.ts";
import { from } from "../../../src/testing/store-fixtures.ts";
import { finding, hitOf, ids, scores } from "./fixtures.ts";

const proof = from("deployment");
const asked = (base: ReturnType<typeof finding>) => base.asked.map(({ query }) => query);
const explained = (evidence: boolean) => ({
  evidence,
  explain: { fusion: "absolute", legs: {}, parts: [], terms: [] },
});

describe("a query that a model rewrites", () => {
  it("is searched instead, on one line, without quotation marks, and no longer than allowed", async () => {
    const base = finding([]);
    const model = createScriptedChatModel(['"rotate the\n signing keys"', "🔑🔑🔑"]);
    await rewriteQuery(base, { model }).retrieve(proof, "how do I do that with the keys?");
    await rewriteQuery(base, { model, maxLength: 3 }).retrieve(proof, "keys");
    expect(asked(base)).toEqual(["rotate the signing keys", "🔑"]);
    expect(model.calls[0]?.messages.at(-1)?.content).toBe("how do I do that with the keys?");
  });

  it.each([
    ["fails", [{ error: new Error("boom") }], "model-failed"],
    ["says nothing", [" \n"], "empty"],
  ] as const)("falls back to the question when the model %s, and says so", async (_, script, reason) => {
    const base = finding([hitOf("a", 1)]);
    const told: string[] = [];
    const model = createScriptedChatModel([...script]);
    const retriever = rewriteQuery(base, { model, onFallback: (why) => told.push(why) });
    const [hit] = await retriever.retrieve(proof, "keys", { explain: true });
    expect([asked(base), told, hit?.explain?.steps]).toEqual([
      ["keys"],
      [reason],
      [{ retriever: "rewriteQuery", fallback: reason }],
    ]);
  });

  it("does not wait for a model for ever, but stops when its caller does", async () => {
    const silent = { ...createScriptedChatModel([]), chat: () => new Promise<never>(() => {}) } satisfies ChatModel;
    const base = finding([hitOf("a", 1)]);
    const [hit] = await rewriteQuery(base, { model: silent, timeoutMs: 5 }).retrieve(proof, "keys", { explain: true });
    expect(hit?.explain?.steps?.[0]?.fallback).toBe("timeout");
    const stop = new AbortController();
    const waiting = rewriteQuery(base, { model: silent }).retrieve(proof, "keys", { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  it("leaves patterns and Lucene's syntax alone, and calls no model for a caller who may read nothing or asks wrongly", async () => {
    const model = createScriptedChatModel([]);
    const base = finding([]);
    const retriever = rewriteQuery(base, { model });
    await retriever.retrieve(proof, "ke.s", { mode: "regex" });
    await retriever.retrieve(proof, "+keys", { syntax: "lucene" });
    await retriever.retrieve(from(), "keys");
    await expect(retriever.retrieve(proof, "x".repeat(9000))).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(retriever.retrieve(proof, "keys", { topK: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(retriever.retrieve({ ...proof } as never, "keys")).rejects.toMatchObject({ code: "access-denied" });
    expect([asked(base), model.calls.length]).toEqual([["ke.s", "+keys", "keys"], 0]);
  });

  it("needs a model, and known options", () => {
    expect(() => rewriteQuery(finding([]), {} as never)).toThrow(
      expect.objectContaining({ code: "configuration-missing" }),
    );
    const model = createScriptedChatModel([]);
    expect(() => rewriteQuery(finding([]), { model, prompt: "" } as never)).toThrow(/no option "prompt"/u);
    expect(() => multiQuery(finding([]), { model, queries: 11 })).toThrow(/queries is 11/u);
    expect(() => hyde(finding([]), { model, fusion: "sum" as never })).toThrow(/fusion cannot be "sum"/u);
  });
});

describe("several queries", () => {
  const found: Readonly<Record<string, ReturnType<typeof hitOf>[]>> = {
    keys: [hitOf("a", 0.9, explained(false)), hitOf("b", 0.8, explained(false))],
    locks: [hitOf("b", 0.95, explained(true)), hitOf("c", 0.7, explained(true))],
  };
  const base = () => finding((query) => found[query] ?? []);
  const model = () => createScriptedChatModel(["1. KEYS\n2) locks\n- locks\n\n3. bolts"]);

  it("are fused by rank: the sum of 1 / (60 + rank), one hit for each chunk, by hand", async () => {
    const within = base();
    const hits = await multiQuery(within, { model: model() }).retrieve(proof, "keys", { explain: true });
    expect(asked(within)).toEqual(["keys", "locks", "bolts"]);
    expect(ids(hits)).toEqual(["b", "a", "c"]);
    expect(scores(hits)).toEqual([1 / 62 + 1 / 61, 1 / 61, 1 / 62]);
    expect(hits[0]?.explain?.steps?.[0]?.searches).toEqual([
      { query: 1, score: 0.8, rank: 2 },
      { query: 2, score: 0.95, rank: 1 },
    ]);
    expect(hits.map(({ evidence }) => evidence)).toEqual([true, false, true]);
  });

  it("or by the best score that any gave", async () => {
    const hits = await multiQuery(base(), { model: model(), fusion: "best" }).retrieve(proof, "keys", { topK: 2 });
    expect([ids(hits), scores(hits)]).toEqual([
      ["b", "a"],
      [0.95, 0.9],
    ]);
  });

  it("no more than were asked for", async () => {
    const within = base();
    await multiQuery(within, { model: model(), queries: 1 }).retrieve(proof, "keys");
    expect(asked(within)).toEqual(["keys", "locks"]);
  });
});

describe("an answer that is invented to find the real one [E52]", () => {
  it("is searched beside the question, and proves nothing [L5]", async () => {
    const base = finding((query) => [
      query === "keys" ? hitOf("a", 0.9, explained(true)) : hitOf("b", 0.99, explained(true)),
    ]);
    const model = createScriptedChatModel(["Keys are rotated in spring."]);
    const hits = await hyde(base, { model }).retrieve(proof, "keys", { explain: true });
    expect(asked(base)).toEqual(["keys", "Keys are rotated in spring."]);
    expect(hits.map(({ chunkId, score, evidence }) => [chunkId, score, evidence])).toEqual([
      ["a", 1 / 61, true],
      ["b", 1 / 61, false],
    ]);
  });

  it("shows in no explanation [L10]", async () => {
    const base = finding([hitOf("a", 0.9)]);
    const model = createScriptedChatModel(["zanzibar", "zanzibar", "zanzibar"]);
    for (const wrap of [hyde, multiQuery, rewriteQuery]) {
      const hits = await wrap(base, { model }).retrieve(proof, "keys", { explain: true });
      expect(hits).toHaveLength(1);
      expect(JSON.stringify(hits)).not.toContain("zanzibar");
    }
  });
});
