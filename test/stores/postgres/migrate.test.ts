import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "../../cli/run-ibid.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

// The command opens a database by its address, so it runs where `npm run test:engines` has started a server.
const address = process.env["IBID_TEST_POSTGRES"] || undefined;

describe.runIf(address !== undefined)("ibid migrate, as docs/guides/migrate-to-postgres.md tells", () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await openTestDatabase()));
  afterAll(() => database.close());

  it("moves a folder to a database and back, and each finds the same", async () => {
    const schema = database.schemaOf("moved");
    const cwd = await makeFolder({
      "docs/keys.md": "# Keys\n\nKeys are rotated every ninety days.",
      "docs/backup.md": "# Backups\n\nA backup runs each night at two.",
      "docs/old.md": "# Old\n\nA page that goes.",
    });
    const env = { IBID_REPLICAS: `${cwd}/copies` };
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await callIbid(cwd, args, env);
      expect(stderr).toBe("");
      expect(code).toBe(0);
      return stdout;
    };
    const url = new URL(address!);
    url.searchParams.set("schema", schema);
    const hitsAt = async (kb: string): Promise<unknown> => {
      const { hits } = JSON.parse(await run("search", "how often are keys rotated?", "--json", "--kb", kb)) as {
        hits: readonly { rank: number; score: number; source: { uri: string; start: number; end: number } }[];
      };
      return hits.map(({ rank, score, source: { uri, start, end } }) => ({ rank, score, uri, start, end }));
    };
    await run("ingest", "docs", "--kb", "first");
    await run("delete", "docs/old.md", "--kb", "first");
    const hits = await hitsAt("first");
    expect(hits).not.toEqual([]);

    const there = await run("migrate", url.href, "--kb", "first");
    expect(there).toContain("2 documents");
    expect(await hitsAt(url.href)).toEqual(hits);
    expect(await run("migrate", url.href, "--kb", "first")).toMatch(/2 .*(?:unchanged|there)/u);

    await run("migrate", "back", "--kb", url.href);
    expect(await hitsAt("back")).toEqual(hits);
    expect(JSON.parse(await run("list", "--json", "--kb", "back"))).toMatchObject({
      documents: [{ uri: "docs/backup.md" }, { uri: "docs/keys.md" }],
    });
  });
});
