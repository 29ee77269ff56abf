import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await makeFolder({
    "docs/report.md": "# Report\n\nNet sales rose by a third.\n",
    "list.txt": "turnover => net sales\nturnover => sales of zeppelins\nstaff, §§\n",
    "good.txt": "turnover => net sales\n",
    "bad.txt": "turnover =>\n",
  });
  await callIbid(cwd, ["ingest", "docs"]);
});
afterAll(() => rm(cwd, { recursive: true }));

describe("ibid synonyms check", () => {
  it("names each phrase that never matches, and why; exit code 1", async () => {
    const { code, stdout, stderr } = await callIbid(cwd, ["synonyms", "check", "list.txt"]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toBe(
      'list.txt:2  sales of zeppelins: no document has "zeppelin"\nlist.txt:3  §§: it has no word\n' +
        'list.txt:3  staff: no document has "staff"\n4 rules, 3 phrases never match.\n',
    );
    const json = await callIbid(cwd, ["synonyms", "check", "list.txt", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      rules: 4,
      unmatched: [
        { line: 2, phrase: "sales of zeppelins", missing: ["zeppelin"] },
        { line: 3, phrase: "§§", missing: [] },
        { line: 3, phrase: "staff", missing: ["staff"] },
      ],
    });
  });

  it("is silent about a list that matches, and refuses one that does not parse or is not there", async () => {
    const good = await callIbid(cwd, ["synonyms", "check", "good.txt"]);
    expect([good.code, good.stdout]).toEqual([0, "1 rules, each phrase is in the documents.\n"]);
    expect((await callIbid(cwd, ["synonyms", "check", "bad.txt"])).stderr).toContain("Line 1 of the synonyms");
    expect((await callIbid(cwd, ["synonyms", "check", "none.txt"])).stderr).toContain("none.txt");
  });

  it("has a search that takes a list by name, or from the folder of the knowledge base", async () => {
    const found = async (...more: string[]) => (await callIbid(cwd, ["search", "turnover", ...more])).stdout;
    expect(await found()).toBe("Nothing found.\n");
    expect(await found("--synonyms", "good.txt", "--explain")).toMatch(/Net sales rose[^]*synonyms of turnover: /);
    await writeFile(join(cwd, ".ibid/synonyms.txt"), "turnover => net sales\n");
    expect(await found()).toContain("Net sales rose");
    await rm(join(cwd, ".ibid/synonyms.txt"));
  });
});
