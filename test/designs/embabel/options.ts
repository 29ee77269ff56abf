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
];
