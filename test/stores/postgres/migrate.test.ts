import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewer } from "../../support/runs.ts";
import { bareEnv, callIbid, executable, makeFolder } from "../../cli/run-ibid.ts";
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

  it("ends whole after it was killed at several moments, each way", async () => {
    const files = Array.from({ length: 80 }, (_, i) => [
      `docs/${i}.md`,
      `# Page ${i}\n\nLantern ${i % 9} burns at pier ${i}.`,
    ]);
    const cwd = await makeFolder(Object.fromEntries(files) as Record<string, string>);
    const env = { ...bareEnv(cwd), IBID_REPLICAS: `${cwd}/copies` };
    /** **Shape** its code, `null` for one that was killed, and how long it took. */
    const migrate = (from: string, to: string, ms?: number): Promise<readonly [code: number | null, ms: number]> => {
      const began = performance.now();
      const child = spawn(process.execPath, [executable, "--kb", from, "migrate", to], { cwd, env, stdio: "ignore" });
      const end = ms === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), ms);
      return new Promise((resolve) =>
        child.once("close", (code) => {
          clearTimeout(end);
          resolve([code, performance.now() - began]);
        }),
      );
    };
    const contents = async (kb: string): Promise<unknown> => {
      const said = await Promise.all(
        [["list"], ["search", "lantern 4 at a pier"], ["doctor"]].map((command) =>
          callIbid(cwd, [...command, "--json", "--kb", kb], { IBID_REPLICAS: `${cwd}/copies` }),
        ),
      );
      type Said = {
        readonly hits?: readonly { readonly rank: number; readonly score: number; readonly text: string }[];
        readonly healthy?: boolean;
      };
      const [listed, found, examined] = said.map(({ stdout }) => JSON.parse(stdout) as Said);
      return [listed, found!.hits!.map(({ rank, score, text }) => [rank, score, text]), examined!.healthy];
    };
    const addressOf = (name: string): string => {
      const url = new URL(address!);
      url.searchParams.set("schema", database.schemaOf(name));
      return url.href;
    };
    await callIbid(cwd, ["ingest", "docs", "--kb", "first"]);
    const expected = await contents("first");
    const ways = [
      ["first", addressOf],
      [addressOf("whole"), (name: string) => name],
    ] as const;
    for (const [from, toOf] of ways) {
      const [code, ms] = await migrate(from, toOf("whole"));
      expect(code).toBe(0);
      for (const share of [0.5, 0.9, 0.3, 0.7].slice(0, fewer(1, 4))) {
        const to = toOf(`killed${share * 10}`);
        await migrate(from, to, ms * share);
        await migrate(from, to, ms * share);
        expect((await migrate(from, to))[0]).toBe(0);
        expect(await contents(to)).toEqual(expected);
      }
    }
  }, 300_000);
});
