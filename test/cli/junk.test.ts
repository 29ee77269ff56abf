import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await makeFolder({ "docs/a.md": "# A\n\nA heron.\n", "docs/b.min.js": "var b;", "docs/yarn.lock": "# yarn" });
});
afterAll(() => rm(cwd, { recursive: true }));

describe("ibid ingest of a folder with generated files", () => {
  it("says in one line what it did not read, and reads it on request", async () => {
    const { code, stdout, stderr } = await callIbid(cwd, ["ingest", "docs"]);
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("2 generated files not read (docs/b.min.js …): --junk");
    const lines = (await callIbid(cwd, ["ingest", "docs", "--json"])).stdout.trim().split("\n");
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ summary: { unchanged: 1, junk: 2 } });
    const all = (await callIbid(cwd, ["ingest", "docs", "--junk", "--json"])).stdout.trim().split("\n");
    expect(JSON.parse(all.at(-1)!)).toMatchObject({ summary: { unchanged: 1, added: 2 } });
  });
});
