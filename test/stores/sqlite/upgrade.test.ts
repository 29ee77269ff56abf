import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { deletedUri, longText, purgedUri, smallTexts } from "../../fixtures/format-6/content.ts";
import { look } from "../../fixtures/format-6/look.ts";
import { runsAll } from "../../support/runs.ts";
import { plainAnalyzer, read, system } from "../build.ts";

const unpacked = (name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`../../fixtures/format-6/${name}.gz`, import.meta.url)));
const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/format-6/recorded.json", import.meta.url), "utf8"),
) as unknown;
const child = fileURLToPath(new URL("upgrade-child.ts", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "format-6-"));
let folder = "";
let path = "";
let runs = 0;

beforeEach(() => {
  folder = join(home, `kb-${++runs}`);
  path = join(folder, "ibid.sqlite");
  mkdirSync(folder);
});
afterEach(() => {
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(home, { recursive: true }));

const open = (): Promise<KnowledgeBase> => openKnowledgeBase(folder, { operations: { events: false } });
const openStore = (options: object = {}) => openSqliteStore(path, { analyzer: plainAnalyzer, ...options });

function ask(file: string, sql: string): number {
  const database = new DatabaseSync(file);
  try {
    return Number(Object.values(database.prepare(sql).get()!)[0]);
  } finally {
    database.close();
  }
}
const formatOf = (file: string): number => ask(file, "PRAGMA user_version");

/** Opens the store in another process, which dies at its n-th moment. **Shape** the moments that it passed. */
function openAndDie(at: number): readonly string[] {
  const { stdout, signal, status, stderr } = spawnSync(process.execPath, [child, path, String(at)], {
    encoding: "utf8",
  });
  const moments = stdout
    .trim()
    .split("\n")
    .map((moment) => moment.trim());
  if (moments.at(-1) === "done" ? status !== 0 : signal !== "SIGKILL") throw new Error(stderr);
  return moments;
}

async function expectTopics(): Promise<void> {
  const store = await openStore();
  expect((await store.status(read("deployment"))).documents).toBe(40);
  expect((await store.upkeep!.examine(system)).findings).toEqual([]);
  await store.close();
  expect(formatOf(path)).toBe(7);
  expect(existsSync(`${path}-upgrade`)).toBe(false);
}

describe("a file of format 6", () => {
  it("is brought to format 7 when it is opened, and shows what it showed, to the last bit of a score [L2 L8]", async () => {
    writeFileSync(path, unpacked("ibid.sqlite"));
    const before = statSync(path).size;
    const kb = await open();
    expect(await look(kb)).toEqual(recorded);
    expect((await kb.doctor()).findings).toEqual([]);
    expect(await kb.restore(deletedUri)).toHaveLength(1);
    expect((await kb.document(deletedUri))?.text).toBe(smallTexts[10]!.text);
    expect(await kb.restore(purgedUri)).toEqual([]);
    expect((await kb.document(longText.uri))?.text).toBe(longText.text);
    await kb.delete(longText.uri, { purge: true });
    expect((await kb.doctor({ absent: ["says so again and again"] })).findings).toEqual([]);
    await kb.close();
    expect(existsSync(`${path}-upgrade`)).toBe(false);
    expect(statSync(path).size).toBeLessThan(before / 2);
  });

  it("never uses a key again that the earlier file gave [L8]", async () => {
    writeFileSync(path, unpacked("ibid.sqlite"));
    const highest = ask(path, "SELECT seq FROM sqlite_sequence WHERE name = 'chunks'");
    const kb = await open();
    await kb.ingest({ uri: "new.md", text: "# New\n\nAnother one.\n" });
    await kb.close();
    expect(ask(path, "SELECT max(key) FROM chunks")).toBe(highest + 1);
  });

  it("is of one format or the other whenever the process is killed, and the next one goes on [L8]", async () => {
    writeFileSync(path, unpacked("topics.sqlite"));
    const moments = openAndDie(0);
    expect(moments.at(-1)).toBe("done");
    await expectTopics();
    const last = moments.length - 1;
    const copied = moments.findIndex((moment) => moment.startsWith("after") && moment.includes("DROP TABLE copied"));
    const named = moments.indexOf("before the name");
    expect(copied).toBeGreaterThan(10);
    const chosen = runsAll ? moments.map((_, i) => i + 1).slice(0, last) : [copied >> 1, copied, named, named + 1];
    for (const at of chosen) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      writeFileSync(path, unpacked("topics.sqlite"));
      expect(openAndDie(at)).toEqual(moments.slice(0, at));
      const format = formatOf(path);
      const isCopied = ask(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'blocks'") === 0 && format === 7;
      // Marked as copied: then the copy is whole, or has the name already.
      expect(formatOf(isCopied ? `${path}-upgrade` : path)).toBe(format);
      expect(ask(path, "SELECT count(*) FROM chunks")).toBe(40);
      await expectTopics();
    }
  });

  it("goes on where it was killed, unless the file has changed since [L8]", async () => {
    const count = (moments: readonly string[]): number => moments.filter((moment) => moment === "after COMMIT").length;
    writeFileSync(path, unpacked("topics.sqlite"));
    const all = openAndDie(0);
    const half = all.findIndex((moment) => moment.includes("DROP TABLE copied")) - 2;
    for (const changes of [false, true]) {
      writeFileSync(path, unpacked("topics.sqlite"));
      openAndDie(half);
      if (changes) ask(path, "INSERT INTO settings VALUES ('later', 'yes') RETURNING 1");
      const again = openAndDie(0);
      expect(again.at(-1)).toBe("done");
      // What is done already is left alone: each table is only asked whether there is more.
      const isFromTheBeginning = count(again) === count(all);
      expect(isFromTheBeginning || count(again) < count(all) - 5).toBe(true);
      expect(isFromTheBeginning).toBe(changes);
      expect(ask(path, "SELECT count(*) FROM settings WHERE name = 'later'")).toBe(changes ? 1 : 0);
      await expectTopics();
    }
  });

  it("is busy while another process has it open, and untouched [L8]", async () => {
    writeFileSync(path, unpacked("topics.sqlite"));
    const other = new DatabaseSync(path);
    other.exec("PRAGMA journal_mode = WAL");
    expect(other.prepare("SELECT count(*) AS n FROM chunks").get()).toEqual({ n: 40 });
    await expect(openStore({ busyTimeoutMs: 50 })).rejects.toMatchObject({
      code: "store-busy",
      message: expect.stringContaining("earlier format") as string,
    });
    other.exec("INSERT INTO settings VALUES ('later', 'yes')");
    other.close();
    expect(formatOf(path)).toBe(6);
    await expectTopics();
    expect(ask(path, "SELECT count(*) FROM settings WHERE name = 'later'")).toBe(1);
  });

  it("is refused without room for both, before anything is written [L8]", async () => {
    writeFileSync(path, unpacked("topics.sqlite"));
    const before = readFileSync(path);
    const { stdout } = spawnSync(process.execPath, [child, path, "0", "10"], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({
      code: "store-failed",
      details: { needed: before.length + 1024 * 1024, free: 40_960 },
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(["ibid.sqlite"]);
    await expectTopics();
  });

  it("is read as it is where nobody may write [L8]", async () => {
    writeFileSync(path, unpacked("ibid.sqlite"));
    const before = readFileSync(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    chmodSync(home, 0o755);
    const of = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
    const script = `
      const { openKnowledgeBase } = await import(${of("../../../src/index.node.ts")});
      const { look } = await import(${of("../../fixtures/format-6/look.ts")});
      const kb = await openKnowledgeBase(${JSON.stringify(folder)}, { operations: { events: false } });
      const seen = await look(kb);
      const refused = await kb.delete("last.md").then(() => "deleted", (error) => error.code);
      await kb.close();
      console.log(JSON.stringify({ seen, refused }));`;
    // Root may write anywhere, so the attempt is made as nobody.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const args = ["--input-type=module-typescript", "-e", script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { ...nobody, encoding: "utf8", cwd: "/" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ seen: recorded, refused: "store-failed" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
