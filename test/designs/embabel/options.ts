import { describeElement } from "ibid/readers";
import { openEntities } from "ibid/records";
import { inflateTopK } from "ibid/search";
import { openKnowledgeBase } from "ibid";
import { createTransformer } from "ibid/chunkers";
import { compileFilter, parseFilter } from "ibid/search";
import { all, equal, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

export const options = [
  prove("E19", "a transformer sees the section and the document of its chunk", async () => {
    const seen: string[] = [];
    const look = createTransformer({
      name: "look",
      metadata: (_, { section, document }) => {
        seen.push(`${document.title}/${section?.title}`);
        return { in: section?.title ?? "" };
      },
    });
    await withTexts(
      {},
      async (kb) => {
        await kb.ingest({
          uri: "a.md",
          text: `# Keys\n\n${"About keys. ".repeat(100)}\n\n## Lost\n\n${"Call us. ".repeat(150)}`,
        });
        const chunks = (await all(kb.chunks())).map(({ chunk }) => chunk).toSorted((x, y) => x.start - y.start);
        equal([chunks[0]?.metadata["in"], chunks.at(-1)?.metadata["in"]], ["Keys", "Lost"]);
        equal(seen.at(-1), "Keys/Lost");
      },
      { transformers: [look] },
    );
  }),
  prove("E29", "numbers in strings count, and an invalid pattern is false, by the dialect", async () => {
    const test = (filter: object, metadata: object, dialect = {}): boolean =>
      compileFilter(parseFilter(filter as never, dialect))(metadata as never);
    const coerced = { ranges: "coerced" } as const;
    equal(
      [
        test({ score: { gt: 0.5 } }, { score: "0.8" }),
        test({ score: { gt: 0.5 } }, { score: "0.8" }, coerced),
        test({ score: { gt: 0.5 } }, { score: "high" }, coerced),
        test({ score: { lte: "7" } }, { score: 7 }, coerced),
      ],
      [false, true, false, true],
    );
    await refuses("invalid-filter", () => parseFilter({ name: { like: "[invalid(regex" } }));
    equal(test({ name: { like: "[invalid(regex" } }, { name: "x" }, { invalid: "nothing" }), false);
    const stored = parseFilter({ score: { gt: 0.5 } }, coerced);
    equal(parseFilter(JSON.parse(JSON.stringify(stored)) as never), stored);
    await withTexts({ a: { text: "Bees.", metadata: { score: "0.8" } } }, async (kb) =>
      equal(
        [
          (await kb.search("bees", { filter: stored })).length,
          (await kb.search("bees", { filter: { score: { gt: 0.5 } } })).length,
        ],
        [1, 0],
      ),
    );
  }),
  prove("E3", "what is kept of a stored document, a section, a chunk and an entity, and their labels", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest({ uri: "a.md", text: "# Keys\n\nTurn them.", metadata: { kind: "x" } });
    const view = (await kb.document("a.md"))!;
    const [stored] = await all(kb.chunks());
    const document = describeElement(view);
    equal(
      [
        document.labels,
        document.propertiesToPersist["uri"],
        document.propertiesToPersist["kind"],
        document.propertiesToPersist["ingestionTimestamp"],
      ],
      [["Document", "ContentRoot", "ContentElement"], "a.md", "x", view.ingestedAt],
    );
    const section = describeElement(view, view.root.children[0]);
    for (const element of [section, describeElement(view, stored!.chunk)])
      equal(element.propertiesToPersist["ingestionTimestamp"], view.ingestedAt);
    equal(
      [section.parentId, section.propertiesToPersist["title"], section.propertiesToPersist["text"]],
      [view.id, "Keys", "Turn them."],
    );
    const chunk = describeElement(view, stored!.chunk);
    equal([chunk.id, chunk.propertiesToPersist["urtext"]], [stored!.chunk.id, stored!.chunk.urtext]);
    const people = openEntities(kb, "people");
    await people.upsert({
      id: "ada",
      name: "Ada",
      description: "Writes programs.",
      labels: ["Person"],
      properties: { born: 1815, embedding: [1] },
    });
    const ada = describeElement(view, await people.get("ada"));
    equal(
      [ada.labels, ada.embeddableValue, ada.propertiesToPersist["born"], "embedding" in ada.propertiesToPersist],
      [["Person", "__Entity__"], "Ada: Writes programs.", 1815, false],
    );
    await kb.close();
  }),
  prove(
    "E27",
    "inflation: by a factor of three to a thousand, by an offset, by a pass rate; and no filter starves",
    async () => {
      equal(
        [
          inflateTopK(10),
          inflateTopK(500),
          inflateTopK(2000),
          inflateTopK(10, { offset: 7 }),
          inflateTopK(10, { expectedPassRate: 0.1 }),
          inflateTopK(10, { expectedPassRate: 0.01 }),
        ],
        [30, 1000, 2000, 17, 100, 1000],
      );
      await refuses("invalid-argument", () => inflateTopK(10, { expectedPassRate: 0 }));
      const texts = Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [
          `d${i}`,
          { text: `Bees hum ${"bees ".repeat(60 - i)}`, metadata: { last: i >= 57 } },
        ]),
      );
      await withTexts(texts, async (kb) =>
        equal((await kb.search("bees", { topK: 3, filter: { last: true } })).length, 3),
      );
    },
  ),
];
