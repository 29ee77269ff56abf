import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { callIbid, makeFolder, runIbid, startIbid, writeFiles } from "./run-ibid.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeFolder(files);
  folders.push(folder);
  return folder;
}

/** A process that watches, and a way to wait for what it says. */
function startWatching(cwd: string, ...args: string[]) {
  const child = startIbid(cwd, ["watch", ...args, "--json"]);
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** What it said on standard error. */
    complaints: () => complaints,
    /** The next object that has all of these. */
    async until(facts: Record<string, unknown>): Promise<Record<string, unknown>> {
      for (;;) {
        const { done, value } = await lines.next();
        if (done === true) throw new Error(`It ended without ${JSON.stringify(facts)}.`);
        const said = JSON.parse(value) as Record<string, unknown>;
        if (Object.entries(facts).every(([key, wanted]) => JSON.stringify(said[key]) === JSON.stringify(wanted)))
          return said;
      }
    },
    async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
      const closed = once(child, "close");
      child.kill(signal);
      return ((await closed) as [number | null])[0];
    },
  };
}

const uris = async (cwd: string, ...args: string[]): Promise<unknown[]> => {
  const { stdout } = await callIbid(cwd, ["list", "--json", ...args]);
  const { documents } = JSON.parse(stdout) as { documents: { uri: string }[] };
  return documents.map(({ uri }) => uri);
};

describe("ibid watch", () => {
  it("ingests what is there, what comes, what changes, and takes out what goes [T2 L7]", async () => {
    const cwd = await project({ "docs/a.md": "# Apples\n\nThey are red.\n", "docs/sub/b.md": "# Birds\n" });
    const watching = startWatching(cwd, "docs");
    await watching.until({ watching: ["docs"] });
    await writeFiles(cwd, { "docs/c [1].md": "# Cherries\n", "docs/new/folder/d.md": "# Dates\n" });
    await watching.until({ type: "KnowledgeChunkIndexed", uri: "docs/new/folder/d.md", status: "added" });
    await writeFiles(cwd, { "docs/a.md": "# Apples\n\nThey are green.\n" });
    await watching.until({ type: "KnowledgeChunkIndexed", uri: "docs/a.md", status: "updated" });
    await rm(join(cwd, "docs/sub/b.md"));
    await watching.until({ type: "KnowledgeChunkIndexed", uri: "docs/sub/b.md", status: "removed" });
    const ended = watching.stop();
    // Files may be found together or one by one, and so changed once or twice; what is gone is gone once.
    expect(await watching.until({})).toMatchObject({ stopped: { removed: 1, failed: 0 } });
    expect(await ended).toBe(130);
    expect(watching.complaints()).toBe("");
    expect(await uris(cwd)).toEqual(["docs/a.md", "docs/c [1].md", "docs/new/folder/d.md"]);
  });

  it("finishes what it has seen when it is stopped, and finds the next time what happened in between [L8]", async () => {
    const cwd = await project({ "docs/a.md": "# Apples\n", "docs/bad.md": "\u0000\u0001\u0002 no text" });
    let watching = startWatching(cwd, "docs", "--team", "acme", "--metadata", "year=2026");
    await watching.until({ type: "KnowledgeChunkFailed", uri: "docs/bad.md" });
    expect(await watching.stop("SIGTERM")).toBe(0);
    expect(await uris(cwd, "--as-team", "acme")).toEqual(["docs/a.md"]);
    await writeFiles(cwd, { "docs/b.md": "# Birds\n" });
    watching = startWatching(cwd, "docs", "--team", "acme", "--as-team", "acme");
    await watching.until({ uri: "docs/b.md", status: "added" });
    expect(await watching.stop("SIGKILL")).toBe(null);
    expect(await uris(cwd, "--as-team", "acme")).toEqual(["docs/a.md", "docs/b.md"]);
    expect(await uris(cwd, "--as-team", "other")).toEqual([]);
  });

  it("its own writing does not wake it: a knowledge base may lie in what is watched", async () => {
    const cwd = await project({ "a.md": "# Apples\n" });
    const watching = startWatching(cwd, ".", "--kb", "kept");
    await watching.until({ watching: ["."] });
    await writeFiles(cwd, { "b.md": "# Birds\n" });
    await watching.until({ uri: "b.md", status: "added" });
    expect(await watching.stop()).toBe(130);
    expect(await uris(cwd, "--kb", "kept")).toEqual(["a.md", "b.md"]);
  });

  it("ends when it cannot go on", async () => {
    const cwd = await project({ "docs/a.md": "# Apples\n" });
    expect((await callIbid(cwd, ["ingest", "docs"])).code).toBe(0);
    const database = new DatabaseSync(join(cwd, ".ibid/ibid.sqlite"));
    database.exec("CREATE TRIGGER no_jobs BEFORE INSERT ON jobs BEGIN SELECT RAISE(FAIL, 'no room'); END");
    database.close();
    expect(await runIbid(cwd, ["watch", "docs"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no room") as string,
    });
  });

  it("says what is no folder", async () => {
    const cwd = await project({ "a.md": "# Apples\n" });
    expect(await callIbid(cwd, ["watch", "nowhere"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no folder nowhere") as string,
    });
    expect(await callIbid(cwd, ["watch", "a.md"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a folder") as string,
    });
    expect((await callIbid(cwd, ["watch"])).code).toBe(2);
  });
});
