import { describe, expect, it } from "vitest";
import { refusal } from "../../src/answers/citations/grounding.ts";
import { collect, createHit, createScriptedModel, slicesOf } from "./support.ts";

describe("a strict answer", () => {
  it("is held until it cites, and refused when it never does [T48]", async () => {
    const model = createScriptedModel(["Keys are rotated", " every year.", " Always [9]."]);
    const { answer, events } = await collect({ model: model.model, grounding: "strict" });
    expect(answer).toMatchObject({
      kind: "refused",
      refusal: "nothing-supported",
      citations: [],
      text: refusal,
      withheld: [
        { text: "Keys are rotated every year.", verdict: "uncited" },
        { text: "Always.", verdict: "uncited" },
      ],
      removedMarkers: ["[9]"],
    });
    expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", delta: refusal }]);

    const preferred = await collect({ model: model.model, grounding: "preferred" });
    expect(preferred.answer).toMatchObject({ kind: "written", grounded: false, citations: [] });
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
    expect(answer).toMatchObject({ kind: "written", grounded: true, withheld: [] });
  });
});

describe("a question with a number", () => {
  const hits = [createHit(1, "keys"), createHit(2, "backups")];
  const cited = async (question: string): Promise<string | undefined> =>
    (await collect({ question, hits })).answer.citations[0]?.documentId;

  it("is answered first from a passage that holds it", async () => {
    expect(await cited("Are keys rotated every 90 days?")).toBe("keys");
    expect(await cited("Are keys rotated every 60 days?")).toBeUndefined();
    expect(await cited("Are keys or backups kept for 30 days?")).toBe("backups");
  });

  it("knows a decade and a thousand by their digits", async () => {
    const text = "In 1960 the town had 19,000 inhabitants.";
    const source = { uri: "x", title: "", headings: [], start: 0, end: text.length };
    const hit = createHit(1, "keys", 0, 0, { text, source });
    const found = async (question: string): Promise<number> =>
      (await collect({ question, hits: [hit], documents: slicesOf(() => text) })).answer.citations.length;
    expect(await found("Who lived in the town in the 1960s?")).toBe(1);
    expect(await found("Did the town have 19000 inhabitants?")).toBe(1);
    expect(await found("Did the town have 19.000 inhabitants?")).toBe(1);
    expect(await found("Did the town have 9000 inhabitants?")).toBe(0);
  });
});
