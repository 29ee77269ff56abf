import { describe, expect, it } from "vitest";
import { isDoubtful, judgeAnswerability } from "../../src/answers/judge-answerability.ts";
import type { Relevance } from "../../src/contracts/answer.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { collect, hits } from "./support.ts";

const doubtful: Relevance = { value: 0.3, threshold: 0.2, by: "words" };
const judged = async (reply: Parameters<typeof createScriptedChatModel>[0], byWords = doubtful) => {
  const judge = createScriptedChatModel(reply);
  return { judge, ...(await judgeAnswerability("How often?", hits, byWords, judge)) };
};

describe("a judge of answerability", () => {
  it("decides in one call where words are in doubt", async () => {
    const { judge, relevance, usage } = await judged(["Yes."]);
    expect(relevance).toEqual({ value: 1, threshold: 0.2, by: "judge" });
    expect(usage).toEqual({ inputTokens: 0, outputTokens: 1 });
    expect(judge.calls).toHaveLength(1);
    expect((await judged(["**no**"])).relevance).toEqual({ value: 0, threshold: 0.2, by: "judge" });
  });

  it.each([0, 0.1, 0.6, 1])("is not asked where words are hopeless or sure: %d", async (value) => {
    const byWords = { ...doubtful, value };
    expect(isDoubtful(byWords)).toBe(false);
    expect((await judged([], byWords)).relevance).toEqual(byWords);
  });

  it.each(["", "Yes, it does.", '{"answer":"yes"}', "maybe", "no yes"])(
    "that says %j leaves it to the words",
    async (reply) => {
      expect((await judged([reply])).relevance).toEqual({ ...doubtful, judgeFailure: "invalid-response" });
    },
  );

  it("that fails leaves it to the words, and an abort stops it", async () => {
    expect((await judged([{ error: new Error("?") }])).relevance).toEqual({
      ...doubtful,
      judgeFailure: "model-failed",
    });
    const signal = AbortSignal.abort();
    await expect(judgeAnswerability("?", hits, doubtful, createScriptedChatModel([""]), signal)).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("is asked under preferred grounding too, whose answer stands, and not under permissive", async () => {
    const said = "Keys are rotated every 90 days [1].";
    for (const [grounding, by, value] of [
      ["preferred", "judge", 0],
      ["permissive", "words", expect.any(Number) as unknown],
    ] as const) {
      const judge = createScriptedChatModel((messages) =>
        JSON.stringify(messages).includes("You decide whether") ? "no" : "1: supported 2",
      );
      const model = createScriptedChatModel([said]);
      const { answer } = await collect({ model, judge, grounding, minRelevance: 0.5 });
      expect(answer).toMatchObject({ kind: "written", text: said, relevance: { by, value } });
      expect(judge.calls).toHaveLength(by === "judge" ? 2 : 1);
    }
    const { answer } = await collect({ judge: createScriptedChatModel(["no"]), minRelevance: 0.5 });
    expect(answer).toMatchObject({ kind: "quotes", relevance: { by: "judge", value: 0 } });
  });

  it("refuses under strict grounding before the model is asked", async () => {
    const model = createScriptedChatModel([]);
    const judge = createScriptedChatModel(["no"]);
    const { answer } = await collect({ model, judge, grounding: "strict", minRelevance: 0.5 });
    expect(answer).toMatchObject({ kind: "refused", refusal: "no-evidence", relevance: { value: 0, by: "judge" } });
    expect([model.calls.length, judge.calls.length]).toEqual([0, 1]);
  });
});
