import { describe, expect, it } from "vitest";

import { checkAnswer } from "../../src/answers/citations/check-answer.ts";
import { noQuestionText } from "../../src/answers/no-question.ts";
import { leansOnPrevious } from "../../src/answers/sentences/read-sentence.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { collect, createScriptedModel } from "./support.ts";

const answerOf = async (text: string, options: Parameters<typeof collect>[0] = {}) =>
  (await collect({ model: createScriptedModel([text]).model, ...options })).answer;
const strict = async (text: string) => {
  const { text: shown, withheld } = await answerOf(text, { grounding: "strict" });
  return [shown, withheld.map((sentence) => sentence.text)];
};
const keys = "Keys are rotated every 90 days [1].";

describe("sentences of an answer", () => {
  it("claim nothing when they greet, announce, offer help, ask or head [T48]", async () => {
    const text = `# Answer\n\nSure! Here is what I found:\n\n${keys} Do you want more? Let me know if you need more help with backups!`;
    const { sentences, grounded } = await answerOf(text);
    expect(sentences.map((sentence) => [sentence.text, sentence.claims])).toEqual([
      ["# Answer", false],
      ["Sure!", false],
      ["Here is what I found:", false],
      [keys, true],
      ["Do you want more?", false],
      ["Let me know if you need more help with backups!", false],
    ]);
    for (const silent of sentences.filter(({ claims }) => !claims)) {
      expect(silent).not.toHaveProperty("verdict");
      expect(silent).not.toHaveProperty("support");
      expect(silent).not.toHaveProperty("by");
    }
    expect(grounded).toBe(true);
  });

  it.each([
    "## The office opens at 5 am",
    "**Refunds take 120 days**",
    "### Keys are never rotated",
    "## Dr. Jones leads the desk",
    "## Step 2: Keys are rotated every 9 days",
    "## Die Schlüssel wechseln alle 120 Tage",
    "Did you know that refunds take 120 days?",
    "Why are keys rotated every 120 days?",
    "Keys are never rotated, right?",
    "Is it true that the office is closed?",
  ])("claim something when a heading or a question states what no source has: %s [L2]", async (line) => {
    for (const text of [`${line}\n\n${keys}`, `${keys}\n\n${line}`]) {
      const { sentences, grounded } = await answerOf(text);
      expect(grounded).toBe(false);
      expect(sentences.find((sentence) => sentence.text === line)).toMatchObject({ claims: true, verdict: "uncited" });
    }
    expect((await checkAnswer(await answerOf(`${keys}\n\n${line}`))).grounded).toBe(false);
    expect((await strict(`${line}\n\n${keys}`))[0]).toBe(keys);
  });

  it.each([
    "## Opening hours",
    "# Answer",
    "## 2. Backups",
    "### Step 3: Rotating keys",
    "**Key rotation:**",
    "## The basics of key rotation",
    "## Setting up a server",
    "## Keys are rotated every 90 days",
    "## Schlüssel und Sicherungen",
    "Do you want to know more?",
    "Would you like help with Docker?",
    "Why are keys rotated every 90 days?",
    "Anything else?",
    "What about the backups?",
    "Möchten Sie mehr wissen?",
  ])("claim nothing when a heading or a question names or asks: %s [L2]", async (line) => {
    const { sentences, grounded } = await answerOf(`${keys}\n\n${line}`);
    expect(sentences.find((sentence) => sentence.text === line)?.claims).toBe(false);
    expect(grounded).toBe(true);
  });

  it("are not supported where the model was stopped in the middle of one [L2]", async () => {
    const judgedAs = async (text: string, finishReason: string) => {
      const { model } = createScriptedModel([text], { finishReason });
      const { answer } = await collect({ model });
      return [answer.sentences.at(-1)?.verdict, answer.grounded];
    };
    expect(await judgedAs("Keys are rotated every [1]", "length")).toEqual(["partly", false]);
    expect(await judgedAs(`${keys} Old keys stay [1]`, "content-filter")).toEqual(["partly", false]);
    expect(await judgedAs(keys, "length")).toEqual(["supported", true]);
    expect(await judgedAs("Keys are rotated every 90 days [1]", "stop")).toEqual(["supported", true]);
    const { model } = createScriptedModel([`${keys} Old keys stay valid [1]`], { finishReason: "length" });
    expect((await collect({ model, grounding: "strict" })).answer.text).toBe(keys);
  });

  it("do not end at abbreviations [L2]", async () => {
    for (const text of [
      "The help desk is at ext. 42 on weekdays.",
      "It takes approx. 5 days, e.g. Paris, i.e. No. 7 of them.",
      "Dr. Meier of Acme Inc. signs it.",
    ])
      expect((await answerOf(text)).sentences.map((sentence) => sentence.text)).toEqual([text]);
  });

  it("begin with a small letter where a name does [L2]", async () => {
    const { sentences } = await answerOf(`${keys} ibid was asked at ext. two, e.g. here. npm sleeps [1].`);
    expect(sentences.map(({ text, verdict }) => [text, verdict])).toEqual([
      [keys, "supported"],
      ["ibid was asked at ext. two, e.g. here.", "uncited"],
      ["npm sleeps.", "unsupported"],
    ]);
  });

  it("have the marker that stands alone on the line below them [L2]", async () => {
    const { sentences } = await answerOf("Keys are rotated every 90 days.\n[1]\n\nWhales sleep.");
    expect(sentences.map(({ text, verdict }) => [text, verdict])).toEqual([
      ["Keys are rotated every 90 days.\n[1]", "supported"],
      ["Whales sleep.", "uncited"],
    ]);
  });

  it("are not supported by a quotation of half of them [L2]", async () => {
    const { sentences, grounded } = await answerOf("Keys are rotated every 90 days at extension 42 [1].");
    expect([grounded, sentences[0]?.verdict]).toEqual([false, "partly"]);
    const [first] = sentences;
    const missing = first!.unsupportedWords.map(([start, end]) => first!.text.slice(start, end));
    expect(missing).toEqual(["extension 42"]);
  });

  it("lose a marker whose quotation contradicts them, and the answer counts it [L2]", async () => {
    const answer = await answerOf("Keys are not rotated every 90 days [1].");
    expect(answer).toMatchObject({
      text: "Keys are not rotated every 90 days.",
      removedMarkers: ["[1]"],
      citations: [],
    });
    expect(answer.sentences[0]).toMatchObject({ verdict: "unsupported", quotes: [] });
  });

  it("count as supported from minSupport on [T48]", async () => {
    const verdictAt = async (minSupport: number) =>
      (await answerOf("Keys are rotated gently every 90 days [1].", { minSupport })).sentences[0]?.verdict;
    expect(await verdictAt(0.1)).toBe("supported");
    expect(await verdictAt(1)).toBe("partly");
  });

  it("stand with the same places and verdicts in a foreign text [L2]", async () => {
    const answer = await answerOf(`Well, ${keys} Elephants sleep.`);
    const checked = await checkAnswer(answer);
    expect(checked.sentences.map(({ text, start, end, verdict }) => [text, start, end, verdict])).toEqual(
      answer.sentences.map(({ text, start, end, verdict }) => [text, start, end, verdict]),
    );
    expect(checked.grounded).toBe(answer.grounded);
  });
});

describe("strict grounding", () => {
  it("withholds what leans on what it withheld [T48]", async () => {
    expect(
      await strict(`${keys} Elephants sleep [1]. They stay valid for 24 hours [1]. Backups are kept for 30 days [2].`),
    ).toEqual([
      "Keys are rotated every 90 days [1]. Backups are kept for 30 days [2].",
      ["Elephants sleep.", "They stay valid for 24 hours."],
    ]);
    expect(
      await strict(
        `Elephants must never do this:\n- ${keys}\n- A restore takes an hour [2].\n\nOld keys stay valid for 24 hours [1].`,
      ),
    ).toEqual([
      "Old keys stay valid for 24 hours [1].",
      ["Elephants must never do this:", "Keys are rotated every 90 days.", "A restore takes an hour."],
    ]);
    expect((await answerOf(`Sure! Here is what I found:\n- ${keys}`, { grounding: "strict" })).text).toBe(`- ${keys}`);
  });

  it("leaves no line of signs behind a heading that it withholds [T48]", async () => {
    for (const line of ["======", "---", "- - -", "***", "_____"])
      for (const text of [`Answer\n${line}\n\n${keys}`, `${line}\n${keys}`, `${keys}\n\nAnswer\n${line}\n`])
        expect((await strict(text))[0]).toBe(keys);
    expect((await strict(`${keys}\n\n---\n\nA restore takes an hour [2].`))[0]).toBe(
      `${keys}\n\n---\n\nA restore takes an hour [2].`,
    );
  });

  it.each([
    ["It stays valid.", true],
    ["However, keys stay valid.", true],
    ["If they fail, restart.", true],
    ["For example, Paris.", true],
    ["Dies gilt auch für Schlüssel.", true],
    ["Keys stay valid.", false],
    ["Item two stays valid.", false],
    ["Sofia is a city.", false],
    ["No key is deleted.", false],
  ])("%s leans: %s [T48]", (sentence, leans) => {
    expect(leansOnPrevious(sentence)).toBe(leans);
  });

  it("is judged by the chat model itself where no judge is named, and says which judged [L2 T48]", async () => {
    const model = createScriptedChatModel((messages) =>
      JSON.stringify(messages).includes("You check claims")
        ? "1: supported 1"
        : "Every quarter the credentials get exchanged [1].",
    );
    const kb = await openKnowledgeBase({ models: { chat: model } });
    await kb.ingest({ uri: "keys", text: "Keys are rotated every 90 days: every quarter." });
    const question = "How often are keys rotated?";
    expect(await kb.ask(question, { grounding: "strict" })).toMatchObject({
      kind: "written",
      grounded: true,
      support: { by: "judge", judge: "testing/scripted" },
    });
    expect(await kb.ask(question, { grounding: "strict", judge: null })).toMatchObject({
      kind: "refused",
      refusal: "nothing-supported",
      withheld: [{ text: "Every quarter the credentials get exchanged." }],
      nearest: [{ uri: "keys", quote: "Keys are rotated every 90 days: every quarter." }],
    });
    expect((await kb.ask(question)).support).toEqual({ by: "words" });
    await kb.close();
  });
});

describe("a text that asks nothing", () => {
  it.each(["", "  ", "?!", "thanks!", "Hello", "vielen Dank"])(
    "gets a fixed reply without a search: %j [T48]",
    async (question) => {
      const model = createScriptedChatModel([]);
      const kb = await openKnowledgeBase({
        models: { chat: model },
        search: {
          retriever: () => ({
            retrieve: () => {
              throw new Error("Nothing is searched.");
            },
          }),
        },
      });
      for (const grounding of ["strict", "preferred", "permissive"] as const) {
        expect(await kb.ask(question, { grounding })).toMatchObject({
          kind: "refused",
          refusal: "no-question",
          text: noQuestionText,
          hits: [],
          nearest: [],
        });
      }
      expect(model.calls).toEqual([]);
      await kb.close();
    },
  );

  it("is not a pattern [T48]", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest({ uri: "codes", text: "Nothing here. The code is ERR-42." });
    expect(await kb.ask("[A-Z]+-\\d+", { mode: "regex" })).toMatchObject({
      kind: "quotes",
      text: "The code is ERR-42. [1]",
    });
    expect(await kb.ask(".", { mode: "regex" })).toMatchObject({ kind: "quotes" });
    expect(await kb.ask("Z{9}", { mode: "regex" })).toMatchObject({ kind: "refused", refusal: "no-evidence" });
    await expect(kb.ask("", { mode: "regex" })).rejects.toMatchObject({ code: "invalid-argument" });
    await kb.close();
  });
});
