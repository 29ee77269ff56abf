import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { callIbid } from "./run-ibid.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-database-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a knowledge base in a database", () => {
  const address = "postgres://ada:secret-word@127.0.0.1:1/kb?schema=north";

  it.each([[["status"]], [["list"]], [["search", "keys"]], [["status", "--json"]]])(
    "that cannot be reached is named without user and password: %s",
    async (command) => {
      const { code, stdout, stderr } = await callIbid(folder, [...command, "--kb", address]);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain("127.0.0.1:1/kb");
      expect(stdout + stderr).not.toMatch(/secret-word|ada/u);
    },
  );

  it("is not copied onto itself", async () => {
    const { code, stderr } = await callIbid(folder, ["migrate", address.replace("ada", "bob"), "--kb", address]);
    expect(code).toBe(2);
    expect(stderr).toContain("postgres://127.0.0.1:1/kb?schema=north is where the knowledge base is");
  });

  it.each([
    [["migrate"], "names no place to copy to"],
    [["migrate", "elsewhere", "--from-engine", "a.json"], "--from-engine is given without --to-engine"],
    [["migrate", "--to-engine", "a.json"], "No engine is configured"],
    [["migrate", "--from-engine", "none.json", "--to-engine", "none.json"], "There is no none.json"],
    [
      ["migrate", "--from-engine", "list.json", "--to-engine", "list.json"],
      "no JSON object with the name of an engine",
    ],
    [["migrate", "--from-engine", "qdrnt.json", "--to-engine", "list.json"], 'There is no engine "qdrnt"'],
  ])("copies no records for %s", async (command, said) => {
    writeFileSync(join(folder, "list.json"), "[1]");
    writeFileSync(join(folder, "qdrnt.json"), '{ "name": "qdrnt" }');
    const { code, stderr } = await callIbid(folder, [...command, "--kb", "from"]);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(said) as string]);
  });

  it("is a copy of a folder, with uris, times and hits", async () => {
    writeFileSync(join(folder, "a.md"), "# Keys\n\nKeys are rotated every ninety days.\n");
    await callIbid(folder, ["ingest", "a.md", "--kb", "from"]);
    const { code, stdout } = await callIbid(folder, ["migrate", "to", "--kb", "from", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ documents: 1, chunks: 1, unchanged: 0 })]);
    expect(JSON.parse(stdout)).toMatchObject({ verified: { documents: 1, searches: 1 } });
    const again = await callIbid(folder, ["migrate", "to", "--kb", "from", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ documents: 1, unchanged: 1 });
    const [one, other] = await Promise.all(
      ["from", "to"].map((kb) => callIbid(folder, ["search", "rotated keys", "--kb", kb, "--json"])),
    );
    expect(JSON.parse(other!.stdout).hits).toEqual(JSON.parse(one!.stdout).hits);
    expect(one!.stdout).toContain("a.md");
    const [listed, copied] = await Promise.all(
      ["from", "to"].map(async (kb) => JSON.parse((await callIbid(folder, ["list", "--kb", kb, "--json"])).stdout)),
    );
    expect(copied).toEqual(listed);
  });
});
