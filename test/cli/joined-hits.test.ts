import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";

const paragraph = (name: string): string =>
  `${name} keys are rotated by hand. ${"They are kept in the vault, and nobody may copy them. ".repeat(12).trim()}`;
let cwd: string;

beforeAll(async () => {
  cwd = await makeFolder({
    "docs/keys.md": `# Keys\n\n${["Old", "New", "Spare"].map(paragraph).join("\n\n")}\n`,
    "docs/tea.md": "# Tea\n\nTea is served at four, when the keys have been rotated by hand.\n",
  });
  await callIbid(cwd, ["ingest", "docs"]);
}, 30_000);
afterAll(() => rm(cwd, { recursive: true }));

interface Found {
  readonly hits: readonly {
    readonly rank: number;
    readonly text: string;
    readonly chunkId: string;
    readonly source: { readonly uri: string; readonly start: number; readonly end: number };
    readonly parts?: readonly { readonly chunkId: string; readonly start: number; readonly end: number }[];
  }[];
  readonly groups?: readonly { readonly uri: string; readonly ranks: readonly number[] }[];
}
const command = async (name: string, ...args: string[]): Promise<Found> =>
  JSON.parse((await callIbid(cwd, [name, "rotated keys", "--json", ...args])).stdout) as Found;
const ofKeys = ({ hits }: Found) => hits.filter(({ source }) => source.uri === "docs/keys.md");

describe("ibid search and ask", () => {
  it("show neighbours as one hit, whose text is the slice it says, and name what went into it [E55 L1]", async () => {
    const apart = ofKeys(await command("search", "--no-merge"));
    expect(apart).toHaveLength(3);
    const [joined, ...others] = ofKeys(await command("search"));
    const text = await readFile(join(cwd, "docs/keys.md"), "utf8");
    expect(others).toEqual([]);
    expect(joined?.text).toBe(text.slice(joined?.source.start, joined?.source.end));
    const ids = (hits: readonly { readonly chunkId: string }[]) => hits.map(({ chunkId }) => chunkId).toSorted();
    expect(ids(joined!.parts!)).toEqual(ids(apart));
    expect(ofKeys(await command("ask"))[0]?.parts).toHaveLength(3);
    expect(ofKeys(await command("ask", "--no-merge")).every(({ parts }) => parts === undefined)).toBe(true);

    const { stdout } = await callIbid(cwd, ["search", "rotated keys", "--ids"]);
    expect(stdout).toContain(`3 passages: ${joined!.parts!.map(({ start, end }) => `${start}:${end}`).join(", ")}\n`);
    for (const { chunkId } of joined!.parts!) expect(stdout).toContain(`chunk ${chunkId}\n`);
  });

  it("--group-by document: each document once, with its hits below it", async () => {
    const { hits, groups = [] } = await command("search", "--no-merge", "--group-by", "document");
    expect(hits).toHaveLength(4);
    expect(groups.map(({ uri }) => uri).toSorted()).toEqual(["docs/keys.md", "docs/tea.md"]);
    expect(groups.flatMap(({ ranks }) => ranks).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    const { stdout } = await callIbid(cwd, ["search", "rotated keys", "--no-merge", "--group-by", "document"]);
    const lines = stdout.split("\n");
    for (const { uri, ranks } of groups) {
      const at = lines.indexOf(`${uri}${ranks.length === 1 ? "" : `, ${ranks.length} hits`}`);
      expect(at).toBeGreaterThanOrEqual(0);
      const below = lines.slice(at).flatMap((line) => /^ +(\d+)\. /u.exec(line)?.[1] ?? []);
      expect(below.slice(0, ranks.length).map(Number)).toEqual(ranks);
    }
    expect((await callIbid(cwd, ["search", "x", "--group-by", "author"])).code).toBe(2);
  });
});
