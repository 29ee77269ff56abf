import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPages, readPages } from "../../src/cli/docs.ts";
import { callIbid, makeFolder } from "../cli/run-ibid.ts";

const questions = readFileSync(join(import.meta.dirname, "../../site/search/questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly question: string; readonly pages: Readonly<Record<string, number>> });

describe("the search of ibid docs", () => {
  it("shows a page that answers among its five, for most questions of readers", async () => {
    const pages = await readPages();
    const search = await openPages(pages);
    let asked = 0;
    let first = 0;
    let among = 0;
    for (const { question, pages: grades } of questions) {
      // The package leaves out generated reference, decisions and benchmarks, and shows the README by itself.
      const wanted = pages.filter(({ name }) => grades[`${name}/`] === 2).map(({ name }) => `${name}.md`);
      if (wanted.length === 0) continue;
      const found = (await search(question, {})).map(({ source }) => source.uri);
      expect(new Set(found).size).toBe(found.length);
      asked += 1;
      if (wanted.includes(found[0] ?? "")) first += 1;
      if (found.some((uri) => wanted.includes(uri))) among += 1;
    }
    expect(asked).toBeGreaterThan(110);
    expect(among / asked).toBeGreaterThan(0.95);
    expect(first / asked).toBeGreaterThan(0.75);
  });

  it("finds the page on keys before the samples that speak of keys", async () => {
    for (const question of ["how do I rotate a key", "rotate a key"]) {
      const { stdout } = await callIbid(await makeFolder({}), ["docs", question, "--json"]);
      const { hits } = JSON.parse(stdout) as { hits: readonly { rank: number; source: { uri: string } }[] };
      expect(hits[0]?.source.uri).toBe("guides/keys-and-login.md");
      expect(hits.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    }
  });

  it("offers the nearest words of headings where nothing is found", async () => {
    const ask = async (words: string): Promise<string> => {
      const { stdout } = await callIbid(await makeFolder({}), ["docs", words]);
      return stdout.trim().split("\n").at(-1) ?? "";
    };
    expect(await ask("kyes")).toBe("Did you mean: ibid docs keys");
    expect(await ask("installl postgras")).toBe("Did you mean: ibid docs install postgres");
    expect(await ask("xqzzv")).toBe("Use other words, or list the pages: ibid docs");
  });

  it("finds names that stand in samples alone", async () => {
    const { stdout } = await callIbid(await makeFolder({}), ["docs", "pageContent", "--json"]);
    const { hits } = JSON.parse(stdout) as { hits: readonly { source: { uri: string } }[] };
    expect(hits[0]?.source.uri).toBe("migrate/langchain-js.md");
  });
});
