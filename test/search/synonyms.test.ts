import { afterEach, describe, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";

const texts = {
  "sales.md": "Net sales of the bakery rose by a third.",
  "staff.md": "The bakery employs twelve people in two shifts.",
  "oven.md": "The oven of the bakery is cleaned on Fridays.",
};

const open_: KnowledgeBase[] = [];
afterEach(async () => {
  for (const kb of open_.splice(0)) await kb.close();
});

async function open(synonyms?: string) {
  const kb = await openKnowledgeBase({ models: { embedding: null }, search: { synonyms } });
  open_.push(kb);
  await kb.ingest(Object.entries(texts).map(([uri, text]) => ({ uri, text, title: uri })));
  return kb;
}

const first = async (kb: KnowledgeBase, query: string) => (await kb.search(query, { explain: true }))[0];

describe("synonyms of a knowledge base", () => {
  it("find what is said in another word, with their own share and phrase in the explanation", async () => {
    expect(await first(await open(), "turnover")).toBeUndefined();
    const kb = await open("turnover, net sales\nworkforce => employs^0.5");
    const hit = await first(kb, "What was the turnover?");
    expect(hit?.source.uri).toBe("sales.md");
    expect(hit?.evidence).toBe(true);
    const { queryTerms = [], terms = [], name, document = 0, legs } = hit?.explain ?? {};
    expect(queryTerms.filter(({ synonymOf }) => synonymOf === "turnover")).toHaveLength(2);
    expect(terms.reduce((sum, { score }) => sum + score, 0) + (name?.value ?? 0) + document).toBe(legs?.lexical?.score);
    // The phrase in any form, and back again.
    expect((await first(kb, "turnovers"))?.source.uri).toBe("sales.md");
    const back = await first(kb, "net sales");
    expect(back?.explain?.queryTerms?.map(({ synonymOf }) => synonymOf)).toEqual([undefined, undefined, "net sales"]);
  });

  it("weigh what the list says, and go one way with an arrow", async () => {
    const score = async (list: string) => (await first(await open(list), "workforce"))?.score ?? 0;
    expect(await score("workforce => employs^0.5")).toBeCloseTo((await score("workforce => employs")) / 2, 12);
    expect(await first(await open("employs => workforce"), "workforce")).toBeUndefined();
  });

  it("need the whole phrase, and add no word that the query has", async () => {
    const kb = await open("shift work => Fridays\nbakery => oven, bakery of Fridays");
    expect(await first(kb, "work")).toBeUndefined();
    expect((await first(kb, "shift work"))?.explain?.queryTerms?.map(({ synonymOf }) => synonymOf)).toEqual([
      undefined,
      undefined,
      "shift work",
    ]);
    const hit = await first(kb, "bakery");
    expect(hit?.source.uri).toBe("oven.md");
    expect(hit?.explain?.queryTerms?.map(({ count }) => count)).toEqual([1, 1, 1]);
  });

  it("leave strength as it is where no synonym stands in a hit", async () => {
    const [without, given] = [await open(), await open("oven => zeppelin, airship")];
    const strength = async (kb: KnowledgeBase) => (await first(kb, "oven cleaned"))?.explain?.strength;
    expect(await strength(given)).toBe(await strength(without));
  });

  it("are refused at opening where the list does not parse", async () => {
    await expect(openKnowledgeBase({ search: { synonyms: "a =>" } })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});
