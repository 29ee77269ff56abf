import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { describeElement } from "ibid/readers";
import { openEntities, openFacts } from "ibid/records";
import { createSearchTools, describeForModel } from "ibid/tools";
import { all, equal, holds, matches, plain, refuses, withTexts } from "../kit.ts";
import { fixed } from "../fixed.ts";
import { prove } from "../prove.ts";

const birds = "# Birds\n\nOn birds.\n\n## Heron\n\nThe heron waits.\n\n## Otter\n\nThe otter is no bird.\n";

export const waysIn = [
  prove("E15", "files beyond the size are skipped with a count, on request", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-oversized-"));
    writeFileSync(join(folder, "a.md"), "# A\n\nAlpha.");
    writeFileSync(join(folder, "large.txt"), "word ".repeat(999));
    const kb = await openKnowledgeBase();
    const told: string[] = [];
    const { added, failed, skipped } = await kb.ingest(folder, {
      folders: { maxFileBytes: 1000, oversized: "skip" },
      onSkip: (uri, kind) => void told.push(`${uri.split("/").at(-1)} ${kind}`),
    });
    equal([added, failed, skipped, told], [1, 0, 1, ["large.txt oversized"]]);
    equal((await kb.ingest(folder, { folders: { maxFileBytes: 1000 } })).failed, 1);
    await kb.close();
    rmSync(folder, { recursive: true });
  }),
  prove(
    "E21",
    "it says what it holds: documents, all elements, by filter too, with vectors or without, kept or not",
    () =>
      withTexts(
        {},
        async (kb) => {
          await kb.ingest({ uri: "birds.md", text: birds, mediaType: "text/markdown", metadata: { kind: "birds" } });
          await kb.ingest({ uri: "a", text: "One." });
          const { chunks } = await kb.status();
          const all = await kb.info();
          equal(all, {
            documentCount: 2,
            sectionCount: 3,
            chunkCount: chunks,
            contentElementCount: 2 + 3 + chunks,
            hasEmbeddings: true,
            isPersistent: false,
          });
          equal((await kb.info({ filter: { kind: "birds" } })).documentCount, 1);
          equal((await kb.info({ filter: { kind: "fish" } })).contentElementCount, 0);
          const folder = mkdtempSync(join(tmpdir(), "ibid-info-"));
          const kept = await openKnowledgeBase(folder);
          await kept.ready();
          equal((await kept.info()).isPersistent, true);
          equal((await kept.info()).hasEmbeddings, false);
          await kept.close();
          rmSync(folder, { recursive: true });
        },
        { models: { embedding: createHashingModel() } },
      ),
  ),
  prove("E25", "a tool explains the full-text syntax, and scores lie from 0 to 1 on request", () =>
    withTexts({ a: "red kite red kite", b: "red wagon", c: "blue kites fly" }, async (kb) => {
      const [tool] = createSearchTools(kb, { tools: ["text_search"], syntax: "lucene" });
      matches(
        tool!.description,
        /\+word must be there, -word must not, "two words" stand together, word\* begins so, word~/u,
      );
      matches(await tool!.execute({ query: "+red -wagon" }), /^1 result:\n.*\n.*red kite red kite/u);
      const [plain] = createSearchTools(kb, { tools: ["text_search"] });
      holds(!plain!.description.includes("+word"));
      const own = await kb.search("red kite", { mode: "lexical" });
      const unit = await kb.search("red kite", { mode: "lexical", scores: "unit" });
      equal(
        unit.map(({ chunkId, score }) => [chunkId, score]),
        own.map(({ chunkId, score }) => [chunkId, score / (score + 3)]),
      );
      for (const mode of ["hybrid", "regex"] as const)
        for (const { score } of await kb.search("red", { mode, scores: "unit" })) holds(score >= 0 && score <= 1);
    }),
  ),
  prove(
    "E54",
    "the header counts what fits, nothing found is said in words of one's own, deletions count sections",
    () =>
      withTexts({ one: "Keys are red.", two: "Keys are blue, and long." }, async (kb) => {
        const [none] = createSearchTools(kb, { tools: ["search"], maxTokens: 1, counts: "shown" });
        matches(await none!.execute({ query: "keys" }), /^0 results/u);
        const [silent] = createSearchTools(kb, { tools: ["text_search"], nothing: "No results found." });
        equal(await silent!.execute({ query: "quarterly" }), "No results found.");
        await kb.ingest({ uri: "birds.md", text: birds, mediaType: "text/markdown" });
        const [deleted] = await kb.delete("birds.md", { elements: true });
        equal(deleted?.elements, 1 + 3 + deleted!.chunks);
      }),
  ),
  prove("E8", "facts are kept, found, cited and deleted as a kind of their own", () =>
    withTexts({ "birds.md": birds }, async (kb) => {
      const facts = openFacts(kb);
      const { keys } = await facts.assert([
        { assertion: "The otter sleeps by day.", authority: "Field guide", uri: "https://example.com/otters" },
        { assertion: "The heron eats eels.", authority: "Ada", metadata: { year: 2024 } },
      ]);
      equal(keys.length, 2);
      const [found] = await facts.search("what does the heron eat?");
      equal([found?.fact.authority, found?.fact.metadata["year"]], ["Ada", 2024]);
      const { uri, start, end } = found!.hit.source;
      equal((await kb.document(uri))?.text.slice(start, end), "The heron eats eels.");
      equal(
        (await facts.search("sleeps", { authority: "Field guide", mode: "lexical" })).map(({ fact }) => fact.uri),
        ["https://example.com/otters"],
      );
      equal(await facts.search("sleeps", { authority: "Nobody" }), []);
      await refuses("invalid-argument", () => facts.assert({ assertion: " ", authority: "Ada" }));
      equal((await all(facts.list())).length, 2);
      equal(await facts.delete(keys[0]!), 1);
      equal(await facts.get(keys[0]!), undefined);
    }),
  ),
  prove("E9", "a fact is searched and described by its assertion", () =>
    withTexts(
      {},
      async (kb) => {
        const fact = { id: "f", assertion: "Eels migrate.", authority: "Ada", metadata: {} };
        const facts = openFacts(kb);
        await facts.assert(fact);
        equal((await facts.search("eels migrate", { mode: "dense" }))[0]?.hit.text, "Eels migrate.");
        const element = describeElement(plain("a", "A."), fact);
        equal([element.embeddableValue, element.labels[0]], ["Eels migrate.", "Fact"]);
        equal(element.propertiesToPersist, { id: "f", assertion: "Eels migrate.", authority: "Ada" });
        equal(describeForModel(fact), "fact: f\nEels migrate.\nauthority: Ada");
      },
      { models: { embedding: createHashingModel() } },
    ),
  ),
  prove(
    "E9",
    "by option, a model is given a chunk's text, an entity's name and description, a fact's assertion",
    () => {
      const given: string[] = [];
      const model = {
        ...fixed({ x: [1, 0] }),
        embed: async (inputs: readonly unknown[]) => {
          for (const input of inputs) given.push(typeof input === "string" ? input : (input as { text: string }).text);
          return { embeddings: inputs.map(() => [1, 0]) };
        },
      };
      return withTexts(
        { "birds.txt": "The heron waits." },
        async (kb) => {
          await openEntities(kb, "things").upsert({
            id: "inn",
            name: "The Inn",
            description: "By the sea.",
            properties: { embedding: [1, 2], id: 7 },
          });
          await openFacts(kb).assert({ id: "f", assertion: "Eels migrate.", authority: "Ada" });
          equal(given, ["The heron waits.", "The Inn: By the sea.", "Eels migrate."]);
        },
        { models: { embedding: model, embedNames: false } },
      );
    },
  ),
];
