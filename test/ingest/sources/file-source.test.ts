import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileSource } from "../../../src/ingest/sources/files/file-source.ts";
import type { FileSourceOptions } from "../../../src/ingest/sources/files/file-source.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { SourceItem, SourceRefusal } from "../../../src/contracts/reader.ts";

let base: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ibid-files-")));
});
afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), text);
  }
}

async function collect(
  inputs: string | readonly string[],
  options: Partial<FileSourceOptions> = {},
): Promise<(SourceItem | SourceRefusal)[]> {
  const source = openFileSource(typeof inputs === "string" ? [inputs] : inputs, { base, cwd: base, ...options });
  return await drain(source.items());
}

async function drain<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const uris = async (inputs: string | readonly string[], options: Partial<FileSourceOptions> = {}): Promise<string[]> =>
  (await collect(inputs, options)).map((item) => ("error" in item ? `${item.uri} ${codeOf(item.error)}` : item.uri));

const codeOf = (error: Error): string => (IbidError.isInstance(error) ? error.code : String(error));

const bytesOf = async (item: SourceItem | SourceRefusal | undefined): Promise<string> => {
  if (item === undefined || "error" in item) throw new Error(`no item: ${JSON.stringify(item)}`);
  return new TextDecoder().decode(await item.bytes());
};

describe("folders", () => {
  it("walks recursively, in the order of whole uris [E14 E15]", async () => {
    await write({
      "docs/b.md": "b",
      "docs/a/z.md": "z",
      "docs/a-b.md": "ab",
      "docs/a.md": "a",
      "docs/a/b/c.md": "c",
      "else.md": "no",
    });
    const found = await uris("docs");
    expect(found).toEqual(["docs/a-b.md", "docs/a.md", "docs/a/b/c.md", "docs/a/z.md", "docs/b.md"]);
    expect(found).toEqual(found.toSorted());
  });

  it("names relative to the base, absolute outside of it, and the base itself as a dot", async () => {
    await write({ "project/docs/a.md": "a", "outside/b.md": "b" });
    const options = { base: join(base, "project"), cwd: join(base, "project") };
    expect(await uris(".", options)).toEqual(["docs/a.md"]);
    expect(openFileSource(["."], options).folders).toEqual(["."]);
    expect(await uris("../outside", options)).toEqual([join(base, "outside/b.md")]);
    expect(openFileSource(["../outside", "docs/", "docs"], options).folders).toEqual([join(base, "outside"), "docs"]);
    expect(await uris("docs", { base: join(base, "project"), cwd: base })).toEqual([`${join(base, "docs")} not-found`]);
    expect(await uris("project/docs", { base: join(base, "project"), cwd: base })).toEqual(["docs/a.md"]);
  });

  it("says what it knows of a file before reading it [B4]", async () => {
    await write({ "docs/a.md": "four" });
    const [item] = await collect("docs");
    expect(item).toMatchObject({
      uri: "docs/a.md",
      size: 4,
      folder: "docs",
      metadata: { fileName: "a.md", fileSize: 4 },
    });
    expect(await bytesOf(item)).toBe("four");
  });

  it("leaves out dotfiles, what programs make, and the paths it is told [E15]", async () => {
    await write({
      "a.md": "a",
      ".hidden.md": "h",
      ".github/b.md": "b",
      "node_modules/p/readme.md": "r",
      "dist/c.md": "c",
      "x/build/d.md": "d",
      "x/target/e.md": "e",
      "own/f.md": "f",
      "building/g.md": "g",
    });
    expect(await uris(".", { ignore: [join(base, "own")] })).toEqual(["a.md", "building/g.md"]);
  });

  it("walks a folder named outright, whatever it is called [E15]", async () => {
    await write({
      ".gitignore": "dist\n*.log\n",
      "dist/c.md": "c",
      "dist/node_modules/d.md": "d",
      ".github/b.md": "b",
      "dist/.gitignore": "e.md\n",
      "dist/e.md": "e",
    });
    expect(await uris(["dist", ".github"])).toEqual(["dist/c.md", ".github/b.md"]);
  });

  it("obeys include and exclude [E15]", async () => {
    await write({
      "docs/a.md": "a",
      "docs/a.txt": "t",
      "docs/drafts/b.md": "b",
      "docs/sub/c.md": "c",
      "docs/sub/c.tmp.md": "x",
      "named.txt": "n",
    });
    expect(await uris(["docs", "named.txt"], { include: ["*.md"], exclude: ["drafts", "**/*.tmp.md"] })).toEqual([
      "docs/a.md",
      "docs/sub/c.md",
      "named.txt",
    ]);
    expect(await uris("docs", { include: ["sub/**"] })).toEqual(["docs/sub/c.md", "docs/sub/c.tmp.md"]);
  });

  it("goes as deep as it is told [E15]", async () => {
    await write({ "docs/a.md": "a", "docs/sub/b.md": "b", "docs/sub/deep/c.md": "c" });
    expect(await uris("docs", { maxDepth: 0 })).toEqual(["docs/a.md"]);
    expect(await uris("docs", { maxDepth: 1 })).toEqual(["docs/a.md", "docs/sub/b.md"]);
    expect(await uris("docs/**/*.md", { maxDepth: 1 })).toEqual(["docs/a.md", "docs/sub/b.md"]);
    expect(() => openFileSource(["docs"], { base, maxDepth: -1 })).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });

  it("says when a folder holds more files than a walk may have, and concludes nothing about the rest [E15 L9]", async () => {
    await write({ "docs/a.md": "a", "docs/b.md": "b", "docs/c/c.md": "c", "docs/c/d.md": "d" });
    const source = openFileSource(["docs"], { base, cwd: base, maxFiles: 3 });
    const items = await drain(source.items());
    expect(items.map((item) => ("error" in item ? `${item.uri} ${codeOf(item.error)}` : item.uri))).toEqual([
      "docs/a.md",
      "docs/b.md",
      "docs/c/c.md",
      "docs too-large",
    ]);
    expect(source.folders).toEqual([]);
    const wide = openFileSource(["docs"], { base, cwd: base, maxFiles: 2 });
    expect((await drain(wide.items())).map(({ uri }) => uri)).toEqual(["docs"]);
    expect(wide.folders).toEqual([]);
  });

  it("tells what its rules leave out [E15]", async () => {
    await write({
      "docs/a.md": "a",
      "docs/.hidden": "h",
      "docs/b.log": "b",
      "docs/node_modules/x.js": "x",
      "docs/deep/c.md": "c",
    });
    await symlink("a.md", join(base, "docs/link.md"));
    const skipped: string[] = [];
    const onSkip = (uri: string, kind: string): void => void skipped.push(`${uri} ${kind}`);
    expect(await uris("docs", { exclude: ["*.log"], maxDepth: 0, onSkip })).toEqual(["docs/a.md"]);
    expect(skipped.toSorted()).toEqual([
      "docs/.hidden file",
      "docs/b.log file",
      "docs/deep folder",
      "docs/link.md link",
      "docs/node_modules folder",
    ]);
  });

  it("an empty folder gives nothing", async () => {
    await mkdir(join(base, "docs"));
    expect(await uris("docs")).toEqual([]);
  });

  it("is lazy: a reader that stops early walks no further", async () => {
    await write({ "a.md": "a", "b.md": "b" });
    for await (const item of openFileSource(["."], { base, cwd: base }).items()) {
      expect(item.uri).toBe("a.md");
      break;
    }
  });

  it("stops when told to", async () => {
    await write({ "a.md": "a", "b.md": "b" });
    const stop = new AbortController();
    const seen: string[] = [];
    const walk = async (): Promise<void> => {
      for await (const item of openFileSource(["."], { base, cwd: base }).items(stop.signal)) {
        seen.push(item.uri);
        stop.abort();
      }
    };
    await expect(walk()).rejects.toMatchObject({ code: "aborted" });
    expect(seen).toEqual(["a.md"]);
  });

  it("refuses what it may not read, and goes on", async () => {
    await write({ "docs/a.md": "a", "docs/b/c.md": "c", "docs/d.md": "d" });
    await chmod(base, 0o755);
    await chmod(join(base, "docs/a.md"), 0o000);
    await chmod(join(base, "docs/b"), 0o000);
    // Permissions do not bind root.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const items = await collect("docs");
      expect(items.map((item) => ("error" in item ? `${item.uri} ${codeOf(item.error)}` : item.uri))).toEqual([
        "docs/a.md",
        "docs/b unreadable",
        "docs/d.md",
      ]);
      await expect(bytesOf(items[0])).rejects.toMatchObject({ code: "unreadable", uri: "docs/a.md" });
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(base, "docs/b"), 0o755);
    }
  });

  it("says nothing about a folder that it cannot list: it is no longer one that was walked whole", async () => {
    await write({ "docs/a.md": "a" });
    const source = openFileSource(["docs"], { base, cwd: base });
    expect(source.folders).toEqual(["docs"]);
    await rm(join(base, "docs"), { recursive: true });
    const items = await drain(source.items());
    expect(items).toMatchObject([{ uri: "docs", error: { code: "unreadable" } }]);
    expect(source.folders).toEqual([]);
  });
});

describe(".gitignore", () => {
  it("binds folders and globs, nested files included, the nearest deciding", async () => {
    await write({
      ".gitignore": "*.log\n/secret/\nkeep/*.md\n",
      "a.md": "a",
      "x.log": "x",
      "secret/s.md": "s",
      "sub/secret/t.md": "t",
      "sub/.gitignore": "!y.log\nz.md\n",
      "sub/y.log": "y",
      "sub/z.md": "z",
      "sub/deep/z.md": "z",
      "keep/k.md": "k",
    });
    expect(await uris(".")).toEqual(["a.md", "sub/secret/t.md", "sub/y.log"]);
    expect(await uris("**/*.{md,log}")).toEqual(["a.md", "sub/secret/t.md", "sub/y.log"]);
    expect(await uris("secret/*.md")).toEqual(["secret/*.md not-found"]);
  });

  it("binds from above the folder: up to the repository's root, outside of one up to the base", async () => {
    await write({
      ".gitignore": "no.md\n",
      "repo/.gitignore": "drafts/\n",
      "repo/docs/no.md": "n",
      "repo/docs/drafts/d.md": "d",
      "repo/docs/a.md": "a",
    });
    expect(await uris("repo/docs")).toEqual(["repo/docs/a.md"]);
    await mkdir(join(base, "repo/.git"));
    expect(await uris("repo/docs")).toEqual(["repo/docs/a.md", "repo/docs/no.md"]);
    // Met on the way down, a repository is its own world too.
    expect(await uris(".")).toEqual(["repo/docs/a.md", "repo/docs/no.md"]);
  });

  it("tells case apart where file names do", async () => {
    await write({ ".gitignore": "readme.md\n", "README.md": "r" });
    const expected = process.platform === "linux" ? ["README.md"] : [];
    expect(await uris(".")).toEqual(expected);
  });

  it("does not bind a file named outright, nor hide a dotfile that is", async () => {
    await write({ ".gitignore": "*\n", "a.md": "a", ".b.md": "b" });
    expect(await uris(["a.md", ".b.md", "."])).toEqual(["a.md", ".b.md"]);
  });
});

describe("globs", () => {
  it.each([
    ["docs/*.md", ["docs/a.md", "docs/b.md"]],
    ["docs/**", ["docs/a.md", "docs/b.md", "docs/c/d.md", "docs/c/d.txt"]],
    ["docs/**/*.md", ["docs/a.md", "docs/b.md", "docs/c/d.md"]],
    ["./docs/{a,c/d}.md", ["docs/a.md", "docs/c/d.md"]],
    ["docs/[ab].md", ["docs/a.md", "docs/b.md"]],
    ["docs/?/d.*", ["docs/c/d.md", "docs/c/d.txt"]],
    ["*/.secret/*.md", ["docs/.secret/e.md"]],
    ["docs/.*/*.md", ["docs/.secret/e.md"]],
    ["**/build/*.md", ["docs/build/f.md"]],
    ["docs/{build,c}/*.md", ["docs/build/f.md", "docs/c/d.md"]],
    ["*.nothing", ["*.nothing not-found"]],
    ["nowhere/*.md", ["nowhere/*.md not-found"]],
  ])("%s", async (pattern, expected) => {
    await write({
      "docs/a.md": "a",
      "docs/b.md": "b",
      "docs/c/d.md": "d",
      "docs/c/d.txt": "d",
      "docs/.secret/e.md": "e",
      "docs/build/f.md": "f",
    });
    expect(await uris(pattern)).toEqual(expected);
    expect(openFileSource([pattern], { base, cwd: base }).folders).toEqual([]);
  });

  it("takes absolute patterns and patterns that climb", async () => {
    await write({ "docs/a.md": "a", "work/x.txt": "x" });
    expect(await uris(join(base, "docs/*.md"))).toEqual(["docs/a.md"]);
    expect(await uris("../docs/*.md", { cwd: join(base, "work") })).toEqual(["docs/a.md"]);
  });

  it("is a path when it exists, whatever its name", async () => {
    await write({ "docs/[draft] a*.md": "the one", "docs/d a.md": "another", "x(1)/a.md": "a" });
    expect(await uris("docs/[draft] a*.md")).toEqual(["docs/[draft] a*.md"]);
    expect(await uris("x(1)")).toEqual(["x(1)/a.md"]);
  });

  it("gives a file once, whatever names it, and lets a folder have it", async () => {
    await write({ "docs/a.md": "a", "docs/b.md": "b" });
    const items = await collect(["docs/a.md", "docs/*.md", "docs", "./docs/../docs"]);
    expect(items.map((item) => [item.uri, "folder" in item ? item.folder : undefined])).toEqual([
      ["docs/a.md", "docs"],
      ["docs/b.md", "docs"],
    ]);
  });
});

describe("links", () => {
  it("stays inside: links found on a walk are not followed, and loops end", async () => {
    await write({ "outside/secret.md": "secret", "docs/a.md": "a", "docs/sub/b.md": "b" });
    await symlink(join(base, "outside"), join(base, "docs/escape"));
    await symlink(join(base, "outside/secret.md"), join(base, "docs/escape.md"));
    await symlink("../..", join(base, "docs/sub/loop"));
    await symlink("a.md", join(base, "docs/again.md"));
    expect(await uris("docs")).toEqual(["docs/a.md", "docs/sub/b.md"]);
    expect(await uris("docs/**/*.md")).toEqual(["docs/a.md", "docs/sub/b.md"]);
  });

  it("does not leave the root by a link in the literal part of a glob, unless told to", async () => {
    await write({ "project/docs/a.md": "a", "outside/secret.md": "secret", "outside/deep/secret.md": "secret" });
    const project = join(base, "project");
    await symlink(join(base, "outside"), join(project, "escape"));
    await symlink("docs", join(project, "inside"));
    const options = { base: project, cwd: project };
    for (const glob of ["escape/*.md", "escape/deep/*.md", join(project, "escape/*.md"), "./docs/../escape/**/*.md"]) {
      const items = await collect([glob], options);
      expect(items).toMatchObject([{ error: { code: "unreadable" } }]);
    }
    expect(await uris("inside/*.md", options)).toEqual(["inside/a.md"]);
    expect(await uris("escape/*.md", { ...options, symlinks: "anywhere" })).toEqual(["escape/secret.md"]);
    // A path outside is named by its own name.
    expect(await uris(join(base, "outside/*.md"), options)).toHaveLength(1);
  });

  it("follows a link that is named outright", async () => {
    await write({ "real/a.md": "a" });
    await symlink("real", join(base, "linked"));
    await symlink("real/a.md", join(base, "b.md"));
    const items = await collect(["linked", "b.md"]);
    expect(items.map((item) => item.uri)).toEqual(["linked/a.md", "b.md"]);
    expect(await bytesOf(items[1])).toBe("a");
  });

  it("does not read a link that took the place of a file after the walk", async () => {
    await write({ "docs/a.md": "a", "secret.md": "secret" });
    const [item] = await collect("docs");
    await rm(join(base, "docs/a.md"));
    await symlink("../secret.md", join(base, "docs/a.md"));
    await expect(bytesOf(item)).rejects.toMatchObject({ code: "unreadable" });
  });

  it("names files by the project they belong to when it is reached through a link", async () => {
    await write({ "project/docs/a.md": "a" });
    await symlink("project", join(base, "shortcut"));
    expect(await uris(join(base, "shortcut/docs"), { base: join(base, "project") })).toEqual(["docs/a.md"]);
  });

  it("follows them inside of the folder when told to, each by its own name, and loops end [E15]", async () => {
    await write({ "outside/secret.md": "secret", "docs/a.md": "a", "docs/sub/b.md": "b" });
    await symlink(join(base, "outside"), join(base, "docs/escape"));
    await symlink(join(base, "outside/secret.md"), join(base, "docs/escape.md"));
    await symlink("..", join(base, "docs/sub/loop"));
    await symlink("loop", join(base, "docs/sub/self"));
    await symlink("a.md", join(base, "docs/again.md"));
    await symlink("sub", join(base, "docs/twin"));
    await symlink("gone.md", join(base, "docs/broken.md"));
    expect(await uris("docs", { symlinks: "inside" })).toEqual([
      "docs/a.md",
      "docs/again.md",
      "docs/broken.md unreadable",
      "docs/escape unreadable",
      "docs/escape.md unreadable",
      "docs/sub/b.md",
      "docs/twin/b.md",
    ]);
    const items = await collect("docs", { symlinks: "inside" });
    expect(await bytesOf(items.find(({ uri }) => uri === "docs/again.md"))).toBe("a");
  });

  it("follows them anywhere only when told to just that [E15]", async () => {
    await write({ "outside/deep/secret.md": "secret", "docs/a.md": "a" });
    await symlink(join(base, "outside"), join(base, "docs/escape"));
    await symlink(join(base, "docs"), join(base, "outside/back"));
    const items = await collect("docs", { symlinks: "anywhere" });
    expect(items.map(({ uri }) => uri)).toEqual(["docs/a.md", "docs/escape/deep/secret.md"]);
    expect(await bytesOf(items[1])).toBe("secret");
    expect(() => openFileSource(["docs"], { base, symlinks: "always" as "skip" })).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });

  it("ends where folders lead to one another in every way that there is", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    await write(Object.fromEntries(names.map((name) => [`docs/${name}/own.md`, name])));
    for (const from of names)
      for (const to of names) if (from !== to) await symlink(`../${to}`, join(base, "docs", from, `to-${to}`));
    const found = await uris("docs", { symlinks: "inside" });
    expect(found.length).toBe(new Set(found).size);
    expect(found.length).toBeLessThan(2 * names.length + 1);
    for (const name of names) expect(found).toContain(`docs/${name}/own.md`);
  });

  it("says that a link leads nowhere", async () => {
    await symlink("nowhere.md", join(base, "broken.md"));
    expect(await collect("broken.md")).toMatchObject([
      { uri: "broken.md", error: { code: "not-found", message: expect.stringContaining("leads nowhere") } },
    ]);
    expect(await uris(".")).toEqual([]);
  });
});

describe("refusals", () => {
  it("names what is not there, after the rest", async () => {
    await write({ "a.md": "a" });
    const items = await collect(["missing.md", "a.md"]);
    expect(items).toMatchObject([
      { uri: "a.md" },
      { uri: "missing.md", error: { code: "not-found", uri: "missing.md" } },
    ]);
    expect(await uris(["a.md/b.md", `${"x".repeat(300)}.md`])).toEqual([
      "a.md/b.md not-found",
      `${"x".repeat(300)}.md not-found`,
    ]);
  });

  it("refuses a file above the limit by name, size and limit; one named outright may be larger [E15]", async () => {
    await write({ "docs/big.md": "", "docs/small.md": "s" });
    await truncate(join(base, "docs/big.md"), 10 * 1024 * 1024 + 1);
    const [big] = await collect("docs");
    expect(big).toMatchObject({
      uri: "docs/big.md",
      error: {
        code: "too-large",
        message: "docs/big.md has 10.1 MiB; the limit is 10 MiB.",
        details: { size: 10 * 1024 * 1024 + 1, limit: 10 * 1024 * 1024 },
        hint: "Split it, or name it outright, which allows more. In a program, maxFileBytes sets the limit.",
      },
    });
    expect(await uris(["docs", "docs/big.md"])).toEqual(["docs/big.md", "docs/small.md"]);
    await truncate(join(base, "docs/big.md"), 64 * 1024 * 1024 + 1);
    expect(await uris("docs/big.md")).toEqual(["docs/big.md too-large"]);
    // One that was named is not to be named again.
    const hint = "Split it. In a program, maxFileBytes sets the limit.";
    expect((await collect("docs/big.md"))[0]).toMatchObject({ error: { hint } });
    expect((await collect("docs", { maxFileBytes: 1 }))[0]).toMatchObject({ error: { hint } });
    expect(await uris(["docs", "docs/small.md"], { maxFileBytes: 1 })).toEqual([
      "docs/big.md too-large",
      "docs/small.md",
    ]);
  });

  it("refuses a file that grew beyond the limit after it was found", async () => {
    await write({ "a.md": "four" });
    const [item] = await collect("a.md", { maxFileBytes: 4 });
    await writeFile(join(base, "a.md"), "fives");
    await expect(bytesOf(item)).rejects.toMatchObject({ code: "too-large" });
  });

  it("reads what a special file says it has not: size 0, and content all the same", async () => {
    if (process.platform !== "linux") return;
    const [item] = await collect("/proc/self/status");
    expect(await bytesOf(item)).toContain("Name:");
  });

  // A small file is read in one go, with no turn for anybody between: these are longer.
  const long = 100_000;

  it("reads a file again that was written to meanwhile, and gives one version whole", async () => {
    await write({ "docs/a.md": "the first version".padEnd(long) });
    const [item] = await collect("docs");
    let looks = 0;
    // Asked between the parts of a file: here somebody else writes to it.
    const meddling = {
      get aborted(): boolean {
        if (++looks === 3)
          writeFileSync(join(base, "docs/a.md"), "the second version, which is longer".padEnd(2 * long));
        return false;
      },
    } as AbortSignal;
    const bytes = item !== undefined && "bytes" in item ? await item.bytes(meddling) : undefined;
    expect(new TextDecoder().decode(bytes)).toBe("the second version, which is longer".padEnd(2 * long));
    expect(looks).toBeGreaterThan(3);
  });

  it("refuses a file that somebody never stops writing to", async () => {
    await write({ "docs/a.md": "a".repeat(long) });
    const [item] = await collect("docs");
    let size = long;
    const meddling = {
      get aborted(): boolean {
        writeFileSync(join(base, "docs/a.md"), "x".repeat(++size));
        return false;
      },
    } as AbortSignal;
    const reading = item !== undefined && "bytes" in item ? item.bytes(meddling) : Promise.resolve();
    await expect(reading).rejects.toMatchObject({
      code: "unreadable",
      message: "docs/a.md was changed each of the 3 times that it was read.",
      details: { attempts: 3 },
    });
  });

  it("refuses two gigabytes by their size, before it reads any of them", async () => {
    await write({ "docs/huge.txt": "" });
    await truncate(join(base, "docs/huge.txt"), 2 ** 31);
    const before = process.memoryUsage().rss;
    expect(await uris(["docs", "docs/huge.txt"])).toEqual(["docs/huge.txt too-large"]);
    expect(process.memoryUsage().rss - before).toBeLessThan(512 * 1024 * 1024);
  });

  it("refuses a file whose name is not UTF-8, and takes names of every other kind", async () => {
    if (process.platform !== "linux") return;
    const names = [
      "ü.md",
      "u\u0308.md",
      "日本.md",
      "🦢.md",
      "a b.md",
      "new\nline.md",
      "quote'\".md",
      "-rf.md",
      "%2e.md",
    ];
    await write(Object.fromEntries(names.map((name) => [`docs/${name}`, name])));
    writeFileSync(Buffer.concat([Buffer.from(join(base, "docs/")), Buffer.from([0x66, 0xff, 0x2e, 0x6d, 0x64])]), "x");
    const items = await collect("docs");
    const read: string[] = [];
    for (const item of items) if (!("error" in item)) read.push(await bytesOf(item));
    expect(read.toSorted()).toEqual(names.toSorted());
    const refused = items.filter((item) => "error" in item);
    expect(refused).toMatchObject([
      { uri: "docs/f\uFFFD.md", error: { code: "unreadable", message: expect.stringContaining("not UTF-8") } },
    ]);
  });

  it("refuses a file that vanished", async () => {
    await write({ "docs/a.md": "a" });
    const [item] = await collect("docs");
    await rm(join(base, "docs/a.md"));
    await expect(bytesOf(item)).rejects.toMatchObject({
      code: "unreadable",
      message: "docs/a.md vanished before it could be read.",
    });
  });

  it("never waits for a pipe, a socket or a device", async () => {
    if (process.platform === "win32") return;
    await write({ "docs/a.md": "a" });
    execFileSync("mkfifo", [join(base, "docs/pipe")]);
    const server = createServer().listen(join(base, "docs/socket"));
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      expect(await uris(["docs", "docs/pipe", "/dev/null"])).toEqual([
        "docs/a.md",
        "docs/pipe unreadable",
        "docs/socket unreadable",
        "/dev/null unreadable",
      ]);
    } finally {
      server.close();
    }
  });

  it("refuses arguments that say nothing", () => {
    const open = (input: string, options = {}): unknown => openFileSource([input], { base, ...options });
    expect(() => open(" ")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => open("a\0b")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => open("a", { maxFileBytes: 0 })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => open("a", { maxFileByte: 1 })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => open("file://host/a")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("takes the address of a local file for its path", async () => {
    await write({ "a b.md": "a" });
    expect(await uris(`file://${base}/a%20b.md`)).toEqual(["a b.md"]);
  });
});
