import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it, onTestFinished } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import { callIbid, makeFolder } from "../cli/run-ibid.ts";

const folder = new URL("../../docs/errors/", import.meta.url);
const source = readFileSync(new URL("../../src/contracts/errors.ts", import.meta.url), "utf8");
const codes = [...source.slice(0, source.indexOf(";")).matchAll(/\| "([a-z-]+)"/gu)].map(([, code = ""]) => code);

describe("the pages of errors", () => {
  it("are one for each code", () => {
    expect(codes.length).toBeGreaterThan(30);
    expect(readdirSync(folder).toSorted()).toEqual(codes.map((code) => `${code}.md`).toSorted());
  });

  it.each(codes)("say what %s is and what to do", (code) => {
    const page = readFileSync(new URL(`${code}.md`, folder), "utf8");
    expect(page.startsWith(`# ${code}\n\n`)).toBe(true);
    expect(page).toMatch(/\n## Next action\n\n\S.{20,}/u);
    // An example shows the code that it is about; that it prints it, the tests of all examples and samples see.
    expect(page).toContain("\n## Example\n");
    const inProgram = new RegExp(`console\\.log\\(.*\\); // ${code}\n`, "u");
    const onCommandLine = new RegExp(`\`\`\`text output\n[^\`]*${code}`, "u");
    expect(inProgram.test(page) || onCommandLine.test(page)).toBe(true);
  });
});

describe("the address of an error's page", () => {
  it("is there where the site has one, without a second slash", () => {
    const error = new IbidError("store-busy", "Busy.");
    expect(error.page).toBeUndefined();
    expect(error.toJSON()).not.toHaveProperty("page");
    onTestFinished(() => void (IbidError.pages = undefined));
    for (const base of ["https://docs.example/errors", "https://docs.example/errors/"]) {
      IbidError.pages = base;
      expect(error.page).toBe("https://docs.example/errors/store-busy/");
      expect(error.toJSON()).toMatchObject({ page: error.page });
    }
  });

  it("is named by a command, as IBID_DOCS_URL says", async () => {
    const cwd = await makeFolder({});
    const env = { IBID_DOCS_URL: "https://docs.example/ibid/" };
    const { stderr } = await callIbid(cwd, ["show", "gone.md"], env);
    expect(stderr).toMatch(/\n {2}More: https:\/\/docs\.example\/ibid\/errors\/[a-z-]+\/\n$/u);
    const json = await callIbid(cwd, ["show", "gone.md", "--json"], env);
    const { error } = JSON.parse(json.stderr) as { error: { code: string; page: string } };
    expect(error.page).toBe(`https://docs.example/ibid/errors/${error.code}/`);
    expect((await callIbid(cwd, ["show", "gone.md"])).stderr).not.toContain("More:");
  });
});

describe("ibid docs", () => {
  it("says what to do where no page has the words", async () => {
    const { stdout } = await callIbid(await makeFolder({}), ["docs", "qqzzxxyy"]);
    expect(stdout).toBe("Nothing found.\nUse other words, or list the pages: ibid docs\n");
  });

  it("lists the pages, prints one, and searches all", async () => {
    const cwd = await makeFolder({});
    const listed = await callIbid(cwd, ["docs", "--json"]);
    const { pages } = JSON.parse(listed.stdout) as { pages: readonly { name: string; title: string }[] };
    expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(["formats", "library", "errors/store-busy"]));
    expect(pages.every(({ title }) => title !== "")).toBe(true);

    const printed = await callIbid(cwd, ["docs", "store-busy"]);
    expect(printed.stdout).toBe(readFileSync(new URL("store-busy.md", folder), "utf8"));

    const searched = await callIbid(cwd, ["docs", "two", "processes", "write", "at", "once", "--json"]);
    const { hits } = JSON.parse(searched.stdout) as { hits: readonly { source: { uri: string } }[] };
    expect(hits.length).toBe(5);
    const shown = await callIbid(cwd, ["docs", "password", "of", "a", "file"]);
    expect(shown.stdout).toContain("`--password`");
    expect([listed.code, printed.code, searched.code, shown.code]).toEqual([0, 0, 0, 0]);
  });
});
