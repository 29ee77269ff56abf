import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildSite, openSite } from "ibid/site";
import { callIbid } from "../../cli/run-ibid.ts";

/** A folder with these files, which goes when the test has finished. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "ibid-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>${title} | Site</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;

const pages = {
  "index.html": page("Welcome", "<p>This site is about tea.</p>"),
  "keys/index.html": page("Keys", '<h2 id="turn">Rotation</h2><p>Signing keys are rotated every ninety days.</p>'),
  "keys.md": "# Keys\n\nThe same page as Markdown: signing keys are rotated every ninety days.",
  "backup.html": page("Backups", "<p>A backup runs each night at two.</p>"),
  "notes.md": "# Notes\n\n## Tea & milk\n\nMilk goes in first.",
  "404.html": page("Not found", "<p>Signing keys are not here.</p>"),
};

const read = (folder: string) => async (name: string) => {
  try {
    return new Uint8Array(readFileSync(join(folder, name)));
  } catch {
    return undefined;
  }
};

describe("the index of a site", () => {
  it("answers in the words of a page, by its address, with the ids of its headings", async () => {
    const folder = folderOf(pages);
    const built = await buildSite(folder);
    expect(built).toMatchObject({ out: join(folder, "ibid"), pages: 4 });
    const site = await openSite({ read: read(built.out) });
    const [hit] = await site.search("how often are signing keys rotated?");
    expect(hit?.source).toMatchObject({ uri: "keys/", title: "Keys" });
    expect(JSON.parse(hit?.metadata["anchors"] as string)).toEqual({ Rotation: "turn" });
    const answer = await site.ask("how often are signing keys rotated?");
    expect(answer.citations[0]?.quote).toBe("Signing keys are rotated every ninety days.");
    expect((await site.search("the site about tea")).map(({ source }) => source.uri)).toContain("./");
    const [notes] = await site.search("milk first");
    expect(notes?.source.uri).toBe("notes.md");
    expect(JSON.parse(notes?.metadata["anchors"] as string)).toMatchObject({ "Tea & milk": "tea--milk" });
  });

  it("refuses a question that no page answers", async () => {
    const site = await openSite({ read: read((await buildSite(folderOf(pages))).out) });
    expect((await site.ask("zebra telescopes")).citations).toEqual([]);
  });

  it("gives Markdown alone the ending that its pages have", async () => {
    const folder = folderOf({
      "guides/install.md": "# Install\n\nRun npm install.",
      "README.md": "# Start\n\nBegin here.",
    });
    const site = await openSite({ read: read((await buildSite(folder, { suffix: "/" })).out) });
    expect((await site.search("npm install"))[0]?.source.uri).toBe("guides/install/");
  });

  it("lowers the scores of pages by the longest beginning of their address", async () => {
    const folder = folderOf({
      "a/one.html": page("Rotation", "<p>Rotate keys with care.</p>"),
      "a/b/two.html": page("Rotation", "<p>Rotate keys with great care.</p>"),
      "c.html": page("Tea", "<p>Rotate keys, or drink tea with much care and some biscuits.</p>"),
    });
    const order = async (weights: Record<string, number>): Promise<readonly string[]> => {
      const site = await openSite({ read: read((await buildSite(folder, { weights })).out) });
      return (await site.search("rotate keys rotation")).map(({ source }) => source.uri);
    };
    expect((await order({ "a/": 0.01, "a/b/": 1 }))[0]).toBe("a/b/two.html");
    expect((await order({ "a/": 0.01 }))[0]).toBe("c.html");
  });

  it("deletes the files of an earlier index, and no others", async () => {
    const folder = folderOf({ ...pages, "ibid/mine.txt": "mine" });
    await buildSite(folder);
    const before = readdirSync(join(folder, "ibid"));
    writeFileSync(join(folder, "backup.html"), page("Backups", "<p>A backup runs each morning at seven.</p>"));
    await buildSite(folder);
    const after = readdirSync(join(folder, "ibid"));
    expect(after).toContain("mine.txt");
    expect(after.filter((name) => !before.includes(name)).length).toBeGreaterThan(0);
    expect(after.length).toBe(before.length);
  });

  it("names a folder that is not there, or has no page", async () => {
    await expect(buildSite(join(folderOf({}), "gone"))).rejects.toMatchObject({ code: "not-found" });
    await expect(buildSite(folderOf({ "a.txt": "text" }))).rejects.toMatchObject({ code: "empty" });
  });
});

describe("ibid site build", () => {
  it("writes the index and prints the two lines that a page needs", async () => {
    const folder = folderOf(pages);
    const { code, stdout } = await callIbid(folder, ["site", "build", ".", "--weight", "notes=0.5"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Indexed 4 pages: \d+ files, [\d.]+ kB in .*ibid\.$/mu);
    expect(stdout).toContain('<script type="module" src="/ibid/ibid-search.js"></script>');
    expect(readdirSync(join(folder, "ibid"))).toEqual(
      expect.arrayContaining(["ibid-engine.js", "ibid-search.js", "manifest.ibid"]),
    );
  });

  it.each(["api/", "=0.5", "api/=2", "api/=no"])("refuses the weight %s", async (weight) => {
    const { code, stderr } = await callIbid(folderOf(pages), ["site", "build", ".", "--weight", weight]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--weight is "${weight}"`);
  });
});
