import fc from "fast-check";
import { type KnowledgeBase, openKnowledgeBase, type SearchOptions } from "ibid";
import { composeStore } from "ibid/stores";
import { createFixedEmbeddingModel } from "ibid/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryParts } from "../../src/stores/memory/memory-store.ts";
import { document } from "../stores/build.ts";
import { fewer } from "../support/runs.ts";

const words = ["lantern", "harbour", "oven", "comet", "violin", "anchor"] as const;
const folders = ["docs/", "docs/south/", "docs/south/deep/", "docs-old/", "https://example.org/docs/"] as const;

const anyWorld = fc.record({
  documents: fc.array(
    fc.record({
      folder: fc.nat(folders.length - 1),
      scope: fc.constantFrom("deployment" as const, "team:north" as const),
      chunks: fc.array(fc.array(fc.nat(words.length - 1), { minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    { minLength: 1, maxLength: 14 },
  ),
  under: fc.uniqueArray(fc.constantFrom(...folders, "docs", "docs/south/0", "none/", ""), { maxLength: 2 }),
  named: fc.uniqueArray(fc.nat(15), { maxLength: 6 }),
  query: fc.tuple(fc.nat(words.length - 1), fc.nat(words.length - 1)),
});

const vectorOf = (text: string): number[] => {
  const sums = [1, 1, 1];
  for (const [i, char] of Array.from(text).entries()) sums[i % 3]! += char.charCodeAt(0) % 17;
  return sums;
};

/** The four legs as they are, and legs that leave the prefixes to the core. */
const stores = {
  knowing: () => composeStore(createMemoryParts({})),
  unknowing() {
    const parts = createMemoryParts({});
    const legs = parts.legs.map((leg) => ({
      ...leg,
      capabilities: { ...leg.capabilities, under: undefined },
      search: ((query, k, { restriction, ...within }) =>
        leg.search(query, k, {
          ...within,
          restriction: restriction && { ...restriction, key: `${restriction.key} alone`, under: undefined },
        })) as typeof leg.search,
    }));
    return composeStore({ ...parts, legs });
  },
} as const;

describe("a search below a prefix of uris", () => {
  it.each(["knowing", "unknowing"] as const)(
    "is the search by metadata that say the same, in every mode: %s legs",
    async (kind) => {
      let [narrowed, chosen] = [0, 0];
      await fc.assert(
        fc.asyncProperty(anyWorld, async ({ documents, under, named, query }) => {
          const embedding = createFixedEmbeddingModel({}, { dimensions: 3, otherwise: vectorOf });
          const kb = await openKnowledgeBase({ store: stores[kind](), models: { embedding } });
          // Prefixes of uris, and a uri that no document has, name nothing.
          const uris: string[] = ["docs/", "docs", "none.md"];
          for (const [i, { folder, scope, chunks }] of documents.entries()) {
            const uri = `${folders[folder]}${i}.md`;
            const isBelow = under.some((prefix) => uri.startsWith(prefix));
            const isNamed = named.includes(i);
            if (isNamed) uris.push(uri);
            const texts = chunks.map((each) => ({ text: each.map((word) => words[word]).join(" ") }));
            await kb.ingest({ uri, title: uri, metadata: { isBelow, isNamed }, chunks: texts }, { scope });
          }
          const question = query.map((word) => words[word]).join(" ");
          const modes: readonly SearchOptions[] = [
            { mode: "lexical", topK: "all" },
            { mode: "dense", topK: 2 },
            { topK: 3 },
            { topK: "all", pattern: words[query[0]]!.slice(0, 4) },
            { mode: "regex", topK: 1 },
          ];
          for (const options of modes) {
            for (const view of [kb, kb.as({ userId: "eve", teamId: "south" })]) {
              const asked = options.mode === "regex" ? words[query[0]]! : question;
              const found = await view.search(asked, { ...options, under });
              expect(found).toEqual(await view.search(asked, { ...options, filter: { isBelow: true } }));
              narrowed += found.length;
              const whole = await view.search(asked, { ...options, uris });
              expect(whole).toEqual(await view.search(asked, { ...options, filter: { isNamed: true } }));
              chosen += whole.length;
              expect(await view.search(asked, { ...options, under, uris })).toEqual(
                await view.search(asked, { ...options, filter: { isBelow: true, isNamed: true } }),
              );
            }
          }
          for (const view of [kb, kb.as({ userId: "eve", teamId: "south" })]) {
            const filter = { isBelow: true };
            const near = { topK: 3, minScore: 0.1 };
            const vector = vectorOf(question);
            expect(await view.searchVector(vector, { ...near, under })).toEqual(
              await view.searchVector(vector, { ...near, filter }),
            );
            const listed = await view.find({ under });
            expect(listed).toEqual(await view.find({ filter }));
            narrowed += listed.length;
          }
          const all = await kb.search(question, { mode: "lexical", topK: "all", copies: "all" });
          const below = await kb.search(question, { mode: "lexical", topK: "all", copies: "all", under });
          const byHand = all.filter(({ source }) => under.some((prefix) => source.uri.startsWith(prefix)));
          expect(below.map(({ chunkId, score }) => [chunkId, score])).toEqual(
            byHand.map(({ chunkId, score }) => [chunkId, score]),
          );
          await kb.close();
        }),
        { numRuns: fewer(15, 500) },
      );
      expect(Math.min(narrowed, chosen)).toBeGreaterThan(0);
    },
    300_000,
  );

  const titles = async (kb: KnowledgeBase, options: SearchOptions): Promise<readonly string[]> =>
    (await kb.search("crane", options)).map(({ source }) => source.uri.split("/").slice(-2).join("/")).toSorted();

  it("follows documents that come, move and go, in memory and in a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-under-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const place of [undefined, join(folder, "kb")]) {
      const kb = await openKnowledgeBase(place, { models: { embedding: null }, history: true });
      onTestFinished(() => kb.close());
      // A document with an id of its own stays the same under another uri.
      const write = (uri: string) => kb.ingest(document("crane", "The crane lifts nine tonnes.", { uri }));
      await kb.ingest({ uri: "north/quay.md", text: "The crane lifts twelve tonnes." });
      await write("south/pier.md");
      expect(await titles(kb, { under: "south/" })).toEqual(["south/pier.md"]);
      const then = new Date(Date.now() + 1).toISOString();
      await new Promise((resolve) => setTimeout(resolve, 5));
      await write("north/pier.md");
      expect([await titles(kb, { under: "south/" }), await titles(kb, { under: "north/" })]).toEqual([
        [],
        ["north/pier.md", "north/quay.md"],
      ]);
      expect(await titles(kb, { under: "south/", asOf: then })).toEqual(["south/pier.md"]);
      await kb.delete("north/quay.md");
      expect(await titles(kb, { under: ["north/", "south/"] })).toEqual(["north/pier.md"]);
      await kb.ingest({ uri: "north/pier.md.bak", text: "The crane lifts nine tonnes, or ten." });
      expect(await titles(kb, { uris: ["north/pier.md"] })).toEqual(["north/pier.md"]);
      expect(await titles(kb, { uris: [] })).toEqual([]);
      await kb.delete("north/pier.md.bak");
      const answer = await kb.ask("How much does the crane lift?", { under: "north/" });
      expect(answer.citations.map(({ uri }) => uri)).toEqual(["north/pier.md"]);
      expect((await kb.ask("How much does the crane lift?", { under: "south/" })).kind).toBe("refused");
      const wrong = { under: 3 as unknown as string };
      for (const call of [kb.search("crane", wrong), kb.find(wrong), kb.searchVector([1, 2], wrong)])
        await expect(call).rejects.toThrow(/under is 3/u);
    }
  });

  it("takes the path of a folder as a person writes it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-under-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const kb = await openKnowledgeBase(join(folder, "kb"));
    onTestFinished(() => kb.close());
    await kb.ingest({ uri: join(process.cwd(), "quays/south.md"), text: "The crane lifts nine tonnes." });
    await kb.ingest({ uri: join(process.cwd(), "quays-old/south.md"), text: "The crane lifts one tonne." });
    expect(await titles(kb, { under: "quays/" })).toEqual(["quays/south.md"]);
    expect(await titles(kb, { under: "quays" })).toEqual(["quays-old/south.md", "quays/south.md"]);
    expect((await kb.find({ under: "quays/" })).map(({ chunk }) => chunk.text)).toEqual([
      "The crane lifts nine tonnes.",
    ]);
  });
});
