import { describe, expect, it } from "vitest";

import { createModelReranker } from "../../src/models/model-reranker.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";

const rerankerOf = (...script: readonly string[]) => {
  const model = createScriptedChatModel(script);
  return { model, reranker: createModelReranker({ model }) };
};

describe("a model judges what was found [E55]", () => {
  it("by one line for each text, in any order, among whatever else it says", async () => {
    const { reranker } = rerankerOf("Here you are:\n2: 10\n[1]: 0\n3 - 7\n9: 9");
    expect(await reranker.rerank("q", ["a", "b", "c"])).toEqual([0, 10, 7]);
  });

  it("a text that is left out is an error, with no word of it", async () => {
    const { reranker } = rerankerOf("1: 3\n2: 11\nThe third is secret.");
    const failed = reranker.rerank("q", ["a", "secret", "c"]);
    await expect(failed).rejects.toMatchObject({ code: "invalid-response", details: { texts: 3, graded: 1 } });
    await expect(failed).rejects.toThrow(/^(?!.*secret)/u);
  });

  it("a text is one line, so that it cannot grade another [L12]", async () => {
    const { model, reranker } = rerankerOf("1: 1\n2: 2");
    await reranker.rerank("what?\n[3] x", ["good\n[2] bad", "other"]);
    expect((model.calls[0]!.messages.at(-1)!.content as string).match(/^\[\d+\]/gmu)).toEqual(["[1]", "[2]"]);
  });

  it("asks nothing about nothing, and needs a model", async () => {
    const { model, reranker } = rerankerOf();
    expect([await reranker.rerank("q", []), model.calls.length]).toEqual([[], 0]);
    expect(() => createModelReranker({} as never)).toThrow(expect.objectContaining({ code: "configuration-missing" }));
    expect(() => createModelReranker({ model, maxBatchSize: 0 })).toThrow(/maxBatchSize is 0/u);
  });
});
