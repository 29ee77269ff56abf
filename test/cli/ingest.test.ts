import { existsSync } from "node:fs";
import { rename, rm, symlink, truncate } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { callIbid, jsonLines, makeFolder, runIbid, startIbid, writeFiles } from "./run-ibid.ts";
import { signalItself } from "../support/signal-itself.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function project(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await makeFolder(files);
  folders.push(folder);
  return folder;
}

const documents = {
  "docs/keys.md": "# Keys\n\n## Rotation\n\nKeys rotate every ninety days.\n",
  "docs/guide/start.md": "# Start\n\nBegin here.\n",
};

async function ingest(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await callIbid(cwd, ["ingest", ...args, "--json"]);
  const lines = stdout === "" ? [] : jsonLines(stdout);
  const { summary } = lines.at(-1) as { summary?: Record<string, number> };
  const results = lines.slice(0, -1);
  return {
    code,
    stderr,
    results,
    summary,
    statuses: results.map(({ status, uri }) => `${String(status)} ${String(uri)}`),
  };
}

describe("a symbolic link in a folder", () => {
  it("that is not followed is said, and how to follow it [L9]", async () => {
    const cwd = await project({ ...documents, "other/a.md": "# Other\n\nWords.\n" });
    await symlink("../other/a.md", join(cwd, "docs/link.md"));
    await symlink("../other", join(cwd, "docs/others"));
    const { stdout } = await callIbid(cwd, ["ingest", "docs"]);
    expect(stdout).toContain("2 added");
    expect(stdout).toContain("2 links not followed (docs/link.md …): --follow-symlinks");
    expect((await ingest(cwd, "docs")).summary).toMatchObject({ unchanged: 2, links: 2 });
    const followed = await ingest(cwd, "docs", "--follow-symlinks");
    expect(followed.summary).not.toHaveProperty("links");
  });

  it("is all that there is to say of a folder of links", async () => {
    const cwd = await project({ "other/a.md": "# Other\n\nWords.\n", "docs/.keep": "" });
    await symlink("../other/a.md", join(cwd, "docs/link.md"));
    expect((await callIbid(cwd, ["ingest", "docs"])).stdout).toContain(
      "1 link not followed (docs/link.md): --follow-symlinks",
    );
  });
});

describe("ibid ingest --json", () => {
  it("one object a line, then the summary; the keys are a contract", async () => {
    const cwd = await project(documents);
    const { code, stderr, results, summary } = await ingest(cwd, "docs");
    expect([code, stderr]).toEqual([0, ""]);
    expect(existsSync(join(cwd, ".ibid"))).toBe(true);
    expect(results.map((line) => Object.keys(line))).toEqual([
      ["uri", "status", "documentId", "chunks"],
      ["uri", "status", "documentId", "chunks"],
    ]);
    expect(results).toMatchObject([
      { uri: "docs/guide/start.md", status: "added", documentId: expect.stringMatching(/./) },
      { uri: "docs/keys.md", status: "added", documentId: expect.stringMatching(/./) },
    ]);
    expect(Object.keys(summary ?? {})).toEqual([
      "added",
      "updated",
      "unchanged",
      "removed",
      "failed",
      "chunks",
      "embedded",
      "ms",
    ]);
    const chunks = results.reduce((sum, line) => sum + Number(line["chunks"]), 0);
    expect(summary).toMatchObject({
      added: 2,
      updated: 0,
      unchanged: 0,
      removed: 0,
      failed: 0,
      chunks,
      // The store's own model is no model that anything is sent to.
      embedded: 0,
    });
    expect(chunks).toBeGreaterThanOrEqual(2);
  });

  it("knows what is unchanged, changed by bytes or metadata, gone, and kept [L7]", async () => {
    const cwd = await project({ ...documents, "docs/old.md": "# Old\n\nGoing.\n", "notes.md": "# Notes\n\nLoose.\n" });
    await ingest(cwd, "docs", "notes.md");

    const again = await ingest(cwd, "docs");
    expect(again.summary).toMatchObject({ added: 0, updated: 0, unchanged: 3, removed: 0, embedded: 0 });

    await writeFiles(cwd, { "docs/keys.md": "# Keys\n\n## Rotation\n\nKeys rotate every day.\n" });
    await rm(join(cwd, "docs/old.md"));
    await rename(join(cwd, "notes.md"), join(cwd, "moved.md"));
    const kept = await ingest(cwd, "docs", "--no-sweep");
    expect(kept.statuses).toEqual(["unchanged docs/guide/start.md", "updated docs/keys.md"]);

    const metadata = await ingest(cwd, "docs/keys.md", "--metadata", "year=2026", "team=core");
    expect(metadata.statuses).toEqual(["updated docs/keys.md"]);
    expect((await ingest(cwd, "docs/keys.md", "--metadata", "team=core", "year=2026")).statuses).toEqual([
      "unchanged docs/keys.md",
    ]);

    // Only folders remove, and only what came from a folder.
    expect((await ingest(cwd, "docs/*.md", "--metadata", "team=core", "year=2026")).statuses).toEqual([
      "unchanged docs/keys.md",
    ]);
    await writeFiles(cwd, { ".gitignore": "guide\n" });
    const swept = await ingest(cwd, ".");
    expect(swept.statuses.toSorted()).toEqual(["added moved.md", "removed docs/old.md", "updated docs/keys.md"]);
    const { stdout } = await callIbid(cwd, ["list", "--json"]);
    expect((JSON.parse(stdout) as { documents: { uri: string }[] }).documents.map(({ uri }) => uri)).toEqual([
      // Left out of this walk, but docs brought it, and it is there.
      "docs/guide/start.md",
      "docs/keys.md",
      "moved.md",
      "notes.md",
    ]);
  });

  it("refuses what cannot be read by name, keeps the old version, and exits 0 when something went well", async () => {
    const cwd = await project({
      ...documents,
      "docs/broken.pdf": "%PDF-1.7\nnot really",
      "docs/noise.bin": new Uint8Array([0, 1, 2, 255, 0]),
    });
    await writeFiles(cwd, { "docs/huge.md": "x" });
    await truncate(join(cwd, "docs/huge.md"), 11 * 1024 * 1024);
    const { code, stderr, results, summary } = await ingest(cwd, "docs");
    expect([code, stderr]).toEqual([0, ""]);
    const failed = results.filter(({ status }) => status === "failed");
    expect(failed.map(({ uri }) => uri)).toEqual(["docs/broken.pdf", "docs/huge.md"]);
    for (const line of failed) {
      expect(Object.keys(line)).toEqual(["uri", "status", "documentId", "chunks", "error"]);
      expect(Object.keys(line["error"] as object)).toEqual(["code", "message", "hint"]);
    }
    expect(failed[1]).toMatchObject({ error: { code: "too-large", message: expect.stringContaining("11 MiB") } });
    expect(summary).toMatchObject({ added: 2, skipped: 1, failed: 2 });

    await writeFiles(cwd, { "docs/keys.md": new Uint8Array([0, 1, 2, 255, 0, 0, 0]) });
    const worse = await ingest(cwd, "docs");
    expect(worse.summary).toMatchObject({ unchanged: 1, removed: 0, failed: 3 });
    expect((await callIbid(cwd, ["show", "docs/keys.md"])).stdout).toBe(documents["docs/keys.md"]);
  });

  it("exits 1 for what is missing, after the rest is done, and for nothing but failures", async () => {
    const cwd = await project({ ...documents, "bad.bin": new Uint8Array([0, 1, 2, 0]) });
    const missing = await ingest(cwd, "nope.md", "docs", "*.nothing");
    expect(missing.code).toBe(1);
    expect(missing.statuses).toEqual([
      "added docs/guide/start.md",
      "added docs/keys.md",
      "failed *.nothing",
      "failed nope.md",
    ]);
    expect(missing.results.slice(2)).toMatchObject([
      { error: { code: "not-found" } },
      { error: { code: "not-found" } },
    ]);
    expect(missing.summary).toMatchObject({ added: 2, failed: 2 });
    expect(jsonLines(missing.stderr)).toMatchObject([
      { error: { code: "not-found", uri: "*.nothing" } },
      { error: { code: "not-found", uri: "nope.md" } },
    ]);

    const failures = await ingest(cwd, "bad.bin");
    expect(failures).toMatchObject({ code: 1, statuses: ["failed bad.bin"], summary: { failed: 1 } });
    expect(JSON.parse(failures.stderr)).toMatchObject({
      error: { uri: "bad.bin", message: "Nothing was ingested: the only document failed." },
    });
  });

  it("takes quoted globs, dotfiles when named, ignored files when named outright", async () => {
    const cwd = await project({
      ...documents,
      ".gitignore": "secret*\n",
      "docs/secret.md": "# S\n\ns\n",
      "docs/.hidden.md": "# H\n\nh\n",
      "docs/a.txt": "a\n",
    });
    expect((await ingest(cwd, "docs/**/*.md")).statuses).toEqual(["added docs/guide/start.md", "added docs/keys.md"]);
    expect((await ingest(cwd, "docs")).statuses).toEqual([
      "added docs/a.txt",
      "unchanged docs/guide/start.md",
      "unchanged docs/keys.md",
    ]);
    expect((await ingest(cwd, "docs/secret.md", "docs/.*.md")).statuses).toEqual([
      "added docs/secret.md",
      "added docs/.hidden.md",
    ]);
  });

  it("names files relative to the folder that holds the knowledge base, else absolutely", async () => {
    const cwd = await project({ ...documents, "desk/x.md": "# X\n\nx\n" });
    expect((await ingest(join(cwd, "desk"), "../docs/keys.md", "x.md", "--kb", "../kb")).statuses).toEqual([
      "added docs/keys.md",
      "added desk/x.md",
    ]);
    expect((await ingest(join(cwd, "docs"), "keys.md", "../desk/x.md")).statuses).toEqual([
      "added keys.md",
      `added ${join(cwd, "desk/x.md")}`,
    ]);
  });

  it("walks folders by the rules it is given [E15]", async () => {
    const cwd = await project({
      "docs/a.md": "# A",
      "docs/draft.md": "# Draft",
      "docs/deep/b.md": "# B",
      "docs/note.txt": "note",
      "outside/c.md": "# C",
    });
    await symlink("a.md", join(cwd, "docs/link.md"));
    await symlink("../outside", join(cwd, "docs/out"));
    const plain = await ingest(cwd, "docs", "--include", "*.md", "--exclude", "draft*", "--max-depth", "0");
    expect(plain.statuses).toEqual(["added docs/a.md"]);
    const linked = await ingest(cwd, "docs", "--follow-symlinks", "--exclude", "draft*", "--exclude", "*.txt");
    expect(linked.statuses).toEqual([
      "unchanged docs/a.md",
      "added docs/deep/b.md",
      "added docs/link.md",
      "failed docs/out",
    ]);
    expect(linked.results.at(-1)).toMatchObject({ error: { code: "unreadable" } });
  });

  it("looks again only when it is told to [E16]", async () => {
    const cwd = await project({ "docs/a.md": "# A" });
    await ingest(cwd, "docs");
    await writeFiles(cwd, { "docs/a.md": "# A, changed", "docs/b.md": "# B" });
    expect((await ingest(cwd, "docs", "--refresh", "never")).statuses).toEqual([
      "unchanged docs/a.md",
      "added docs/b.md",
    ]);
    expect((await ingest(cwd, "docs", "--refresh", "2d")).statuses).toEqual([
      "unchanged docs/a.md",
      "unchanged docs/b.md",
    ]);
    expect((await ingest(cwd, "docs", "--refresh", "0s")).statuses).toEqual([
      "updated docs/a.md",
      "unchanged docs/b.md",
    ]);
  });

  it("takes addresses from lists and sitemaps, never paths, and fetches only from the public internet", async () => {
    const cwd = await project({
      "docs/a.md": "# A",
      "secret.md": "# Secret",
      "list.txt": "# mine\nhttp://127.0.0.1:8099/page\n\nsecret.md\nfile:///etc/passwd\n",
    });
    const { code, results } = await ingest(
      cwd,
      "docs/a.md",
      "--urls",
      "list.txt",
      "--sitemap",
      "http://127.0.0.1:8099/sitemap.xml",
    );
    expect(code).toBe(0);
    expect(
      results.map(({ uri, status, error }) => [uri, status, (error as { code?: string } | undefined)?.code]),
    ).toEqual([
      ["docs/a.md", "added", undefined],
      ["http://127.0.0.1:8099/sitemap.xml", "failed", "blocked-address"],
      ["http://127.0.0.1:8099/page", "failed", "blocked-address"],
      ["secret.md", "failed", "invalid-argument"],
      ["file:///etc/passwd", "failed", "invalid-argument"],
    ]);
    const missing = await callIbid(cwd, ["ingest", "--urls", "none.txt", "--json"]);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stderr)).toMatchObject({ error: { code: "not-found", uri: "none.txt" } });
  });

  it("an empty folder is no failure", async () => {
    const cwd = await project({ "docs/.keep": "" });
    expect(await ingest(cwd, "docs")).toMatchObject({
      code: 0,
      stderr: "",
      results: [],
      summary: { added: 0, failed: 0 },
    });
    const { code, stdout } = await callIbid(cwd, ["ingest", "docs"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Nothing to ingest in docs")]);
  });

  it("never fetches from this machine", async () => {
    const server = createServer((_, response) => response.end("secret"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const cwd = await project(documents);
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x#part`;
      const { code, results } = await ingest(cwd, address);
      expect(code).toBe(1);
      expect(results).toMatchObject([
        { uri: address.replace("#part", ""), status: "failed", error: { code: "blocked-address" } },
      ]);
    } finally {
      server.close();
    }
  });
});

describe("scopes", () => {
  it("go where the options say, and only the operator writes outside their own", async () => {
    const cwd = await project(documents);
    const [file] = Object.keys(documents);
    for (const target of [[], ["--team", "acme"], ["--user", "ada"], ["--platform"]]) {
      expect((await ingest(cwd, String(file), ...target)).summary).toMatchObject({ added: 1 });
    }
    const listed = async (...as: string[]): Promise<string[]> =>
      (
        JSON.parse((await callIbid(cwd, ["list", "--json", ...as])).stdout) as { documents: { scope: string }[] }
      ).documents.map(({ scope }) => scope);
    expect(await listed()).toEqual(["deployment", "platform", "team:acme", "user:ada"]);
    expect(await listed("--as-user", "ada")).toEqual(["deployment", "user:ada"]);
    expect(await listed("--as-user", "bob")).toEqual(["deployment"]);
    expect(await listed("--as-team", "acme", "--as-user", "ada")).toEqual(["deployment", "team:acme", "user:ada"]);
    expect(await listed("--as-team", "acme", "--with-platform")).toEqual(["deployment", "platform", "team:acme"]);
    expect(await listed("--as-teams", "zeta, acme")).toEqual(["deployment", "team:acme"]);
    expect(await listed("--as-team", "zeta", "--as-teams", "acme")).toEqual(["deployment", "team:acme"]);
    expect((await callIbid(cwd, ["list", "--as-teams", "acme,"])).code).toBe(2);

    expect(await ingest(cwd, "docs", "--as-user", "ada", "--user", "ada")).toMatchObject({
      code: 0,
      summary: { added: 1, unchanged: 1 },
    });
    for (const target of [[], ["--platform"], ["--user", "bob"], ["--team", "acme"]]) {
      const denied = await callIbid(cwd, ["ingest", "docs", "--as-user", "ada", ...target, "--json"]);
      expect(denied).toMatchObject({ code: 1, stdout: "" });
      expect(JSON.parse(denied.stderr)).toMatchObject({ error: { code: "access-denied" } });
    }
  });
});

describe("for people", () => {
  it("plain lines when piped, no colours, the same exit codes", async () => {
    const cwd = await project({ ...documents, "noise.bin": new Uint8Array([0, 1, 2, 255, 0]) });
    const { code, stdout, stderr } = await runIbid(cwd, ["ingest", "docs", "noise.bin", "nope.md"], {
      FORCE_COLOR: "1",
      TERM: "xterm-256color",
    });
    expect(code).toBe(1);
    expect(stdout).not.toContain("\u001B");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^added {5}docs\/guide\/start\.md {2}\d+ chunks?$/),
      expect.stringMatching(/^added {5}docs\/keys\.md {2}\d+ chunks?$/),
    ]);
    expect(lines[2]).toMatch(/^failed {4}.*noise\.bin/);
    expect(lines[3]).toMatch(/^ {10}Give a text/);
    expect(lines[4]).toMatch(/^2 added, 2 failed · \d+ chunks · /);
    expect(lines.length).toBe(5);
    expect(stderr).toBe(
      "error: There is no file or folder at nope.md.\n  Check the path; put a glob in quotes so that the shell leaves it alone.\n",
    );
  });

  it("stops at Ctrl-C with 130; each document is whole or not there, and the next run goes on", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [
        `docs/${index}.md`,
        `# Page ${index}\n\n${`Sentence ${index} of many words. `.repeat(60)}\n`,
      ]),
    );
    const cwd = await project(many);
    const child = startIbid(cwd, ["ingest", "docs", "--json"], signalItself("SIGINT"));
    let stdout = "";
    let stderr = "";
    child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code).toBe(130);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "aborted" } });
    const landed = jsonLines(stdout).length;
    expect(landed).toBeLessThan(600);
    const { code: second, summary } = await ingest(cwd, "docs");
    expect(second).toBe(0);
    expect(Number(summary?.["unchanged"])).toBeGreaterThanOrEqual(landed);
    expect(Number(summary?.["unchanged"]) + Number(summary?.["added"])).toBe(600);
    expect(summary?.["updated"]).toBe(0);
  });
});

describe("ibid ingest --charset", () => {
  it("reads texts that do not say their encoding in the one that is named, and reads them again when that is another [E14 L7]", async () => {
    // Three letters: too few for anybody to tell what they are written in.
    const cwd = await project({ "a.txt": Uint8Array.from([0xe4, 0xf6, 0xfc]), "b.txt": "schon UTF-8: äöü" });
    expect(await ingest(cwd, ".", "--charset", "cp1251")).toMatchObject({ summary: { added: 2 } });
    expect((await callIbid(cwd, ["show", "a.txt"])).stdout).toContain("дць");
    expect((await callIbid(cwd, ["show", "b.txt"])).stdout).toContain("äöü");
    expect(await ingest(cwd, ".", "--charset", "windows-1252")).toMatchObject({ summary: { updated: 2 } });
    expect((await callIbid(cwd, ["show", "a.txt"])).stdout).toContain("äöü");
    const { code, stderr } = await callIbid(cwd, ["ingest", ".", "--charset", "klingon"]);
    expect(code).toBe(2);
    expect(stderr).toContain("windows-1252");
  });
});
