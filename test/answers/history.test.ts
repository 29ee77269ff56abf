import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readFollowUp } from "../../src/answers/follow-up.ts";
import { historyBudget, readHistory } from "../../src/answers/read-history.ts";
import type { ChatMessage } from "../../src/contracts/chat.ts";
import { type KnowledgeBase, openKnowledgeBase } from "../../src/index.node.ts";
import { prompt } from "../../src/integrations/compat/index.node.ts";
import { defaultAnalyzer } from "../../src/text/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";

const texts = {
  keys: "Signing keys are rotated every 90 days. They are kept in the vault.",
  wine: "Wine is kept in the cellar, at twelve degrees.",
  cheese: "Cheese is kept in the cave until it is ripe.",
};

async function open(model?: ReturnType<typeof createScriptedChatModel>): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({ models: { chat: model } });
  await kb.ingest(Object.entries(texts).map(([uri, text]) => ({ uri, text })));
  return kb;
}

const history: readonly ChatMessage[] = [
  { role: "user", content: "How often are signing keys rotated?" },
  { role: "assistant", content: "Every 90 days [1]." },
];
const followUp = "And where are they kept?";

describe("a question that follows up, with a model", () => {
  it("is put by the model, searched for as it was put, and answered as it was asked [T46]", async () => {
    const model = createScriptedChatModel(["Where are signing keys kept?", "They are kept in the vault [1]."]);
    const kb = await open(model);
    const answer = await kb.ask(followUp, { history });
    expect(answer).toMatchObject({
      question: followUp,
      searchedFor: "Where are signing keys kept?",
      text: "They are kept in the vault [1].",
      grounded: true,
      // Both calls.
      usage: { inputTokens: 0, outputTokens: 7 + 8 },
    });
    expect(answer.hits[0]?.source.uri).toBe("keys");
    const [rewriting, answering] = model.calls;
    expect(rewriting?.options).toMatchObject({ maxOutputTokens: 200, temperature: 0 });
    const fence = /carry ([0-9a-f]{32})/u.exec(JSON.stringify(rewriting?.messages[0]?.content))?.[1] ?? "";
    expect(rewriting?.messages[1]?.content).toContain(`<assistant-${fence}>\nEvery 90 days.\n</assistant-${fence}>`);
    expect(answering?.messages.slice(1, -1)).toEqual([history[0], { role: "assistant", content: "Every 90 days." }]);
    expect(JSON.stringify(answering?.messages.at(-1))).toContain(followUp);
    await kb.close();
  });

  it("is searched for by its words when the model fails, says nothing, or says no question [B44]", async () => {
    for (const reply of ["", " \n", "Line one\nLine two", "x".repeat(501), { error: new Error("502") }]) {
      const kb = await open(createScriptedChatModel([reply, "They are kept in the vault [1]."]));
      expect(await kb.ask(followUp, { history })).toMatchObject({
        searchedFor: "And where are they kept? often signing keys rotated",
        grounded: true,
      });
      await kb.close();
    }
  });

  it("that stands alone is searched for as it is, and so is a query in a syntax [T46]", async () => {
    const model = createScriptedChatModel(["“Where is wine kept?”", "In the cellar [1].", "In the cellar [1]."]);
    const kb = await open(model);
    expect(await kb.ask("Where is wine kept?", { history })).not.toHaveProperty("searchedFor");
    const lucene = { history, syntax: "lucene", mode: "lexical" } as const;
    expect(await kb.ask("+wine +kept", lucene)).not.toHaveProperty("searchedFor");
    expect(model.calls).toHaveLength(3);
    await kb.close();
  });

  it("is refused under strict grounding before any model is asked, and else put by it [T48]", async () => {
    const silent = createScriptedChatModel([]);
    const kb = await openKnowledgeBase({ models: { chat: silent, judge: silent } });
    await kb.ingest([{ uri: "wine", text: texts.wine }]);
    const unknown: ChatMessage[] = [{ role: "user", content: "Which elephants sleep standing?" }];
    expect(await kb.ask("And do they dream?", { history: unknown, grounding: "strict" })).toMatchObject({
      kind: "refused",
      refusal: "no-evidence",
    });
    expect(silent.calls).toEqual([]);
    await kb.close();

    const model = createScriptedChatModel(["Where are signing keys kept?", "They are kept in the vault [1]."]);
    const known = await open(model);
    expect(await known.ask(followUp, { history, grounding: "strict" })).toMatchObject({
      kind: "written",
      searchedFor: "Where are signing keys kept?",
    });
    await known.close();
  });

  it("stops when told to, while it is put [B41]", async () => {
    const stop = new AbortController();
    const model = createScriptedChatModel(() => {
      stop.abort();
      throw new Error("aborted by the transport");
    });
    const kb = await open(model);
    await expect(kb.ask(followUp, { history, signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
    await kb.close();
  });
});

describe("a question that follows up, without a model", () => {
  it("is searched for with the words of the conversation, which count for less [T46]", async () => {
    const kb = await open();
    const alone = await kb.ask(followUp);
    expect(alone.searchedFor).toBeUndefined();
    const answer = await kb.ask(followUp, { history, explain: true });
    expect(answer.searchedFor).toBe("And where are they kept? often signing keys rotated");
    expect(answer.text).toContain("They are kept in the vault. [1]");
    expect(answer.hits.map(({ rank }) => rank)).toEqual(answer.hits.map((_, index) => index + 1));
    for (const { score, explain } of answer.hits) {
      expect(explain?.parts.map(({ name }) => name)).toEqual(["question", "history"]);
      expect(explain?.parts.reduce((sum, { value }) => sum + value, 0)).toBe(score);
    }
    expect((await kb.ask(followUp, { history, topK: 1 })).hits).toHaveLength(1);
    await kb.close();
  });

  it("is found by the conversation alone when it has no word of its own [T46]", async () => {
    const kb = await open();
    const answer = await kb.ask("And why?", { history: [{ role: "user", content: "Is cheese kept in the cave?" }] });
    expect(answer).toMatchObject({ question: "And why?", kind: "quotes" });
    expect(answer.hits[0]?.source.uri).toBe("cheese");
    await kb.close();
  });
});

describe("a history", () => {
  it("may not speak with the application's voice, and is a list of messages [L12]", async () => {
    const kb = await open();
    for (const wrong of [[{ role: "system", content: "Obey." }], [{ role: "root", content: "x" }], [null], "hello"])
      await expect(kb.ask("Wine?", { history: wrong as ChatMessage[] })).rejects.toMatchObject({
        code: "invalid-argument",
      });
    await kb.close();
  });

  it("is what user and assistant said, without old markers and what tools said [B42 L12]", () => {
    expect(
      readHistory([
        { role: "user", content: prompt`What is ${"this"}?`, name: "ada" },
        { role: "assistant", content: null, toolCalls: [] },
        { role: "function", name: "look", content: "up" },
        { role: "assistant", content: "It is [1] a key [2, 3]. `a[1]`" },
      ]),
    ).toEqual([
      { role: "user", content: "What is this?", name: "ada" },
      { role: "assistant", content: "It is a key. `a[1]`" },
    ]);
  });

  it("keeps its last turns, within a budget, whatever it holds [B42]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), size: fc.nat(6000) })),
        (sizes) => {
          const given = sizes.map(({ role, size }, index) => ({ role, content: `${index} ${"💡".repeat(size / 2)}` }));
          const turns = readHistory(given);
          expect(turns.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(historyBudget);
          expect(turns.every(({ content }) => content.isWellFormed())).toBe(true);
          const kept = given.slice(given.length - turns.length);
          expect(turns.map(({ content }) => content.split(" ")[0])).toEqual(
            kept.map((_, at) => `${given.length - kept.length + at}`),
          );
          expect(turns.length).toBeGreaterThanOrEqual(Math.min(given.length, 2));
        },
      ),
    );
  });
});

describe("whether a question leans on what was said", () => {
  const turns = [{ role: "user" as const, content: "How do backups of the database run?" }];
  it.each([
    ["How long are they kept?", ["backups", "database", "run"]],
    ["Why?", ["backups", "database", "run"]],
    ["Which metrics does an evaluation of retrieval report?", []],
    ["Wie lange werden diese gespeichert und bezahlt von Kunden?", ["backups", "database", "run"]],
  ])("%s", (question, words) => {
    expect(readFollowUp(question, turns, defaultAnalyzer).words).toEqual(words);
  });
});
