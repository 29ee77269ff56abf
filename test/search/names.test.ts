import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hit } from "../../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { wordsAlone } from "../../src/engine/bm25/bm25-settings.ts";

const companies = ["Larch Foods", "Quarry Steel", "Harbour Freight", "Meadow Pharma", "Tundra Mining"];
const years = [2018, 2019, 2020, 2021];
/** Every report says the same of itself but for a number: only its name tells it from the others. */
const pages = ["Revenue", "Capital expenditure", "Inventory", "Dividends"];

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ibid-reports-"));
  for (const [c, company] of companies.entries()) {
    const home = join(folder, company.split(" ")[0]!.toLowerCase());
    await mkdir(home);
    for (const year of years) {
      const text = pages.map(
        (page, i) => `## Page ${i + 1}\n\n${page} of the group was ${c * 100 + i + (year % 7)} million.`,
      );
      await writeFile(
        join(home, `${company.replace(" ", "_")}_${year}_10K.md`),
        `# Annual report\n\n${text.join("\n\n")}\n`,
      );
    }
  }
  await writeFile(join(folder, "database-guide.md"), "# Guide\n\nRows are kept in order.\n");
});
afterAll(() => rm(folder, { recursive: true }));

async function open(path: string | undefined, named: boolean) {
  const base = await openKnowledgeBase(path, { search: { bm25: named ? {} : wordsAlone } });
  await base.ingest(folder);
  return base;
}

const questions = companies.flatMap((company) =>
  years.map((year) => ({
    question: `Which capital expenditure did ${company} report in FY${year}?`,
    file: `${company.replace(" ", "_")}_${year}_10K.md`,
  })),
);
const isOf = (file: string) => (hit: Hit) => hit.source.uri.endsWith(file);

describe("names of documents in a search", () => {
  it("find the report of a company and a year, which its pages do not say, at its page", async () => {
    const [plain, named] = [await open(undefined, false), await open(undefined, true)];
    let [before, first] = [0, 0];
    for (const { question, file } of questions) {
      if ((await plain.search(question, { mode: "lexical", topK: 5 })).some(isOf(file))) before++;
      const [hit] = await named.search(question, { mode: "lexical", topK: 5 });
      if (hit !== undefined && isOf(file)(hit) && hit.text.includes("Capital")) first++;
    }
    expect(first).toBe(questions.length);
    expect(before).toBeLessThan(questions.length / 2);
    await plain.close();
    await named.close();
  });

  it("are no evidence, and explained, and the same from memory and from a file [L5 L11]", async () => {
    const file = await mkdtemp(join(tmpdir(), "ibid-names-"));
    const [memory, disk] = [await open(undefined, true), await open(file, true)];
    const options = { mode: "lexical", topK: "all", explain: true } as const;
    const question = "Tundra Mining FY21";
    const hits = await memory.search(question, options);
    expect(hits.length).toBeGreaterThan(years.length);
    expect(hits[0]?.source.uri).toMatch(/Tundra_Mining_2021/u);
    for (const { explain, score, evidence } of hits) {
      expect(explain?.strength).toBe(0);
      expect(evidence).toBe(false);
      const { lexical = 0, name, document = 0, heading, legs, fields } = explain ?? {};
      expect(lexical + (name?.value ?? 0) + document + (heading?.value ?? 0)).toBe(legs?.lexical?.score);
      // Only the file says it: its share is all of the words' score.
      expect(fields).toEqual({ text: 0, names: 0, file: expect.closeTo(lexical, 12) as number });
      expect(score).toBeGreaterThan(0);
    }
    expect(hits[0]?.explain?.name?.by).toBe("file");
    expect(hits[0]?.explain?.queryTerms?.find(({ term }) => term === "2021")?.added).toBe("year");
    const shown = (some: readonly Hit[]) =>
      some.map(({ source, score, explain }) => [source.uri.split("/").at(-1), source.start, score, explain]);
    expect(shown(await disk.search(question, options))).toEqual(shown(hits));
    await memory.close();
    await disk.close();
    await rm(file, { recursive: true });
  });

  it("add no year that only a deleted document has [L3]", async () => {
    const kb = await openKnowledgeBase();
    await kb.ingest([
      { uri: "a.md", text: "The oven stands in the kitchen." },
      { uri: "b.md", text: "The lantern of 2021 hangs in the hall." },
    ]);
    const added = async () => {
      const [hit] = await kb.search("oven FY2021", { mode: "lexical", explain: true });
      return hit?.explain?.queryTerms?.flatMap((one) => (one.added === undefined ? [] : [one.term]));
    };
    expect(await added()).toEqual(["2021"]);
    await kb.delete("b.md");
    expect(await added()).toEqual([]);
    await kb.close();
  });

  it("are shown with the folder that was ingested and the path below it, of documents and hits", async () => {
    const base = await open(undefined, true);
    const places = new Map<string, string>();
    for await (const { uri, rootLabel, path } of base.list()) places.set(uri, `${rootLabel} ${path}`);
    const rootLabel = basename(folder);
    expect([...places.values()]).toContain(`${rootLabel} larch/Larch_Foods_2018_10K.md`);
    const hits = await base.search("Larch Foods", { topK: 3 });
    for (const { source } of hits) expect(`${source.rootLabel} ${source.path}`).toBe(places.get(source.uri));
    expect(hits).toHaveLength(3);
    await base.close();
  });

  it("are those of the parts, where hits that touch are one", async () => {
    const own = await mkdtemp(join(tmpdir(), "ibid-herons-"));
    const text = Array.from({ length: 80 }, (_, at) => `The heron of pond ${at} waits for frogs.`).join(" ");
    await writeFile(join(own, "herons.md"), `# Herons\n\n${text}\n`);
    const kb = await openKnowledgeBase();
    await kb.ingest(own);
    const hits = await kb.search("heron frogs", { merge: true });
    expect(hits.some(({ parts }) => parts !== undefined)).toBe(true);
    for (const { source } of hits) expect([source.rootLabel, source.path]).toEqual([basename(own), "herons.md"]);
    await kb.close();
    await rm(own, { recursive: true });
  });

  it("join neighbouring words where a file is called so, and nowhere else", async () => {
    const base = await open(undefined, true);
    const [hit, ...others] = await base.search("data base", { mode: "lexical", explain: true });
    expect(hit?.source.uri).toMatch(/database-guide/u);
    expect(others).toEqual([]);
    const [page] = await base.search("divi dends guide", { mode: "lexical", explain: true });
    expect(page?.explain?.queryTerms?.map(({ added }) => added)).toEqual([undefined, undefined, undefined]);
    await base.close();
  });
});
