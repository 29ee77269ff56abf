import { createSectionChunker, createTransformer } from "ibid/chunkers";
import { createStructureTransformer, pathFromRoot, structureKeys } from "ibid/compat";
import { describeElement, findSectionPath, listDescendants, listLeaves } from "ibid/readers";
import { openEntities } from "ibid/records";
import { describeForModel } from "ibid/tools";
import { fixed } from "../fixed.ts";
import { all, equal, holds, matches, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { birds, readTree, sectionOf } from "./tree.ts";

const small = createSectionChunker({ maxSize: 60, overlap: 0 });
const titles = (sections: readonly { readonly title: string }[]): readonly string[] =>
  sections.map(({ title }) => title);

export const model = [
  prove("E2", "a document is a tree: a root, containers, leaves; from any part of it to the others", () =>
    withTexts(
      { "birds.md": birds },
      async (kb) => {
        const outline = await kb.outline("birds.md");
        equal(
          outline?.sections.slice(1).map(({ title, kind, headings }) => [title, kind, headings.length]),
          [
            ["Water", "container", 1],
            ["Heron", "leaf", 2],
            ["Otter", "leaf", 2],
            ["Hedge", "leaf", 1],
          ],
        );
        equal(outline?.sections[0]?.kind, "root");
        const [hit] = await kb.search("otter under the bridge", { topK: 1 });
        equal(
          [hit?.source.headings, hit?.text.trim()],
          [["Water", "Otter"], "## Otter\n\nThe otter swims under the bridge."],
        );
        equal((await kb.document("birds.md"))?.text.slice(hit!.source.start, hit!.source.end), hit?.text);
        const around = await kb.expand(hit!, { zoomOut: 2 });
        equal([around?.headings, around?.kind], [["Water"], "container"]);
        matches(around?.text, /At the water[\s\S]*Heron[\s\S]*Otter/u);
        const beside = await kb.expand(hit!, { neighbours: 1 });
        matches(beside?.text, /heron waits[\s\S]*otter swims/u);
      },
      { chunker: small },
    ),
  ),
  prove("E4", "everything searchable says what is embedded of it", async () => {
    const document = await readTree("birds.md", birds);
    const value = (title: string): string => describeElement(document, sectionOf(document.root, title)).embeddableValue;
    equal(value("Heron"), "Heron\nThe heron waits in the reeds.");
    equal(value("Water"), "Water");
    const chunk = [...small.chunk(document)].at(-1)!;
    equal(describeElement(document, chunk).embeddableValue, chunk.text);
  }),
  prove("E5", "and may carry its embedding, in and out", () =>
    withTexts(
      { a: { text: undefined as never, chunks: [{ text: "heron", embedding: [0.6, 0.8] }] } },
      async (kb) => {
        const embedded = (await kb.search("otter", { mode: "dense", includeEmbeddings: true }))[0];
        equal(
          [embedded?.embedding, embedded?.score].flat().map((x) => Math.round(Number(x) * 1e6) / 1e6),
          [0.6, 0.8, 0.8],
        );
        equal((await kb.search("otter", { mode: "dense" }))[0]?.embedding, undefined);
      },
      { models: { embedding: fixed({ otter: [0, 1] }) } },
    ),
  ),
  prove("E6", "whatever is found describes itself", () =>
    withTexts(
      { "birds.md": birds },
      async (kb) => {
        const [hit] = await kb.search("otter", { topK: 1 });
        const [first] = await all(kb.chunks());
        const things = openEntities(kb, "things");
        await things.upsert({
          id: "inn",
          name: "The Inn",
          description: "By the sea.",
          labels: ["House"],
          properties: { rooms: 3 },
        });
        matches(describeForModel(hit!), /^chunkId: \S+ url: birds\.md\n\d\.\d\d - [\s\S]*otter swims/u);
        matches(describeForModel(first!.chunk), /^chunkId: \S+ url: birds\.md\n/u);
        matches(describeForModel((await kb.section("birds.md", "0.0.0"))!), /Heron[\s\S]*heron waits/u);
        matches(describeForModel((await kb.document("birds.md"))!), /^url: birds\.md\n/u);
        matches(describeForModel((await kb.outline("birds.md"))!), /0\.0\.1 Otter/u);
        equal(describeForModel((await things.get("inn"))!), "entity: inn (House)\nThe Inn: By the sea.\nrooms: 3");
      },
      { chunker: small },
    ),
  ),
  prove("E7", "every element knows its parent, up to the document, which has none", async () => {
    const document = await readTree("birds.md", birds);
    const chunk = [...small.chunk(document)].find(({ text }) => text.includes("heron waits"))!;
    const parents = [chunk, ...["Heron", "Water"].map((title) => sectionOf(document.root, title)), document].map(
      (element) => describeElement(document, element),
    );
    for (const [i, { parentId }] of parents.entries()) equal(parentId, parents[i + 1]?.id ?? null);
  }),
  prove("E10", "labels of each kind", () =>
    withTexts({}, async (kb) => {
      const document = await readTree("birds.md", birds);
      const labels = (element?: Parameters<typeof describeElement>[1]): readonly string[] =>
        describeElement(document, element).labels.toSorted();
      equal(labels(), ["ContentElement", "ContentRoot", "Document"]);
      equal(labels(sectionOf(document.root, "Water")), ["ContainerSection", "ContentElement", "Section"]);
      equal(labels(sectionOf(document.root, "Otter")), ["ContentElement", "LeafSection", "Section"]);
      equal(labels([...small.chunk(document)][0]), ["Chunk", "ContentElement"]);
      const things = openEntities(kb, "things");
      await things.upsert([
        { id: "inn", name: "Inn", labels: ["House"] },
        { id: "sea", name: "Sea" },
      ]);
      equal(
        [(await things.get("inn"))?.labels.toSorted(), (await things.get("sea"))?.labels],
        [["House", "__Entity__"], ["__Entity__"]],
      );
    }),
  ),
  prove("E11", "the original text stays beside what a transformer wrote, and is what is cited", () =>
    withTexts(
      { a: "PTO is requested in the portal." },
      async (kb) => {
        const [stored] = await all(kb.chunks());
        equal(
          [stored?.chunk.urtext, stored?.chunk.text],
          ["PTO is requested in the portal.", "Paid time off. PTO is requested in the portal."],
        );
        const { citations } = await kb.ask("Where is paid time off requested?");
        equal(
          citations.map(({ quote }) => quote),
          ["PTO is requested in the portal."],
        );
      },
      { transformers: [createTransformer({ name: "spell", text: ({ text }) => `Paid time off. ${text}` })] },
    ),
  ),
  prove("E12", "chunks know their place in the structure, and say it where they leave", async () => {
    const document = await readTree("birds.md", birds);
    const chunks = [...small.chunk(document)];
    const otter = chunks.find(({ text }) => text.includes("otter swims"))!;
    const keys = structureKeys(otter, document, chunks.length);
    equal(
      [
        "chunk_index",
        "sequence_number",
        "total_chunks",
        "root_document_id",
        "root_document_title",
        "container_section_title",
        "leaf_section_title",
        "leaf_section_url",
      ].map((key) => keys[key]),
      [otter.index, otter.index, chunks.length, document.id, document.title, "Water", "Otter", "birds.md"],
    );
    const embedded: number[] = [];
    const embedding = {
      ...fixed({ x: [1, 0] }),
      embed: async (inputs: readonly unknown[]) => (
        embedded.push(inputs.length),
        { embeddings: inputs.map(() => [1, 0]) }
      ),
    };
    await withTexts(
      { "birds.md": birds },
      async (kb) => {
        const totals = async () =>
          (await all(kb.chunks())).map(({ chunk: { metadata } }) => [
            metadata["total_chunks"],
            metadata["chunk_index"],
          ]);
        const expected = (count: number) => Array.from({ length: count }, (_, i) => [count, i]);
        const byIndex = (rows: readonly (readonly unknown[])[]) => rows.toSorted((a, b) => Number(a[1]) - Number(b[1]));
        equal(byIndex(await totals()), expected(chunks.length));
        equal((await kb.search("otter", { filter: { total_chunks: chunks.length } })).length > 0, true);
        // A chunk more changes the number in each, and embeds that one alone.
        embedded.length = 0;
        await kb.ingest({ uri: "birds.md", text: `${birds}\n# Sky\n\nThe kite circles high above the field.\n` });
        equal([byIndex(await totals()), embedded], [expected(chunks.length + 1), [1]]);
      },
      { chunker: small, transformers: [createStructureTransformer({ totalChunks: true })], models: { embedding } },
    );
    equal(titles(pathFromRoot(document, otter) ?? []).slice(1), ["Water", "Otter"]);
    equal(pathFromRoot({ ...document, id: "another" }, otter), undefined);
    await withTexts(
      { "birds.md": birds },
      async (kb) => {
        const [hit] = await kb.search("otter", { topK: 1 });
        equal(
          [
            hit?.structure?.containerSectionTitle,
            hit?.structure?.leafSectionTitle,
            hit?.structure?.totalChunks,
            hit?.structure?.chunkIndex,
          ],
          ["Water", "Otter", chunks.length, otter.index],
        );
        equal((await kb.expand(hit!, { zoomOut: 1 }))?.chunks[0]?.structure.leafSectionTitle, "Otter");
      },
      { chunker: small },
    );
  }),
  prove(
    "E13",
    "metadata merges into a new document, and the new wins; descendants and leaves in their order",
    async () => {
      const nested = "# A\n\n## A1\n\nx\n\n# B\n\ny\n\n# C\n\n## C1\n\n### C11\n\nz\n\n## C2\n\nw\n";
      const document = await readTree("a.md", nested, { kind: "old", kept: 1 });
      equal(titles(listDescendants(document.root)), ["A", "A1", "B", "C", "C1", "C11", "C2"]);
      equal(titles(listLeaves(document.root)), ["B", "A1", "C2", "C11"]);
      equal(titles(findSectionPath(document.root, sectionOf(document.root, "C11").id) ?? []).slice(1), [
        "C",
        "C1",
        "C11",
      ]);
      await withTexts({}, async (kb) => {
        await kb.ingest(document, { metadata: { kind: "new", more: 2 } });
        const { metadata } = (await kb.document("a.md"))!;
        equal([metadata["kind"], metadata["kept"], metadata["more"]], ["new", 1, 2]);
        equal([document.metadata["kind"], document.metadata["more"]], ["old", undefined]);
        holds((await all(kb.chunks())).every(({ chunk }) => chunk.metadata["kind"] === "new"));
      });
    },
  ),
];
