import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";
import { findRepositoryRoot, repositoryScope } from "../../src/cli/repository-root.ts";

describe("ibid memory", () => {
  it("imports, lists, shows, edits, exports and forgets notes", async () => {
    const cwd = await makeFolder({
      "notes.md":
        "<!-- ibid notes, version 1 -->\n\n## deploy-day\n\n- key: deploy-day\n- by: ada\n\n> The deploy day is Tuesday.\n",
    });
    const run = async (...args: string[]) => callIbid(cwd, ["memory", ...args, "--kb", "kb", "--in", "user:ada"]);
    expect(await run("import", "notes.md")).toMatchObject({ code: 0, stdout: "notes.md  1 added\n" });
    expect((await run("list")).stdout).toContain("The deploy day is Tuesday.\n1 note in user:ada\n");
    expect((await run("show", "deploy-day")).stdout).toContain("by: ada");
    expect((await run("edit", "deploy-day", "--text", "The deploy day is Friday.")).stdout).toContain("replaced ");
    expect((await run("list")).stdout).not.toContain("Tuesday");
    expect((await run("list", "--all")).stdout).toContain("replaced by ");
    expect((await run("export", "all.md", "--all")).stdout).toBe("wrote 2 notes to all.md\n");
    expect(readFileSync(join(cwd, "all.md"), "utf8")).toContain("> The deploy day is Friday.");
    expect(await run("forget", "deploy-day")).toMatchObject({ code: 0 });
    expect((await run("list", "--all")).stdout).toBe("0 notes in user:ada\n");
    const missing = await run("show", "deploy-day");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("There is no note deploy-day")]);
  });

  it("reads rule files as documents, and refuses a foreign file", async () => {
    const cwd = await makeFolder({ "AGENTS.md": "# Rules\n\nNever push on Fridays.\n", "readme.txt": "no rules" });
    mkdirSync(join(cwd, ".cursor", "rules"), { recursive: true });
    writeFileSync(join(cwd, ".cursor", "rules", "style.mdc"), "---\nalwaysApply: true\n---\nUse tabs.\n");
    const run = async (...args: string[]) => callIbid(cwd, [...args, "--kb", "kb"]);
    const { stdout } = await run("memory", "import", "--rules", ".", "--in", "deployment");
    expect(stdout).toContain("AGENTS.md  1 added");
    expect(stdout).toContain("style.mdc  1 added");
    expect(stdout).not.toContain("readme.txt");
    expect((await run("search", "push on Fridays")).stdout).toContain("AGENTS.md");
    expect(await run("memory", "import", "readme.txt", "--in", "deployment")).toMatchObject({ code: 1 });
  });
});

describe("the scope of a repository", () => {
  it("is that of its root, also in a worktree, and another path has another", async () => {
    const cwd = await makeFolder({});
    const main = join(cwd, "shop");
    const own = join(main, ".git", "worktrees", "w1");
    mkdirSync(own, { recursive: true });
    mkdirSync(join(main, "src"));
    mkdirSync(join(cwd, "w1"));
    writeFileSync(join(own, "commondir"), "../..\n");
    writeFileSync(join(cwd, "w1", ".git"), `gitdir: ${own}\n`);
    expect(findRepositoryRoot(join(main, "src"))).toBe(findRepositoryRoot(main));
    expect(findRepositoryRoot(join(cwd, "w1"))).toBe(findRepositoryRoot(main));
    expect(repositoryScope(main)).toMatch(/^team:repository-shop-[0-9a-f]{12}$/u);
    expect(repositoryScope(join(cwd, "else", "shop"))).not.toBe(repositoryScope(main));
  });
});
