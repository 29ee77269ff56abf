import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildSite, openSite } from "ibid/site";
import { linkTo } from "../../../page/site/links.ts";
import { callIbid } from "../../cli/run-ibid.ts";

/** A folder with these files, which goes when the test has finished. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
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

  it("shows the words of a page in Markdown, without its marks", async () => {
    const folder = folderOf({
      "keys.md":
        "---\ntitle: Keys of ours\nauthor: Bram\n---\n\n# Keys\n\n## Rotation of *keys* {#turn}\n\nA **signing** key is [rotated](r.md) every ninety days with `keyctl rotate`.\n\n> Spare ones are kept &mdash; in the vault.\n",
      "table.md": "# Prices\n\n| item | price |\n|---|--:|\n| otter | 4 |\n\n- one *badger*\n  - two ~~lynxes~~\n",
      "page.mdx":
        'import { Tabs } from "./tabs";\n\n# Herons\n\n{/* a note */}\n\n<Tabs label="wait">\n\nHerons *wait* in the reeds.\n\n</Tabs>\n',
    });
    const site = await openSite({ read: read((await buildSite(folder, { suffix: ".html" })).out) });
    const [keys] = await site.search("how often is a signing key rotated?");
    expect(keys?.source).toMatchObject({ uri: "keys.html", title: "Keys of ours" });
    expect(keys?.snippet.replaceAll(/\s+/gu, " ")).toBe(
      "Keys Rotation of keys A signing key is rotated every ninety days with keyctl rotate. Spare ones are kept — in the vault.",
    );
    expect(JSON.parse(keys?.metadata["anchors"] as string)).toEqual({ Keys: "keys", "Rotation of keys": "turn" });
    expect((await site.ask("how often is a signing key rotated?")).citations[0]?.quote).toMatch(
      /^A signing key is rotated every ninety days with keyctl rotate\.$/mu,
    );
    for (const [query, words] of [
      ["otter price", /otter.*4/su],
      ["badger", /one badger\s/u],
      ["herons wait", /^Herons\s+Herons wait in the reeds\.$/u],
    ] as const)
      expect((await site.search(query))[0]?.snippet).toMatch(words);
  });

  it("gives Markdown alone the ending that its pages have", async () => {
    const folder = folderOf({
      "guides/install.md": "# Install\n\nRun npm install.",
      "README.md": "# Start\n\nBegin here.",
    });
    const site = await openSite({ read: read((await buildSite(folder, { suffix: "/" })).out) });
    expect((await site.search("npm install"))[0]?.source.uri).toBe("guides/install/");
  });

  it("shows an index and a README in Markdown as the page of their folder", async () => {
    const folder = folderOf({ "README.md": "# Start\n\nHerons.", "guides/index.md": "# Guides\n\nOtters." });
    const site = await openSite({ read: read((await buildSite(folder, { suffix: ".html" })).out) });
    expect((await site.search("herons"))[0]?.source.uri).toBe("./");
    expect((await site.search("otters"))[0]?.source.uri).toBe("guides/");
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

  it("names a folder that is not there, or has no page with a text", async () => {
    await expect(buildSite(join(folderOf({}), "gone"))).rejects.toMatchObject({ code: "not-found" });
    await expect(buildSite(folderOf({ "a.txt": "text" }))).rejects.toMatchObject({ code: "empty" });
    await expect(buildSite(folderOf({ "a.md": "", "b.html": "\n" }))).rejects.toMatchObject({ code: "empty" });
  });

  it("reads files that end like a page, and no folder of such a name, hidden one or package", async () => {
    const folder = folderOf({
      "v1.html/index.html": page("Herons", "<p>Herons wait in the reeds.</p>"),
      "blank.md": "",
      ".git/notes.md": "# Hidden\n\nHerons are hidden.",
      "node_modules/bird/README.md": "# Bird\n\nHerons of a package.",
    });
    const built = await buildSite(folder);
    expect(built.pages).toBe(1);
    const site = await openSite({ read: read(built.out) });
    expect((await site.search("herons")).map(({ source }) => source.uri)).toEqual(["v1.html/"]);
  });

  it("reads each ending of HTML and Markdown", async () => {
    const words = { htm: "otters", xhtml: "badgers", markdown: "martens", mdx: "lynxes", MD: "herons" };
    const folder = folderOf(
      Object.fromEntries(
        Object.entries(words).map(([ending, word]) => [
          `${word}.${ending}`,
          ending.includes("htm") ? page(word, `<p>The ${word} wait.</p>`) : `# ${word}\n\nThe ${word} wait.\n`,
        ]),
      ),
    );
    const site = await openSite({ read: read((await buildSite(folder, { suffix: ".html" })).out) });
    for (const [ending, word] of Object.entries(words)) {
      const [hit] = await site.search(word);
      expect(hit?.source.uri).toBe(ending.includes("htm") ? `${word}.${ending}` : `${word}.html`);
    }
  });

  it("names a page that cannot be read, and a folder that cannot be written", async () => {
    const folder = folderOf(pages);
    symlinkSync("nowhere.md", join(folder, "gone.md"));
    await expect(buildSite(folder)).rejects.toMatchObject({ code: "unreadable", uri: "gone.md" });
    rmSync(join(folder, "gone.md"));
    await expect(buildSite(folder, { out: join(folder, "backup.html") })).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining("backup.html cannot be written") as unknown,
    });
  });

  it("reads a page in the encoding that it declares, or that its words show", async () => {
    const folder = folderOf({
      "cafe.html": Buffer.from('<meta charset="iso-8859-1"><h1>Café</h1><p>The café opens at nine.</p>', "latin1"),
      "tea.md": Buffer.from("# Tee\n\nDer Tee wird später getrunken, natürlich mit Käse und Brötchen.", "latin1"),
    });
    const site = await openSite({ read: read((await buildSite(folder)).out) });
    expect((await site.ask("when does the café open?")).citations[0]?.quote).toBe("The café opens at nine.");
    expect((await site.search("später getrunken"))[0]?.snippet).toContain("natürlich mit Käse");
  });
});

describe("a link of the search", () => {
  const long = Array.from({ length: 400 }, (_, i) => `word${i}`).join(" ");
  /** Where the search for these words leads. */
  async function whereTo(files: Readonly<Record<string, string>>, words: string): Promise<string> {
    const site = await openSite({ read: read((await buildSite(folderOf(files))).out) });
    const [hit] = await site.search(words);
    return linkTo(hit!, new URL("https://example.com/docs/"));
  }

  it.each([
    ["a#b.md", "a%23b.md"],
    ["what?.md", "what%3F.md"],
    ["100% sure.md", "100%25%20sure.md"],
    ["50%25.md", "50%2525.md"],
    ["note: lynx.md", "note%3A%20lynx.md"],
    ["javascript:alert(1).md", "javascript%3Aalert(1).md"],
    ["bücher/ü.md", "b%C3%BCcher/%C3%BC.md"],
  ])("leads to the file %s", async (name, address) => {
    expect(await whereTo({ [name]: "Lynxes wait.\n" }, "lynxes")).toBe(`https://example.com/docs/${address}`);
  });

  it("leads to the heading below the right one, where two say the same", async () => {
    const html = `<h1>Herons</h1><h2 id="a">Wait</h2><h3 id="a-o">Options</h3><p>${long} polecat</p><h2 id="b">Eat</h2><h3 id="b-o">Options</h3><p>${long} wolverine</p>`;
    expect(await whereTo({ "h.html": html }, "polecat")).toMatch(/#a-o$/u);
    expect(await whereTo({ "h.html": html }, "wolverine")).toMatch(/#b-o$/u);
    const markdown = `# Herons\n\n## Wait\n\n### Options\n\n${long} polecat\n\n## Eat\n\n### Options\n\n${long} wolverine\n`;
    expect(await whereTo({ "h.md": markdown }, "polecat")).toMatch(/#options$/u);
    expect(await whereTo({ "h.md": markdown }, "wolverine")).toMatch(/#options-1$/u);
  });

  it("knows ids around and inside a heading, underlined headings and ids of their own, and no comment of code", async () => {
    const around = `<section id="s"><h2>Alpha</h2><p>${long} polecat</p></section><h2><a name="n"></a>Beta</h2><p>${long} wolverine</p><p id="p">x</p><h2>Gamma</h2><p>${long} genet</p>`;
    expect(await whereTo({ "h.html": around }, "polecat")).toMatch(/#s$/u);
    expect(await whereTo({ "h.html": around }, "wolverine")).toMatch(/#n$/u);
    expect(await whereTo({ "h.html": around }, "genet")).not.toContain("#");
    const markdown = `\`\`\`sh\n# Alpha beta\n\`\`\`\n\nAlpha beta\n----------\n\n${long} polecat\n\n## Own {#mine}\n\n${long} wolverine\n`;
    expect(await whereTo({ "h.md": markdown }, "polecat")).toMatch(/#alpha-beta$/u);
    expect(await whereTo({ "h.md": markdown }, "wolverine")).toMatch(/#mine$/u);
  });

  it("marks the words that a page shows of a quotation in Markdown", () => {
    const place = { source: { uri: "a.html", headings: [] }, metadata: {} };
    const base = new URL("https://example.com/");
    expect(linkTo(place, base, "See **the** [routes](./r.md#x), or run `keyctl`.")).toBe(
      "https://example.com/a.html#:~:text=See%20the%20routes%2C%20or%20run%20keyctl.",
    );
    for (const listed of [
      "9. Waits in the reeds",
      "## Waits in the reeds",
      "- Waits in the reeds",
      "> 2) Waits in the reeds",
    ])
      expect(linkTo(place, base, listed)).toBe("https://example.com/a.html#:~:text=Waits%20in%20the%20reeds");
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

  it("prints the address of a folder of another name", async () => {
    const { stdout } = await callIbid(folderOf(pages), ["site", "build", ".", "--out", "public/find us"]);
    expect(stdout).toContain('src="/find%20us/ibid-search.js"');
  });

  it.each(["api/", "=0.5", "api/=2", "api/=no"])("refuses the weight %s", async (weight) => {
    const { code, stderr } = await callIbid(folderOf(pages), ["site", "build", ".", "--weight", weight]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--weight is "${weight}"`);
  });
});
