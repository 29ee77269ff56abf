import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";

const paragraph = (name: string): string =>
  `${name} keys are rotated by hand. ${"They are kept in the vault, and nobody may copy them. ".repeat(12).trim()}`;
let cwd: string;

beforeAll(async () => {
  cwd = await makeFolder({ "docs/keys.md": `# Keys\n\n${["Old", "New", "Spare"].map(paragraph).join("\n\n")}\n` });
  await callIbid(cwd, ["ingest", "docs"]);
}, 30_000);
afterAll(() => rm(cwd, { recursive: true }));

describe("ibid search --merge", () => {
  it("shows neighbours as one hit, whose text is the slice it says, and names what went into it [E55 L1]", async () => {
    const search = async (...args: string[]) =>
      JSON.parse((await callIbid(cwd, ["search", "rotated keys", "--json", ...args])).stdout) as {
        hits: { text: string; chunkId: string; source: { start: number; end: number } }[];
      };
    const apart = (await search()).hits;
    expect(apart.length).toBeGreaterThan(1);
    const { hits } = await search("--merge");
    const [merged] = hits;
    const text = await readFile(join(cwd, "docs/keys.md"), "utf8");
    expect(hits).toHaveLength(1);
    expect(merged?.text).toBe(text.slice(merged?.source.start, merged?.source.end));
    for (const { source } of apart) {
      expect(source.start).toBeGreaterThanOrEqual(merged?.source.start ?? Infinity);
      expect(source.end).toBeLessThanOrEqual(merged?.source.end ?? 0);
    }
    const { stdout } = await callIbid(cwd, ["search", "rotated keys", "--merge", "--explain"]);
    const said = stdout.replaceAll(/\s+/gu, " ");
    expect(said).toContain("merged with:");
    for (const { chunkId } of apart.filter((hit) => hit.chunkId !== merged?.chunkId)) expect(said).toContain(chunkId);
  });
});
