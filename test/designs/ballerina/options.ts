import { createInMemoryVectorStore } from "ibid/compat";
import { compileFilter, parseFilter } from "ibid/search";
import { createFixedEmbeddingModel } from "ibid/testing";
import { equal, putVectors, reading, refuses, uris, version, withTexts, writing } from "../kit.ts";
import { prove } from "../prove.ts";

const holdsFor = (filter: Parameters<typeof parseFilter>[0], metadata: object, dialect = {}): boolean =>
  compileFilter(parseFilter(filter, dialect))(metadata as never);

export const options = [
  prove("B22", "a condition's value may be a list or an object, whatever the order of its keys", () =>
    withTexts(
      {
        a: { text: "Bees.", metadata: { size: { w: 1, h: [2, 3] }, tags: ["x", "y"] } },
        b: { text: "Bees.", metadata: { size: { w: 1 }, tags: ["y", "x"] } },
      },
      async (kb) => {
        const find = async (filter: object): Promise<readonly string[]> =>
          uris(await kb.search("bees", { filter: filter as never, copies: "all" }));
        equal(await find({ size: { eq: { h: [2, 3], w: 1 } } }), ["a"]);
        equal(await find({ tags: { eq: ["x", "y"] } }), ["a"]);
        equal(await find({ size: { ne: { w: 1 } } }), ["a"]);
        equal(
          (
            await find({
              tags: {
                in: [
                  ["x", "y"],
                  ["y", "x"],
                ],
              },
            })
          ).length,
          2,
        );
      },
    ),
  ),
  prove("B23", "the wire form, with its operators and nested groups", () => {
    const filter = {
      filters: [
        { key: "department", value: "HR" },
        {
          condition: "or",
          filters: [
            { key: "year", operator: ">=", value: 2024 },
            { key: "year", operator: "in", value: [1999] },
          ],
        },
      ],
    } as const;
    equal(
      [
        holdsFor(filter, { department: "HR", year: 2025 }),
        holdsFor(filter, { department: "HR", year: 1999 }),
        holdsFor(filter, { department: "HR", year: 2001 }),
        holdsFor(filter, { department: "IT", year: 2025 }),
      ],
      [true, true, false, false],
    );
    const one = (operator: "==" | "!=" | ">" | "<" | ">=" | "<=" | "in" | "nin", value: never) =>
      holdsFor({ filters: [{ key: "a", operator, value }] }, { a: 2 });
    equal(
      [
        one("==", 2 as never),
        one("!=", 2 as never),
        one(">", 1 as never),
        one("<", 2 as never),
        one(">=", 2 as never),
        one("<=", 1 as never),
        one("in", [2] as never),
        one("nin", [2] as never),
      ],
      [true, false, true, false, true, false, true, false],
    );
  }),
  prove("B23", "a missing key passes != and nin; by the dialect it fails every operator", () => {
    const filter = { filters: [{ key: "a", operator: "!=", value: 1 }] } as const;
    equal(
      [
        holdsFor(filter, {}),
        holdsFor(filter, {}, { missing: "fails" }),
        holdsFor(filter, { a: 2 }, { missing: "fails" }),
      ],
      [true, false, true],
    );
    const list = { filters: [{ key: "a", operator: "nin", value: [1] }] } as const;
    equal([holdsFor(list, {}), holdsFor(list, {}, { missing: "fails" })], [true, false]);
  }),
  prove("B23", "a list that is none is an error; by the dialect it matches nothing", async () => {
    for (const operator of ["in", "nin"] as const) {
      const filter = { filters: [{ key: "a", operator, value: "a" }] };
      await refuses("invalid-filter", () => parseFilter(filter));
      equal(holdsFor(filter, { a: "a" }, { invalid: "nothing" }), false);
    }
  }),
  prove("B23", "the knowledge base takes the wire form", () =>
    withTexts({ a: { text: "Bees.", metadata: { kind: "x" } }, b: "Bees." }, async (kb) =>
      equal(
        uris(
          await kb.search("bees", {
            copies: "all",
            filter: { filters: [{ key: "kind", operator: "==", value: "x" }] },
          }),
        ),
        ["a"],
      ),
    ),
  ),
  prove("B27", "the metric is an option of a knowledge base", async () => {
    const model = () =>
      createFixedEmbeddingModel(
        {},
        {
          dimensions: 2,
          otherwise: (text) => (text.includes("long") ? [3, 1] : text.includes("near") ? [0.9, 0.3] : [1, 0]),
        },
      );
    const first = (metric?: "cosine" | "dot" | "euclidean") =>
      withTexts(
        { long: "long", near: "near" },
        async (kb) =>
          (await kb.search("query", { mode: "dense" })).map(({ source, score }) => [source.uri, score.toFixed(3)]),
        { models: { embedding: model() }, ...(metric && { search: { metric } }) },
      );
    equal(await first("dot"), [
      ["long", "3.000"],
      ["near", "0.900"],
    ]);
    equal(
      (await first("euclidean")).map(([uri]) => uri),
      ["near", "long"],
    );
    equal(
      (await first()).map(([, score]) => score),
      ["0.949", "0.949"],
    );
  }),
  prove("B27", "what goes in and comes out is copied", async () => {
    const store = createInMemoryVectorStore();
    const vector = [1, 0];
    const metadata = { list: [1] };
    await putVectors(store, [{ id: "a", vector, metadata }]);
    vector[0] = 0;
    metadata.list.push(2);
    const [found] = await store.search(reading, { embedding: [1, 0], version, includeEmbeddings: true });
    equal([found?.score, found?.chunk.metadata["list"]], [1, [1]]);
    (found!.chunk.metadata["list"] as number[]).push(3);
    const [again] = await store.search(reading, { embedding: [1, 0], version });
    equal(again?.chunk.metadata["list"], [1]);
  }),
  prove("B30", "deleting an unknown id is an error with the design's message; the first entry goes", async () => {
    const store = createInMemoryVectorStore({ onMissing: "error" });
    await putVectors(store, [{ id: "a", vector: [1, 0] }]);
    const error = await refuses("not-found", () => store.delete(writing, { ids: ["19"] }));
    equal(error.message, "Vector entry with reference id '19' not found");
    equal((await store.delete(writing, { ids: ["19"] }, { onMissing: "ignore" })).chunks, 0);
    equal((await store.delete(writing, { ids: ["a"] })).chunks, 1);
  }),
];
