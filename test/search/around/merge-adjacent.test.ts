import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { mergeAdjacent } from "../../../src/search/around/merge-adjacent.ts";
import { documentOf, documentEntryOf, from, into } from "../../../src/testing/store-fixtures.ts";
import { documentWith, finding, ids, scores, texts } from "./fixtures.ts";

const proof = from("deployment", "team:north");
const text =
  "# Keys\n\nKeys are rotated in spring.\n\nThe old key is revoked first. 🔑\n\n## Tea\n\nTea is served at four.\n";
const [spring, revoked, tea] = [
  "Keys are rotated in spring.",
  "The old key is revoked first. 🔑",
  "Tea is served at four.",
];

describe("adjacent chunks of one document become one hit [E55 L1]", () => {
  it("an exact slice, with the best one's score, and everyone's evidence and matches", async () => {
    const { store, hit } = await documentWith(text, [spring, revoked, tea]);
    const base = finding([
      hit(revoked, 0.9, { matches: [{ start: 40, end: 43 }] }),
      hit(tea, 0.5),
      hit(spring, 0.3, {
        matches: [{ start: 8, end: 12 }],
        evidence: true,
        explain: { fusion: "absolute", legs: {}, parts: [], terms: [] },
      }),
    ]);
    const hits = await mergeAdjacent(base, { documents: store }).retrieve(proof, "key", { explain: true });
    expect(texts(hits)).toEqual([`${spring}\n\n${revoked}`, tea]);
    const [first] = hits;
    expect(text.slice(first?.source.start, first?.source.end)).toBe(first?.text);
    expect([first?.score, first?.rank, first?.chunkId, first?.source.line]).toEqual([0.9, 1, revoked.slice(0, 8), 3]);
    expect(first?.source.headings).toEqual(["Keys"]);
    expect(first?.matches).toEqual([
      { start: 8, end: 12 },
      { start: 40, end: 43 },
    ]);
    expect(first?.evidence).toBe(true);
    expect(first?.explain?.steps).toEqual([
      { retriever: "mergeAdjacent", chunkIds: [spring.slice(0, 8)], from: { start: 37, end: 37 + revoked.length } },
    ]);
  });

  it("a heading between two keeps them apart", async () => {
    const { store, hit } = await documentWith(text, [revoked, tea]);
    const base = finding([hit(revoked, 0.9), hit(tea, 0.5)]);
    expect(await mergeAdjacent(base, { documents: store }).retrieve(proof, "key")).toHaveLength(2);
  });

  it("the same document in two scopes stays two", async () => {
    const { store, document, hit } = await documentWith(text, [spring]);
    await store.replace(into("team:north"), documentEntryOf(document, [{ text: revoked }]));
    const base = finding([hit(spring, 0.9), hit(revoked, 0.5, { scope: "team:north" })]);
    expect(await mergeAdjacent(base, { documents: store }).retrieve(proof, "key")).toHaveLength(2);
  });

  it("what the proof does not name is not read, and stays as it was found [L3]", async () => {
    const { store, hit } = await documentWith(text, [spring, revoked], "team:south");
    const base = finding([hit(spring, 0.9), hit(revoked, 0.5)]);
    expect(texts(await mergeAdjacent(base, { documents: store }).retrieve(proof, "key"))).toEqual([spring, revoked]);
  });

  it("hits of a document that has become another meanwhile stay as they are", async () => {
    const { store, hit } = await documentWith(text, [spring, revoked]);
    await store.replace(into("deployment"), documentEntryOf(documentOf("d.md", `New. ${text}`), [{ text: spring }]));
    const base = finding([hit(spring, 0.9), hit(revoked, 0.5)]);
    expect(texts(await mergeAdjacent(base, { documents: store }).retrieve(proof, "key"))).toEqual([spring, revoked]);
  });

  it("grows no longer than is allowed", async () => {
    const { store, hit } = await documentWith(text, [spring, revoked]);
    const base = finding([hit(spring, 0.9), hit(revoked, 0.5)]);
    const whole = spring.length + 2 + revoked.length;
    const ask = (maxLength: number) => mergeAdjacent(base, { documents: store, maxLength }).retrieve(proof, "key");
    expect([await ask(whole), await ask(whole - 1)].map((hits) => hits.length)).toEqual([1, 2]);
  });

  it("covers what was found and nothing else, and merging twice is merging once", async () => {
    const long = "ab cd\n\nef gh ij\nkl mn op qr st uv wx yz";
    const { store, document, hit } = await documentWith(long, []);
    const place = fc.tuple(fc.nat(long.length - 1), fc.integer({ min: 1, max: 9 })).map(([start, size]) => ({
      start,
      end: Math.min(long.length, start + size),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 8 }), async (places) => {
        const found = places.map(({ start, end }, i) => ({
          ...hit("", 1 - i / 10),
          chunkId: `c${i}`,
          text: document.text.slice(start, end),
          source: { ...hit("", 1).source, start, end },
        }));
        const merging = mergeAdjacent(finding(found), { documents: store });
        const hits = await merging.retrieve(proof, "ab", { topK: "all" });
        const covered = (each: readonly { source: { start: number; end: number } }[], at: number): boolean =>
          each.some(({ source }) => source.start <= at && at < source.end);
        const letters = Array.from(long.matchAll(/\S/gu), ({ index }) => index);
        expect(letters.filter((at) => covered(hits, at))).toEqual(letters.filter((at) => covered(found, at)));
        for (const { text: own, source } of hits) expect(own).toBe(long.slice(source.start, source.end));
        expect(scores(hits)).toEqual(scores(hits).toSorted((a, b) => b - a));
        const again = await mergeAdjacent(merging, { documents: store }).retrieve(proof, "ab", { topK: "all" });
        expect([ids(again), texts(again)]).toEqual([ids(hits), texts(hits)]);
      }),
      { numRuns: 100 },
    );
  });
});
