import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openFileBlobStore } from "../../src/stores/blobs/open-file-blob-store.ts";
import { backUpFolder, restoreFolder, verifyBackup } from "../../src/stores/sqlite/index.ts";
import { callIbid, makeFolder, startIbid } from "./run-ibid.ts";

async function makeBase(): Promise<string> {
  const folder = await makeFolder({
    "docs/keys.md": "# Keys\n\nA key is valid for ninety days.\n",
    "docs/tea.md": "# Tea\n\nA kettle boils.\n",
    ".ibid/originals/ab/abcd": "an upload",
  });
  expect((await callIbid(folder, ["ingest", "docs", "--team", "acme"])).code).toBe(0);
  return folder;
}

describe("ibid backup and restore", () => {
  it("copies a base whole, verifies it, and makes a base of it that finds the same", async () => {
    const cwd = await makeBase();
    const made = await callIbid(cwd, ["backup", "saved"]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toMatch(/^Backed up to saved: \d+ files, .*, format \d+, verified\.\n$/u);
    expect((await readdir(join(cwd, "saved"), { recursive: true })).toSorted()).toEqual([
      "backup.json",
      "events.sqlite",
      "ibid.sqlite",
      "originals",
      "originals/ab",
      "originals/ab/abcd",
    ]);
    expect((await callIbid(cwd, ["backup", "saved", "--verify"])).stdout).toContain("is whole");
    const found = async (kb: string): Promise<unknown> => {
      const { hits } = JSON.parse((await callIbid(cwd, ["search", "ninety days", "--kb", kb, "--json"])).stdout) as {
        hits: unknown[];
      };
      return hits;
    };
    expect((await callIbid(cwd, ["restore", "--from", "saved", "--kb", "again"])).stdout).toContain("Restored");
    expect(await found("again")).toEqual(await found(".ibid"));
    expect((await callIbid(cwd, ["doctor", "--kb", "again"])).code).toBe(0);
    expect(await readFile(join(cwd, "again/originals/ab/abcd"), "utf8")).toBe("an upload");
  });

  it.runIf(process.platform === "linux")("is refused where no folder can be made, and ends [19]", async () => {
    const cwd = await makeBase();
    const child = startIbid(cwd, ["backup", "/proc/ibid-backup"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [said, code] = await Promise.all([
      child.stderr.setEncoding("utf8").toArray(),
      new Promise<number | null>((resolve) => void child.on("close", resolve)),
    ]);
    expect([code, said.join("")]).toEqual([1, expect.stringContaining("The folder /proc/ibid-backup cannot be made")]);
  });

  it("is of one moment while others write", async () => {
    const cwd = await makeBase();
    const kb = await openKnowledgeBase(join(cwd, ".ibid"));
    const state = { isOver: false };
    const writing = (async () => {
      for (let i = 0; !state.isOver; i++)
        await kb.ingest([
          { uri: `one${i}.txt`, text: `Pair ${i} and its first half.` },
          { uri: `two${i}.txt`, text: `Pair ${i} and its second half.` },
        ]);
    })();
    for (let round = 0; round < 3; round++) {
      await backUpFolder(join(cwd, ".ibid"), join(cwd, `saved${round}`));
      await verifyBackup(join(cwd, `saved${round}`));
      await restoreFolder(join(cwd, `saved${round}`), join(cwd, `again${round}`));
      const copy = await openKnowledgeBase(join(cwd, `again${round}`));
      const { healthy, checked } = await copy.doctor();
      expect([round, healthy, checked.documents >= 2]).toEqual([round, true, true]);
      await copy.close();
    }
    state.isOver = true;
    await writing;
    await kb.close();
  });

  it("is whole while a service keeps, renames and deletes files beside the knowledge base [20]", async () => {
    const cwd = await makeBase();
    const files = openFileBlobStore(join(cwd, ".ibid", "files"));
    await files.put("kept/one", new TextEncoder().encode("one"));
    // As a writer has it before it gets its name.
    await writeFile(join(cwd, ".ibid", "files", ".unfinished"), "half");
    const state = { isOver: false };
    const writing = (async () => {
      for (let n = 0; !state.isOver; n++) {
        await files.put(`passing/${n % 7}/${n}`, new TextEncoder().encode(`number ${n}`));
        await files.delete(`passing/${(n + 3) % 7}/${n - 4}`);
      }
    })();
    try {
      for (let n = 0; n < 8; n++) {
        const { files: copied } = await backUpFolder(join(cwd, ".ibid"), join(cwd, `saved${n}`));
        const paths = copied.map(({ path }) => path);
        expect(paths.filter((path) => path.endsWith("/kept+/one") || path.endsWith("/kept/one"))).toHaveLength(1);
        expect(paths.filter((path) => path.includes("unfinished"))).toEqual([]);
        await verifyBackup(join(cwd, `saved${n}`));
      }
    } finally {
      state.isOver = true;
      await writing;
    }
  });

  it("names the file that is damaged, missing or new, and then restores nothing", async () => {
    const cwd = await makeBase();
    await callIbid(cwd, ["backup", "saved"]);
    const whole = await readFile(join(cwd, "saved/ibid.sqlite"));
    const refused = async (problem: string): Promise<void> => {
      for (const args of [
        ["backup", "saved", "--verify"],
        ["restore", "--from", "saved", "--kb", "again"],
      ]) {
        const { code, stderr } = await callIbid(cwd, args);
        expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
      }
      expect(await readdir(cwd)).not.toContain("again");
    };
    const changed = Buffer.from(whole);
    changed[5000]! ^= 1;
    await writeFile(join(cwd, "saved/ibid.sqlite"), changed);
    await refused("ibid.sqlite differs from its checksum");
    await rm(join(cwd, "saved/ibid.sqlite"));
    await refused("ibid.sqlite is missing");
    await writeFile(join(cwd, "saved/ibid.sqlite"), whole);
    await appendFile(join(cwd, "saved/other"), "x");
    await refused("other was not part of it");
    await rm(join(cwd, "saved/backup.json"));
    await refused("is no backup");
  });

  it("overwrites nothing, and is for the operator", async () => {
    const cwd = await makeBase();
    await callIbid(cwd, ["backup", "saved"]);
    for (const args of [
      ["backup", "saved"],
      ["backup", "docs"],
      ["restore", "--from", "saved"],
    ])
      expect(await callIbid(cwd, args)).toMatchObject({ code: 2, stderr: expect.stringContaining("is not empty") });
    await writeFile(join(cwd, "note"), "A file.");
    expect(await callIbid(cwd, ["backup", "note"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("note is a file."),
    });
    expect(await callIbid(cwd, ["backup", ".ibid/inside"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("would lie inside"),
    });
    expect((await callIbid(cwd, ["backup", "mine", "--as-user", "ada"])).stderr).toContain("only the operator");
    expect((await callIbid(cwd, ["backup", "mine", "--kb", "nowhere"])).stderr).toContain("There is no knowledge base");
    expect((await callIbid(cwd, ["restore"])).code).toBe(2);
    expect((await readdir(cwd)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });
});

describe("stored samples of earlier formats", () => {
  const samples = [
    ["format-1/ibid.sqlite.gz", 5],
    ["format-6/ibid.sqlite.gz", 6],
  ] as const;

  it.each(samples)("%s is of format %i, is upgraded when it is opened, and searches", async (sample, format) => {
    const folder = await makeFolder({});
    const kb = join(folder, ".ibid");
    await mkdir(kb);
    const stored = await readFile(new URL(`../fixtures/${sample}`, import.meta.url));
    await writeFile(join(kb, "ibid.sqlite"), gunzipSync(stored));
    expect(versionOf(kb)).toBe(format);
    // A backup before the upgrade keeps the earlier format, for the way back.
    expect((await backUpFolder(kb, join(folder, "before"))).format).toBe(format);
    const listed = await callIbid(folder, ["list", "--json"]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    const { documents } = JSON.parse(listed.stdout) as { documents: { uri: string; title: string }[] };
    expect(documents.length).toBeGreaterThan(0);
    expect((await callIbid(folder, ["doctor"])).code).toBe(0);
    expect(versionOf(kb)).toBeGreaterThan(6);
    expect(versionOf(join(folder, "before"))).toBe(format);
  });

  it("a file of a later version is refused and stays as it is", async () => {
    const cwd = await makeBase();
    const kb = join(cwd, ".ibid");
    const later = versionOf(kb) + 1;
    const database = new DatabaseSync(join(kb, "ibid.sqlite"));
    database.exec(`PRAGMA user_version = ${later}`);
    database.close();
    const { code, stderr } = await callIbid(cwd, ["list"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/later version/u)]);
    expect(versionOf(kb)).toBe(later);
  });
});

function versionOf(folder: string): number {
  const database = new DatabaseSync(join(folder, "ibid.sqlite"), { readOnly: true });
  const version = Number(Object.values(database.prepare("PRAGMA user_version").get() ?? {})[0]);
  database.close();
  return version;
}
