import { describe, expect, it } from "vitest";

import { expandHits } from "../../../src/search/around/expand-hits.ts";
import { from } from "../../../src/testing/store-fixtures.ts";
import { documentWith, finding, hitOf, ids, texts } from "./fixtures.ts";

const proof = from("deployment");
const pieces = ["One is first.", "Two is next.", "Three is here.", "Four goes on.", "Five ends it."];
const text = `# Numbers\n\n${pieces.join("\n\n")}\n\n# Letters\n\nA and B.\n`;
const [one, two, three, four, five] = pieces as [string, string, string, string, string];
const ready = () => documentWith(text, [...pieces, "A and B."]);

describe("small to big [E53 L1]", () => {
  it("a hit with its neighbours is an exact slice of the document, and says where it was found", async () => {
    const { store, hit } = await ready();
    const retriever = expandHits(finding([hit(three, 0.9)]), { documents: store, neighbours: 1 });
    const [wide] = await retriever.retrieve(proof, "three", { explain: true });
    expect(wide?.text).toBe(`${two}\n\n${three}\n\n${four}`);
    expect(text.slice(wide?.source.start, wide?.source.end)).toBe(wide?.text);
    expect([wide?.score, wide?.chunkId, wide?.snippet.includes("Three")]).toEqual([0.9, three.slice(0, 8), true]);
    const start = text.indexOf(three);
    expect(wide?.explain?.steps).toEqual([{ retriever: "expandHits", from: { start, end: start + three.length } }]);
  });

  it("or its section; those that come to stand for the same are one, and name the others", async () => {
    const { store, hit } = await ready();
    const base = finding([hit(four, 0.9), hit("A and B.", 0.8), hit(one, 0.7)]);
    const hits = await expandHits(base, { documents: store, zoomOut: 1 }).retrieve(proof, "q", { explain: true });
    expect(texts(hits)).toEqual([text.slice(0, text.indexOf("# Letters")), text.slice(text.indexOf("# Letters"))]);
    expect(hits[0]?.explain?.steps?.[0]?.chunkIds).toEqual([one.slice(0, 8)]);
    expect(hits.map(({ rank }) => rank)).toEqual([1, 2]);
  });

  it("beyond the limit, the nearer neighbours come first and a section is cut around the hit; a hit is never shortened", async () => {
    const { store, hit } = await ready();
    const near = (maxLength: number) =>
      expandHits(finding([hit(three, 0.9)]), { documents: store, neighbours: 2, maxLength }).retrieve(proof, "q");
    expect(texts(await near(two.length + 2 + three.length))).toEqual([`${two}\n\n${three}`]);
    expect(texts(await near(5))).toEqual([three]);
    const [cut] = await expandHits(finding([hit(five, 0.9)]), { documents: store, zoomOut: 1, maxLength: 40 }).retrieve(
      proof,
      "q",
    );
    expect(cut?.text).toHaveLength(40);
    expect(cut?.text).toContain(five);
    const [whole] = await expandHits(finding([hit(five, 0.9)]), {
      documents: store,
      zoomOut: 1,
      maxLength: 3,
    }).retrieve(proof, "q");
    expect(whole?.text).toBe(five);
  });

  it("keeps a budget for all: the best are widened, the rest are shown as they were found", async () => {
    const { store, hit } = await ready();
    const base = finding([hit(two, 0.9), hit(five, 0.8)]);
    const all = { documents: store, neighbours: 1, maxTotalLength: 60 } as const;
    expect(texts(await expandHits(base, all).retrieve(proof, "q"))).toEqual([`${one}\n\n${two}\n\n${three}`, five]);
  });

  it("what only overlaps stays apart", async () => {
    const { store, hit } = await ready();
    const expanding = expandHits(finding([hit(two, 0.9), hit(four, 0.8)]), { documents: store, neighbours: 1 });
    expect(await expanding.retrieve(proof, "q")).toHaveLength(2);
  });

  it("a hit without a document stays as it is", async () => {
    const { store } = await ready();
    const base = finding([hitOf("loose", 0.4, { documentId: "none" })]);
    expect(ids(await expandHits(base, { documents: store, zoomOut: 2 }).retrieve(proof, "q"))).toEqual(["loose"]);
  });

  it("refuses both ways at once, and none", async () => {
    const { store: documents } = await ready();
    for (const options of [{ documents }, { documents, zoomOut: 1, neighbours: 1 }, { documents, neighbours: 0 }])
      expect(() => expandHits(finding([]), options as never)).toThrow(
        expect.objectContaining({ code: "invalid-argument" }),
      );
  });
});
