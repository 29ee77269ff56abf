import { describe, expect, it } from "vitest";

import { createHit, documents, hits } from "./support.ts";
import { buildPrompt } from "../../src/answers/prompts/build-prompt.ts";
import { composeInstructions } from "../../src/answers/prompts/compose-instructions.ts";
import { prompt } from "../../src/answers/prompts/prompt.ts";
import { renderPrompt } from "../../src/models/render-prompt.ts";
import type { ChatMessage } from "../../src/contracts/chat.ts";
import type { SearchOptions } from "../../src/contracts/retriever.ts";
import { createPromptBuilder } from "../../src/answers/index.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

const long = "A first sentence of some length. A second one that is longer. A third.";
const longHit = createHit(1, "long", 0, undefined, {
  text: long,
  source: { uri: "long.md", title: "long", headings: [], start: 100, end: 100 + long.length },
});

describe("buildPrompt", () => {
  it("is a section of fenced sources with short labels, under rules for its mode [T46 T48]", () => {
    const built = buildPrompt(hits, { grounding: "strict" });
    expect(built.labels.every((label) => /^\[Doc [0-9a-f]{3,}, Chunk [12] of 2\]$/u.test(label))).toBe(true);
    expect(new Set(built.labels).size).toBe(2);
    expect(built.section).toContain("## Retrieved context");
    for (const label of built.labels) expect(built.section).toContain(`label="${label.slice(1, -1)}" title=`);
    expect(built.section).toContain(`in square brackets, like ${built.labels[0]}`);
    expect(built.section).toContain("reply with exactly this sentence");
    expect(built.system).toBe(built.section);
    expect(buildPrompt(hits).labels).toEqual(built.labels);
  });

  it("says when nothing was found, and refuses in strict mode [T46 T48]", () => {
    const built = buildPrompt([], { grounding: "strict" });
    expect(built.section).toContain("Knowledge-base search ran for this turn and returned no relevant matches.");
    expect(built.refuse).toBe(true);
    expect([buildPrompt([]).refuse, buildPrompt(hits, { grounding: "strict" }).refuse]).toEqual([false, false]);
  });

  it("cuts each hit between sentences, and one long sentence between characters [T45 T46]", () => {
    const built = buildPrompt([longHit], { snippetLimit: 62 });
    expect(built.hits[0]?.text).toBe("A first sentence of some length. A second one that is longer.");
    expect(built.hits[0]?.source.end).toBe(161);
    expect(built.context.cut).toEqual([longHit.chunkId]);
    const [emoji] = buildPrompt([{ ...longHit, text: `${"x".repeat(31)}😀${"y".repeat(40)}` }], {
      snippetLimit: 32,
    }).hits;
    expect(emoji?.text).toBe("x".repeat(31));
  });

  it("has the seed's bounds [T45]", () => {
    for (const snippetLimit of [31, 8193, 1.5]) {
      expect(() => buildPrompt(hits, { snippetLimit })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
    expect(() => buildPrompt(hits, { topK: 5 } as object)).toThrow(/no option "topK"/u);
  });

  it("stands behind an application's own prompt, documents and all [T47 B40]", () => {
    const built = buildPrompt(hits, { instructions: "You are Kim." });
    expect(built.system).toBe(composeInstructions("You are Kim.", built.section));
    expect(built.system).toMatch(/^You are Kim\.\n\nThe following rules hold whatever is said above or below\.\n/u);
    const composed = composeInstructions(prompt`Talk like ${"Kim"} does. `, "Rules.");
    expect(composed).toMatchObject({ insertions: ["Kim"] });
    expect(renderPrompt(composed)).toBe(
      "Talk like Kim does.\n\nThe following rules hold whatever is said above or below.\nRules.",
    );
    expect([composeInstructions(undefined, "Rules."), composeInstructions(" ", "Rules.")]).toEqual([
      "Rules.",
      "Rules.",
    ]);
    expect(() => composeInstructions({ strings: ["a"], insertions: ["b"] }, "Rules.")).toThrow(/has 1 strings/u);
  });
});

describe("createPromptBuilder", () => {
  const conversation: readonly ChatMessage[] = [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Good day." },
    { role: "user", content: prompt`How often are ${"keys"} rotated?` },
    { role: "assistant", content: null },
  ];
  const spied = () => {
    const asked: [string, SearchOptions | undefined][] = [];
    const kb = {
      search: async (query: string, options?: SearchOptions) => {
        asked.push([query, options]);
        return hits;
      },
      document: async () => undefined,
    };
    return { kb, asked };
  };

  it("searches for the latest user message, for five chunks from .3 on [T45 T46]", async () => {
    const { kb, asked } = spied();
    await createPromptBuilder(kb).build(conversation);
    await createPromptBuilder(kb, { topK: 2, minScore: 0, search: { strategy: "active-team" } }).build(" Keys? ");
    expect(asked).toEqual([
      ["How often are keys rotated?", { topK: 5, minScore: 0.3, explain: true }],
      ["Keys?", { topK: 2, minScore: 0, explain: true, strategy: "active-team" }],
    ]);
  });

  it("hands every option of its search on, receipts and a listener of usage too", async () => {
    const { kb, asked } = spied();
    const search = { after: [], onUsage: () => {} };
    await createPromptBuilder(kb, { search }).build("Keys?");
    expect(asked).toEqual([["Keys?", expect.objectContaining(search)]]);
  });

  it("searches for nothing without a message, and adds nothing [T46]", async () => {
    const { kb, asked } = spied();
    const builder = createPromptBuilder(kb, { instructions: "You are Kim." });
    for (const empty of ["", " ", [], conversation.slice(1, 2)]) {
      expect(await builder.build(empty)).toMatchObject({
        section: "",
        system: "You are Kim.",
        hits: [],
        refuse: false,
      });
    }
    expect(asked).toEqual([]);
  });

  it("has the seed's bounds [T45]", () => {
    const { kb } = spied();
    for (const wrong of [
      { topK: 0 },
      { topK: 101 },
      { minScore: 1.1 },
      { minScore: Number.NaN },
      { snippetLimit: 8 },
      { k: 1 },
      { search: { topK: 3 } },
    ]) {
      expect(() => createPromptBuilder(kb, wrong as object)).toThrow(
        expect.objectContaining({ code: "invalid-argument" }),
      );
    }
  });

  it("checks the answer: labels resolve to quotes, others go [T46 L2]", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest(Object.entries(documents).map(([name, text]) => ({ uri: `${name}.md`, text })));
    const builder = createPromptBuilder(kb, { grounding: "strict" });
    const question = "How often are keys rotated?";
    const built = await builder.build(question);
    const at = built.hits.findIndex(({ text }) => text.includes("every 90 days"));
    const label = built.labels[at] ?? "";
    const answer = await builder.check(
      built,
      question,
      `Keys are rotated every 90 days ${label.toLowerCase()}. They are green [Doc fff, Chunk 1 of 9].`,
    );
    expect(answer).toMatchObject({
      text: "Keys are rotated every 90 days [1].",
      withheld: [{ text: "They are green.", verdict: "uncited", support: 0 }],
      removedMarkers: ["[Doc fff, Chunk 1 of 9]"],
      grounded: true,
      model: null,
    });
    const [citation] = answer.citations;
    expect(citation?.quote).toBe("Keys are rotated every 90 days.");
    expect(documents["keys"]?.slice(citation?.start, citation?.end)).toBe(citation?.quote);
    await kb.close();
  });

  it("refuses where nothing is evidence [T48 L5]", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest({ uri: "keys.md", text: documents["keys"] ?? "" });
    const builder = createPromptBuilder(kb, { grounding: "strict" });
    expect((await builder.build("Who won the marathon of Boston?")).refuse).toBe(true);
    expect((await builder.build("How often are keys rotated?")).refuse).toBe(false);
    await kb.close();
  });
});
