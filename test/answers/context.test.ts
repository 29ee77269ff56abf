import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { collect, createHit, createScriptedModel, documents, faults, hits } from "./support.ts";
import { fitContext } from "../../src/answers/prompts/fit-context.ts";
import { renderPrompt } from "../../src/models/render-prompt.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";

const count = (text: string): number => text.length;
const bare = ({ text }: { readonly text: string }): string => text;

describe("a budget for the context", () => {
  it("takes the best first, cuts what does not fit between sentences, and says what is missing [T46]", () => {
    const three = [createHit(1, "keys"), createHit(2, "backups"), createHit(3, "backups", 28)];
    const size = (documents["keys"] ?? "").length;
    const fitted = fitContext(three, { maxTokens: size + 60, count }, bare);
    expect(fitted).toMatchObject({ cut: ["backups-0"], leftOut: ["backups-28"], tokens: size + 58 });
    expect(fitted.hits[1]?.text).toBe("Backups run every night at two. They are kept for 30 days.");
  });

  it("never takes more than there is room for, and cuts only slices [L1]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (maxTokens) => {
        const fitted = fitContext(hits, { maxTokens, count });
        expect(fitted.tokens).toBeLessThanOrEqual(maxTokens);
        expect(fitted.hits.length + fitted.leftOut.length).toBe(hits.length);
        for (const { documentId, source, text } of fitted.hits)
          expect(documents[documentId]?.slice(source.start, source.end)).toBe(text);
      }),
    );
  });

  it("is what the model sees, and the answer says so; what was cut is cited verbatim [L2 T46]", async () => {
    const { model, calls } = createScriptedModel(["Keys are rotated every 90 days [1]. Backups run [2]."]);
    const run = await collect({ model, context: { maxTokens: 190, count } });
    expect(run.answer.context).toEqual({
      from: "search",
      maxTokens: 190,
      tokens: expect.any(Number) as number,
      cut: ["keys-0"],
      leftOut: ["backups-28"],
    });
    expect(faults(run)).toEqual([]);
    expect(run.answer.citations).toMatchObject([{ quote: "Keys are rotated every 90 days." }]);
    expect(run.answer.removedMarkers).toEqual(["[2]"]);
    const [, user] = calls[0] as readonly { readonly content: string }[];
    expect(renderPrompt(user?.content ?? "")).not.toContain("kept for 30 days");
    // What was found is told whole all the same.
    expect(run.answer.hits).toEqual(hits);
  });

  it("says when it is wrong [T46]", async () => {
    for (const context of [{ maxTokens: 0 }, { maxTokens: 1.5 }, { max: 1 }, { count: 4 }, { wholeCorpus: "yes" }]) {
      await expect(collect({ context: context as object })).rejects.toMatchObject({ code: "invalid-argument" });
    }
    const { model } = createScriptedModel(["x"]);
    await expect(collect({ model, context: { count: () => Number.NaN } })).rejects.toThrow(
      /context.count returned NaN/u,
    );
  });
});

describe("a knowledge base that fits", () => {
  const texts = Array.from({ length: 12 }, (_, index) => ({
    uri: `doc-${String(index).padStart(2, "0")}.md`,
    text: `# Part ${index}\n\n${`Part ${index} says number ${index * 7} of its own. `.repeat(60)}`,
    metadata: { even: index % 2 === 0 },
  }));
  async function opened(said: readonly string[] = ["Part 0 says number 0 of its own [1]."]) {
    const scripted = createScriptedModel(said);
    const kb = await openKnowledgeBase({ models: { chat: scripted.model } });
    await kb.ingest(texts);
    await kb.ingest({ uri: "secret.md", text: "Nobody else reads this." }, { scope: "team:other" });
    const shown = (): string =>
      renderPrompt((scripted.calls.at(-1) as readonly { content: string }[])[1]?.content ?? "");
    return { kb, ada: kb.as({ userId: "ada" }), shown };
  }
  const fits = { context: { wholeCorpus: true, maxTokens: 1_000_000 } } as const;

  it("is sent whole and in order, each text once, as far as its asker may read [L2 L3]", async () => {
    const { kb, ada, shown } = await opened();
    const answer = await ada.ask("What does it say?", fits);
    expect(answer.context).toMatchObject({ from: "whole-corpus", cut: [], leftOut: [] });
    const byDocument = new Map<string, string>();
    for (const { source, text } of answer.hits)
      byDocument.set(source.uri, (byDocument.get(source.uri) ?? "").padEnd(source.start) + text);
    const squeeze = (text: string | undefined): string | undefined => text?.replaceAll(/\s+/gu, " ").trim();
    for (const { uri, text } of texts) expect(squeeze(byDocument.get(uri))).toBe(squeeze(text));
    const uris = answer.hits.map(({ source }) => source.uri);
    expect(uris).toEqual(uris.toSorted());
    expect(shown()).not.toContain("Nobody else");
    expect(answer.citations).toHaveLength(1);
    const [citation] = answer.citations;
    expect((await ada.document(citation?.uri ?? ""))?.text.slice(citation?.start, citation?.end)).toBe(citation?.quote);
    await ada.ask("What does it say?", fits);
    expect((await kb.ask("What does it say?", fits)).hits.map(({ source }) => source.uri)).toContain("secret.md");
    await kb.close();
  });

  it("is searched when it does not fit, when nobody allows it, and without a model [T46]", async () => {
    const { kb, ada } = await opened();
    const large = await ada.ask("What does part 3 say?", { context: { wholeCorpus: true, maxTokens: 900 } });
    expect(large.context?.from).toBe("search");
    expect((await ada.ask("What does part 3 say?", { context: { maxTokens: 1_000_000 } })).context?.from).toBe(
      "search",
    );
    const extractive = await openKnowledgeBase();
    await extractive.ingest(texts);
    const answer = await extractive.ask("What does part 3 say?", fits);
    expect(answer.context).toBeUndefined();
    expect(answer.hits.length).toBeLessThanOrEqual(5);
    await Promise.all([kb.close(), extractive.close()]);
  });

  it("heeds filters and scopes, and refuses what a search refuses [L3 L4]", async () => {
    const { kb, ada } = await opened();
    const even = await ada.ask("What?", { ...fits, filter: { even: true } });
    expect(new Set(even.hits.map(({ metadata }) => metadata["even"]))).toEqual(new Set([true]));
    const other = await ada.ask("What?", { ...fits, scopes: ["team:other"], grounding: "strict" });
    expect(other).toMatchObject({ citations: [], hits: [] });
    await expect(ada.ask("What?", { ...fits, topK: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(ada.ask("x".repeat(9000), fits)).rejects.toMatchObject({ code: "invalid-argument" });
    await kb.close();
  });

  it("is asked with an application's own instructions before the rules [T47]", async () => {
    const { model, calls } = createScriptedModel(["ok"]);
    const kb = await openKnowledgeBase({ models: { chat: model } });
    await kb.ask("What?", { instructions: "Talk like a pirate." });
    const [system] = calls[0] as readonly { readonly role: string; readonly content: string }[];
    expect(system?.role).toBe("system");
    expect(renderPrompt(system?.content ?? "")).toMatch(
      /^Talk like a pirate\.\n\nThe following rules hold [^]*Answer in the language/u,
    );
    await kb.close();
  });
});
