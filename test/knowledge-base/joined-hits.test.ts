import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatMessage, ChatModel } from "../../src/contracts/chat.ts";
import type { Hit, WrapRetriever } from "../../src/contracts/retriever.ts";
import type { KnowledgeBase } from "../../src/index.node.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createSearchTools } from "../../src/integrations/tools/create-search-tools.ts";
import { dropDuplicates, expandHits } from "../../src/search/index.ts";
import { toGroupJson } from "../../src/search/group-hits.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { runs } from "../support/runs.ts";

const sentence = "They are kept in the vault, and nobody may copy them. ";
const paragraph = (name: string): string => `${name} keys are rotated by hand. ${sentence.repeat(12).trim()}`;
const page = `# Keys\n\n${["Old", "New", "Spare", "Lost"].map(paragraph).join("\n\n")}\n`;
const tea = "# Tea\n\nTea is served at four, when the keys have been rotated.\n";

async function open(retriever?: WrapRetriever, chat?: ChatModel): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase({ search: { retriever }, models: { chat } });
  await kb.ingest({ uri: "keys.md", text: page, mediaType: "text/markdown" });
  await kb.ingest({ uri: "tea.md", text: tea, mediaType: "text/markdown" });
  return kb;
}

const ofKeys = (hits: readonly Hit[]): readonly Hit[] => hits.filter(({ source }) => source.uri === "keys.md");

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await open();
});
afterAll(() => kb.close());

describe("a search with merge", () => {
  it("gives neighbours as one hit, which leads where its parts lead [L1 E55]", async () => {
    const apart = await kb.search("rotated keys", { topK: "all" });
    const hits = await kb.search("rotated keys", { merge: true });
    const [hit] = ofKeys(hits);
    expect(apart.length).toBeGreaterThan(3);
    expect(hit?.parts).toHaveLength(3);
    expect(hit?.text).toBe(page.slice(hit?.source.start, hit?.source.end));
    expect(hit?.structure?.totalChunks).toBe(4);
    expect(hits.map(({ source }) => source.uri)).toContain("tea.md");
    for (const part of hit!.parts!) {
      const excerpt = await kb.expand(part, { neighbours: 0 });
      expect(excerpt).toMatchObject({ start: part.start, end: part.end, text: page.slice(part.start, part.end) });
    }
    expect((await kb.expand(hit!, { neighbours: 1 }))?.chunks.map(({ chunkId }) => chunkId)).toContain(hit!.chunkId);
  });

  it("joins the hits of an application's retriever as its own", async () => {
    const own = await kb.search("rotated keys", { merge: true, topK: 2 });
    const seen: object[] = [];
    const wrapped = await open((base) => ({
      async retrieve(scopes, query, options = {}) {
        seen.push(options);
        return base.retrieve(scopes, query, options);
      },
    }));
    expect(await wrapped.search("rotated keys", { merge: true, topK: 2 })).toEqual(own);
    expect(seen).toEqual([{ topK: 7 }]);
    await wrapped.close();

    const widened = await open((base, { documents }) => expandHits(dropDuplicates(base), { documents, neighbours: 1 }));
    const [hit] = ofKeys(await widened.search("rotated keys", { merge: true }));
    expect(hit?.parts?.length).toBeGreaterThan(1);
    expect(hit?.text).toBe(page.slice(hit?.source.start, hit?.source.end));
    await widened.close();
  });

  it("is refused by a retriever around another one, which would tear joined hits apart", async () => {
    const wrapped = await open((base) => ({
      retrieve: (scopes, query, options) => dropDuplicates(base).retrieve(scopes, query, { ...options, merge: true }),
    }));
    await expect(wrapped.search("rotated keys")).rejects.toMatchObject({ code: "unsupported" });
    await wrapped.close();
  });

  it("is a choice of models that call tools", async () => {
    const tool = createSearchTools(kb).find(({ name }) => name === "documents_text_search")!;
    const said = async (options: object) => tool.execute({ query: "rotated keys", ...options });
    expect(await said({})).toMatch(/^5 results/u);
    const joined = await said({ merge: true });
    expect(joined).toMatch(/^3 results/u);
    expect(joined).toContain(page.slice(page.indexOf("New keys"), page.indexOf("New keys") + 60));
    const ofTea = (text: string) => text.split("\n---\n").findIndex((each) => each.includes("Tea is served"));
    expect(ofTea(await said({ groupBy: "document" }))).toBe(4);
  });
});

describe("an answer from joined hits", () => {
  it("quotes the document, and explains on request alone [L2]", async () => {
    const answer = await kb.ask("How are old keys rotated?", { merge: true });
    expect(answer.hits.some(({ parts }) => parts !== undefined)).toBe(true);
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const { uri, quote, start, end } of answer.citations) {
      expect((uri === "keys.md" ? page : tea).slice(start, end)).toBe(quote);
    }
    expect(JSON.stringify(answer.hits)).not.toContain('"explain"');
    const explained = await kb.ask("How are old keys rotated?", { merge: true, explain: true });
    expect(explained.hits.flatMap(({ parts = [] }) => parts).every(({ explain }) => explain !== undefined)).toBe(true);
  });

  it("shows a model the joined text once, and cites within it [L2]", async () => {
    const prompts: string[] = [];
    const chat = createScriptedChatModel((messages: readonly ChatMessage[]) => {
      prompts.push(JSON.stringify(messages));
      return "Spare keys are rotated by hand [1].";
    });
    const withModel = await open(undefined, chat);
    const { citations, hits } = await withModel.ask("How are spare keys rotated?", { merge: true });
    const [hit] = ofKeys(hits);
    expect(hit?.parts).toHaveLength(3);
    expect(prompts[0]).toContain(JSON.stringify(hit?.text).slice(1, -1));
    for (const { quote, start, end } of citations) expect(page.slice(start, end)).toBe(quote);
    await withModel.close();
  });

  it("continues a conversation", async () => {
    const history = [{ role: "user", content: "Tell me of the vault." }] as const;
    const { hits, groups } = await kb.ask("How are they rotated?", {
      history,
      merge: true,
      topK: 1,
      groupBy: "document",
    });
    expect(hits).toHaveLength(1);
    expect(hits[0]?.parts?.length).toBeGreaterThan(1);
    expect(groups?.map((group) => group.hits)).toEqual([hits]);
  });
});

describe("groups by document", () => {
  it("hold the same hits, none more or less, by their best [L5]", async () => {
    const law = fc.asyncProperty(
      fc.constantFrom("rotated keys", "tea", "vault copy", "old tea keys"),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      async (query, topK, merge) => {
        const plain = await kb.search(query, { topK, merge });
        const hits = await kb.search(query, { topK, merge, groupBy: "document" });
        const { groups = [] } = hits;
        expect([...hits]).toEqual([...plain]);
        expect(groups.flatMap((group) => group.hits).toSorted((a, b) => a.rank - b.rank)).toEqual([...hits]);
        for (const group of groups) {
          expect(new Set(group.hits.map(({ documentId }) => documentId))).toEqual(new Set([group.documentId]));
          expect(group.score).toBe(Math.max(...group.hits.map(({ score }) => score)));
          expect(group.hits).toEqual(group.hits.toSorted((a, b) => a.rank - b.rank));
        }
        const firsts = groups.map((group) => group.hits[0]!.rank);
        expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
        expect(new Set(groups.map(({ uri }) => uri)).size).toBe(groups.length);
        expect(groups.flatMap((group) => toGroupJson(group).ranks).toSorted((a, b) => a - b)).toEqual(
          hits.map(({ rank }) => rank),
        );
      },
    );
    await fc.assert(law, { numRuns: runs(20) });
  });
});
