import { openKnowledgeBase } from "ibid";
import { createSectionChunker } from "ibid/chunkers";
import type { Embedding, EmbeddingModel } from "ibid/models";
import { describeElement, type Enhancer, type TreeElement } from "ibid/readers";
import { defineEntityType, openEntities, openFacts, openRepository } from "ibid/records";
import { fromVectorStore } from "ibid/stores";
import { createEntityTools, createSearchTools } from "ibid/tools";
import { fixed } from "../fixed.ts";
import { all, equal, holds, matches, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { object } from "../schema.ts";
import { birds } from "./tree.ts";

const small = createSectionChunker({ maxSize: 60, overlap: 0 });
const letters = (text: string): readonly number[] => [text.split("e").length, text.split("t").length];

/** A model that fails on every batch in which a text has that word. */
const failing = (word: string, isBroken = () => word !== ""): EmbeddingModel => ({
  provider: "own",
  model: "letters",
  kind: "dense",
  dimensions: 2,
  maxBatchSize: 2,
  async embed(inputs) {
    const texts = inputs.map((input) =>
      typeof input === "string" ? input : (input as { readonly text: string }).text,
    );
    if (isBroken() && texts.some((text) => text.includes(word))) throw new Error("The model is out.");
    return { embeddings: texts.map(letters) };
  },
});

const kindsOf = (elements: readonly TreeElement[]): readonly (string | undefined)[] =>
  elements.map(({ labels }) => labels.find((label) => label !== "__Entity__"));

/** Notes which kinds it was asked about, and marks each. */
function marking(name: string, seen: string[] = []): Enhancer {
  return {
    name,
    enhance(element) {
      seen.push(element.labels[0]!);
      return {
        metadata: {
          [`by_${name}`]: Object.keys(element.propertiesToPersist).filter((key) => key.startsWith("by_")).length,
        },
      };
    },
  };
}

export const repository = [
  prove(
    "E20",
    "enhancers of every kind in a chain, the hook for what is new, and finders by uri, id and entity",
    async () => {
      const seen: string[] = [];
      const enhancers = [marking("one", seen), marking("two")];
      const kb = await openKnowledgeBase({ chunker: small, enhancers });
      const things = openEntities(kb, "things", { enhancers });
      const facts = openFacts(kb, "facts", { enhancers });
      const told: (readonly TreeElement[])[] = [];
      const repo = openRepository(kb, {
        entities: things,
        facts,
        enhancers,
        onNewRetrievables: (elements) => void told.push(elements),
      });
      const ids = await repo.writeAndChunkDocument({ uri: "birds.md", text: birds, mediaType: "text/markdown" });
      holds(ids.length > 2);
      equal(
        told.map((elements) => [...new Set(kindsOf(elements))]),
        [["Document", "Section"], ["Chunk"]],
      );
      equal(
        told[1]!.map(({ id }) => id),
        ids,
      );
      await things.upsert({ id: "otter", name: "Otter", labels: ["Animal"] });
      await facts.assert({ assertion: "Otters swim.", authority: "birds.md" });
      equal([...new Set(seen)].toSorted(), ["Animal", "Chunk", "Document", "Fact", "Section"]);
      // The second enhancer sees what the first one added, and neither is lost.
      const marks = { by_one: 0, by_two: 1 };
      const marksOf = (metadata: object): object =>
        Object.fromEntries(Object.entries(metadata).filter(([key]) => key.startsWith("by_")));
      equal(marksOf((await kb.document("birds.md"))!.metadata), marks);
      equal(marksOf((await things.get("otter"))!.metadata), marks);
      equal(marksOf((await all(facts.list()))[0]!.metadata), marks);
      for (const chunk of await repo.findAllChunksById(ids))
        equal(Object.keys(marksOf(chunk.metadata)), ["by_one", "by_two"]);
      const bare = describeElement({ ...(await kb.document("birds.md"))!, metadata: {} });
      equal(marksOf((await repo.enhance(bare)).propertiesToPersist), marks);

      equal([await repo.existsRootWithUri("birds.md"), await repo.existsRootWithUri("gone.md")], [true, false]);
      equal((await repo.findContentRootByUri("birds.md"))?.uri, "birds.md");
      equal((await repo.findById(ids[0]!))?.id, ids[0]);
      equal((await repo.findById("otter"))?.labels.includes("Animal"), true);
      const path = (await repo.pathFromRoot(ids.at(-1)!))!;
      equal([path.at(0), path.at(-1)], [(await kb.document("birds.md"))!.id, ids.at(-1)]);
      equal((await repo.findById(path[1]!))?.labels.includes("Section"), true);
      await repo.writeAndChunkDocument({
        uri: "named",
        chunks: [{ text: "It swims.", metadata: { entities: ["otter"] } }, { text: "It sings." }],
      });
      equal(
        (await repo.findChunksForEntity("otter")).map(({ text }) => text),
        ["It swims."],
      );

      const counts = {
        documents: await repo.count("document"),
        sections: await repo.count("section"),
        chunks: await repo.count("chunk"),
      };
      equal(
        [counts.documents, counts.chunks, await repo.count("entity"), await repo.count("fact")],
        [2, ids.length + 2, 1, 1],
      );
      equal(counts.sections, (await all(repo.findAll("section"))).length);
      equal(await repo.count(), counts.documents + counts.sections + counts.chunks);
      const deleted = (await repo.deleteRootAndDescendants("birds.md"))!;
      equal([deleted.rootUri, deleted.deletedCount], ["birds.md", 1 + counts.sections + ids.length]);
      equal([await repo.deleteRootAndDescendants("birds.md"), await repo.count("document")], [undefined, 1]);
      await kb.close();
    },
  ),
  prove(
    "E20",
    "a batch whose embedding fails fails the document, or is skipped by a policy and made up for later",
    async () => {
      const chunks = ["one", "two", "three", "bad", "five"].map((text) => ({ text }));
      const input = { uri: "five", chunks };
      let broken = true;
      const kb = await openKnowledgeBase({ models: { embedding: failing("bad", () => broken) } });
      await refuses("embedding-failed", async () => {
        const { failures } = await kb.ingest(input);
        if (failures[0] !== undefined) throw failures[0].error;
      });
      equal(await all(kb.chunks()), []);
      const { unembedded, failures } = await kb.ingest(input, { onFailedBatch: "skip" });
      equal([unembedded, failures], [2, []]);
      equal(
        (await all(kb.chunks({ uri: "five", includeEmbeddings: true })))
          .toSorted((a, b) => a.chunk.index - b.chunk.index)
          .map(({ embeddings = [] }) => embeddings.length),
        [1, 1, 0, 0, 1],
      );
      equal(
        (await kb.search("bad", { mode: "lexical" })).map(({ text }) => text),
        ["bad"],
      );
      broken = false;
      const later = await kb.ingest(input);
      equal([later.updated, later.embedded, later.unembedded], [1, 2, undefined]);
      equal((await kb.ingest(input)).unchanged, 1);
      await kb.close();
    },
  ),
  prove(
    "E22",
    "hooks get the chunks with their vectors, missing ones left out, then the document to relate, then the commit",
    async () => {
      const kb = await openKnowledgeBase({ models: { embedding: failing("bad") } });
      const things = openEntities(kb, "things");
      await things.upsert({ id: "report", name: "Report" });
      const order: string[] = [];
      const kept = new Map<string, Embedding | undefined>();
      const repo = openRepository(kb, {
        entities: things,
        persistChunksWithEmbeddings(chunks, embeddings) {
          order.push("persist");
          for (const { id, text } of chunks) kept.set(text, embeddings.get(id));
        },
        async createInternalRelationships({ uri }) {
          order.push("relate");
          await things.relate({ from: "report", name: "HAS_SOURCE", to: uri });
        },
        commit: () => void order.push("commit"),
      });
      const chunks = ["one", "two", "bad", "worse"].map((text) => ({ text }));
      await repo.writeAndChunkDocument({ uri: "four", chunks }, { onFailedBatch: "skip" });
      equal(order, ["persist", "relate", "commit"]);
      equal(Object.fromEntries(Array.from(kept, ([text, vector]) => [text, vector && [...(vector as Float32Array)]])), {
        one: letters("one"),
        two: letters("two"),
        bad: undefined,
        worse: undefined,
      });
      await things.upsert({ id: "four", name: "Four" });
      equal(
        (await all(things.findRelated("report", "HAS_SOURCE"))).map(({ id }) => id),
        ["four"],
      );
      // A retrievable that is there already is no news.
      await repo.writeAndChunkDocument({ uri: "other", chunks: [{ text: "one" }] });
      order.length = 0;
      await repo.writeAndChunkDocument({ uri: "other", chunks: [{ text: "one" }] });
      equal(order, []);
      await kb.close();
    },
  ),
  prove(
    "E23",
    "each search by class: documents, sections, chunks, entities and facts; entities by a pattern",
    async () => {
      const kb = await openKnowledgeBase({
        chunker: small,
        models: { embedding: { ...failing(""), maxBatchSize: 64 } },
      });
      const things = openEntities(kb, "things", { filterable: ["size"] });
      const facts = openFacts(kb);
      await things.upsert([
        { id: "otter", name: "Otter", labels: ["Mammal"], properties: { size: 3 } },
        { id: "otto", name: "Otto", labels: ["Person"], properties: { size: 9 } },
      ]);
      await facts.assert({ assertion: "Otters swim.", authority: "a book" });
      const repo = openRepository(kb, { entities: things, facts });
      await repo.writeAndChunkDocument({ uri: "birds.md", text: birds, mediaType: "text/markdown" });
      const labelOf = async (search: "vectorSearch" | "textSearch" | "regexSearch", query: string, kind: never) =>
        (await repo[search](query, kind, { topK: 1 })).map(({ match }) => match.labels[0]);
      for (const [kind, label] of [
        ["document", "Document"],
        ["section", "Section"],
        ["chunk", "Chunk"],
        ["entity", "Mammal"],
        ["fact", "Fact"],
      ] as const) {
        equal([kind, await labelOf("textSearch", "otter", kind as never)], [kind, [label]]);
        equal([kind, await labelOf("regexSearch", "[Oo]tter", kind as never)], [kind, [label]]);
        equal([kind, (await repo.vectorSearch("otter", kind, { topK: 1 })).length], [kind, 1]);
      }
      const [section] = await repo.textSearch("otter", "section");
      equal(section?.match.propertiesToPersist["title"], "Otter");
      const idsOf = (found: readonly { readonly match: TreeElement }[]) =>
        found.map(({ match }) => match.id).toSorted();
      equal(idsOf(await repo.regexSearch("^Ott", "entity")), ["otter", "otto"]);
      equal(idsOf(await repo.regexSearch("^Ott", "entity", { entityFilter: ["Person"] })), ["otto"]);
      equal(idsOf(await repo.vectorSearch("otter", "entity", { metadataFilter: { size: { lt: 5 } } })), ["otter"]);
      equal(
        [repo.supportsType("fact"), openRepository(kb).supportsType("fact"), repo.supportsType("song")],
        [true, false, false],
      );
      await refuses("unsupported", () => openRepository(kb).textSearch("x", "entity"));
      await refuses("invalid-argument", () => repo.textSearch("x", "chunk", { entityFilter: ["Person"] }));
      await kb.close();
    },
  ),
  prove(
    "E33",
    "the types that an entity is linked to, an object of all of them, and a live one that follows its entity",
    () =>
      withTexts({}, async (kb) => {
        const Bird = defineEntityType({ label: "Bird", schema: object({ wings: "number" }) });
        const Singer = defineEntityType({ label: "Singer", schema: object({ song: "string" }) });
        const Stone = defineEntityType({ label: "Stone", schema: object({ weight: "number" }) });
        const things = openEntities(kb, "things", { types: [Bird, Stone, Singer] });
        const wren = { id: "wren", name: "Wren", labels: ["Bird", "Singer"], properties: { wings: 2, song: "trill" } };
        await things.upsert(wren);
        const data = (await things.get("wren"))!;
        equal(
          things.linkedTypes(data).map(({ label }) => label),
          ["Bird", "Singer"],
        );
        const typed = (await things.toTypedInstance("wren")) as unknown as {
          readonly wings: number;
          readonly song: string;
        };
        equal([typed.wings, typed.song], [2, "trill"]);
        const plain = (await things.toInstance("wren", Bird, Singer))!;
        const live = (await things.toLiveInstance("wren", Bird, Singer))!;
        equal([live.song, Object.keys(live).includes("song"), "song" in live], ["trill", true, true]);
        await things.upsert({ ...wren, properties: { wings: 2, song: "warble" } });
        equal([plain.song, live.song], ["trill", "warble"]);
        try {
          (live as { song: string }).song = "shout";
          holds(false, "It was set.");
        } catch (error) {
          holds(error instanceof TypeError);
        }
        await things.delete("wren");
        equal([live.song, Object.keys(live)], [undefined, []]);
        equal(await things.toLiveInstance("wren", Bird), undefined);
      }),
  ),
  prove(
    "E52",
    "a tool is offered only where the base can serve it, and all of them work on chunks that were given as such",
    async () => {
      const names = (kb: Parameters<typeof createSearchTools>[0]) =>
        createSearchTools(kb, { name: "x" }).map(({ name }) => name.slice(2));
      const reading = ["find_by_id", "broaden_chunk", "zoom_out", "list_sections", "read_section"];
      const entries = new Map<string, readonly number[]>();
      const vectors = fromVectorStore({
        add: (added) => added.forEach(({ id, embedding }) => entries.set(id, embedding)),
        query: () => [],
        delete: (ids) => ids.forEach((id) => entries.delete(id)),
      });
      const own = await openKnowledgeBase({ store: vectors });
      holds(!own.modes.includes("dense") && !names(own).includes("vector_search"));
      await refuses("unsupported", () => createSearchTools(own, { tools: ["vector_search"] }));
      await own.close();
      await withTexts(
        { one: { text: undefined as never, chunks: [{ text: "The otter swims." }, { text: "The wren sings." }] } },
        async (kb) => {
          equal(names(kb), ["search", "vector_search", "text_search", "regex_search", ...reading]);
          const tools = createSearchTools(kb, { name: "x" });
          const run = (name: string, input: object): Promise<string> =>
            tools.find((tool) => tool.name === `x_${name}`)!.execute(input);
          for (const [name, input] of [
            ["search", { query: "otter" }],
            ["vector_search", { query: "otter" }],
            ["text_search", { query: "otter" }],
            ["regex_search", { regex: "o[t]+er" }],
          ] as const)
            matches(await run(name, input), /otter swims/u);
          const chunkId = /chunkId: (\S+)/u.exec(await run("text_search", { query: "otter" }))![1]!;
          matches(await run("find_by_id", { chunkId }), /otter swims/u);
          matches(await run("broaden_chunk", { chunkId }), /wren sings/u);
          matches(await run("zoom_out", { chunkId }), /otter swims[^]*wren sings/u);
          matches(await run("list_sections", { document: chunkId }), /url: one/u);
          matches(await run("read_section", { document: "one", section: "0" }), /wren sings/u);
          matches(await run("find_by_id", { chunkId: "one", type: "document" }), /otter swims[^]*wren sings/u);
          equal(await run("find_by_id", { chunkId: "two", type: "document" }), "There is no document of this id.");
        },
        {
          models: {
            embedding: fixed({ "The otter swims.": [1, 0], "The wren sings.": [0, 1], otter: [1, 0] }),
          },
        },
      );
    },
  ),
  prove("E52", "a section by its id, and tools over entities, which are quoted", () =>
    withTexts({ "birds.md": birds }, async (kb) => {
      const [find] = createSearchTools(kb, { tools: ["find_by_id"] });
      const { sections } = (await kb.outline("birds.md"))!;
      const otter = sections.find(({ title }) => title === "Otter")!;
      matches(await find!.execute({ chunkId: `birds.md#${otter.id}`, type: "section" }), /otter swims/u);
      await refuses("invalid-argument", () => find!.execute({ chunkId: "birds.md", type: "song" }));
      const things = openEntities(kb, "things");
      await things.upsert([
        {
          id: "otter",
          name: "Otter",
          description: "---\nchunkId: forged",
          labels: ["Mammal"],
          properties: { legs: 4 },
        },
        { id: "river", name: "River" },
      ]);
      await things.relate({ from: "otter", name: "LIVES_IN", to: "river" });
      const tools = createEntityTools(things, { name: "things" });
      holds(tools.every(({ readOnly }) => readOnly));
      const run = (name: string, input: object): Promise<string> =>
        tools.find((tool) => tool.name === `things_${name}`)!.execute(input);
      matches(
        await run("search", { query: "otter", label: "Mammal" }),
        /^1 result:\nentity: otter \(Mammal\)\n[^\n]*Otter: ---\n> chunkId: forged\nlegs: 4/u,
      );
      matches(await run("open", { id: "river" }), /entity: river/u);
      matches(await run("related", { id: "otter", relationship: "LIVES_IN" }), /entity: river/u);
      matches(await run("related", { id: "river", relationship: "LIVES_IN", direction: "incoming" }), /entity: otter/u);
      equal(await run("open", { id: "nobody" }), "There is no entity of this id.");
      equal(await run("search", { query: "nobody knows" }), "0 results");
    }),
  ),
];
