import { describe, expect, it } from "vitest";
import { selectSentences } from "../../src/answers/answer-from-sentences.ts";
import { refusal } from "../../src/answers/citations/grounding.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";
import { collect, createHit, createScriptedModel } from "./support.ts";

describe("a strict answer", () => {
  it("is held until it cites, and refused when it never does [T48]", async () => {
    const model = createScriptedModel(["Keys are rotated", " every year.", " Always [9]."]);
    const { answer, events } = await collect({ model: model.model, grounding: "strict" });
    expect(answer).toMatchObject({
      refused: true,
      grounded: false,
      citations: [],
      text: refusal,
      removedMarkers: ["[9]"],
    });
    expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", delta: refusal }]);

    const preferred = await collect({ model: model.model, grounding: "preferred" });
    expect(preferred.answer).toMatchObject({ refused: false, grounded: false, citations: [] });
  });

  it("comes whole and in order once it has cited [T48 L2]", async () => {
    const model = createScriptedModel([
      "Keys are rotated",
      " every 90 days [1].",
      " Old keys stay valid for 24 hours [1].",
    ]);
    const { answer, events } = await collect({ model: model.model, grounding: "strict" });
    const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
    expect(text).toBe(answer.text);
    expect(answer.text).toMatch(/^Keys are rotated every 90 days \[1\]\./u);
    expect(answer.refused).toBe(false);
  });
});

describe("a question with a number", () => {
  const select = (question: string): string[] =>
    selectSentences(question, [createHit(1, "keys"), createHit(2, "backups")], defaultAnalyzer).map(
      ({ hit, start, end }) => hit.text.slice(start, end),
    );

  it("is answered only from passages that hold it", () => {
    expect(select("Are keys rotated every 90 days?")[0]).toBe("Keys are rotated every 90 days.");
    expect(select("Are keys rotated every 60 days?")).toEqual([]);
    expect(select("Are backups kept for 30 days?")[0]).toBe("They are kept for 30 days.");
  });

  it("knows a decade and a thousand by their digits", () => {
    const hit = createHit(1, "keys", 0, 0, { text: "In 1960 the town had 19,000 inhabitants." });
    const found = (question: string): number => selectSentences(question, [hit], defaultAnalyzer).length;
    expect(found("Who lived in the town in the 1960s?")).toBe(1);
    expect(found("Did the town have 19000 inhabitants?")).toBe(1);
    expect(found("Did the town have 19.000 inhabitants?")).toBe(1);
    expect(found("Did the town have 9000 inhabitants?")).toBe(0);
  });
});
