import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnv, callIbid, executable, makeFolder } from "./run-ibid.ts";
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
    writeFileSync(join(cwd, "answer.md"), "The deploy day is Tuesday.\n");
    const { stdout } = await callIbid(cwd, ["verify", "answer.md", "--kb", "kb", "--as-user", "ada"]);
    expect(stdout).toMatch(
      /note:key-deploy-day\/\S+ holds no\s+longer, since \d{4}-\S+ replaced\s+by\s+note:key-deploy-day/u,
    );
    expect((await run("export", "all.md", "--all")).stdout).toBe("wrote 2 notes to all.md\n");
    expect(readFileSync(join(cwd, "all.md"), "utf8")).toContain("> The deploy day is Friday.");
    expect(await run("forget", "deploy-day")).toMatchObject({ code: 0 });
    expect((await run("list", "--all")).stdout).toBe("0 notes in user:ada\n");
    const missing = await run("show", "deploy-day");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("There is no note deploy-day")]);
  });

  it("tells a named caller nothing of others by what it forgets", async () => {
    const note = (key: string, text: string): string =>
      `<!-- ibid notes, version 1 -->\n\n## ${key}\n\n- key: ${key}\n- by: ada\n\n> ${text}\n`;
    const cwd = await makeFolder({
      "hidden.txt": "The price is forty-two quokkas.",
      "right.md": note("guess", "The price is forty-two quokkas."),
      "wrong.md": note("guess", "Nine wombats were bribed."),
    });
    const run = async (...args: string[]) => callIbid(cwd, [...args, "--kb", "kb"]);
    // A former version of a document of others has the words.
    const hide = () => run("ingest", "hidden.txt", "--history", "--scope", "team:board");
    expect(await hide()).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, "hidden.txt"), "The price is a secret.");
    expect(await hide()).toMatchObject({ code: 0 });
    const eve = ["--in", "user:eve", "--as-user", "eve"];
    const proofs = [];
    for (const guess of ["right.md", "wrong.md"]) {
      expect(await run("memory", "import", guess, ...eve)).toMatchObject({ code: 0 });
      const { code, stdout } = await run("memory", "forget", "guess", "--json", ...eve);
      proofs.push([code, (JSON.parse(stdout) as { files: string }).files]);
    }
    expect(proofs[0]).toEqual(proofs[1]);
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

describe("ibid memory import --watch", () => {
  it("follows session files as they grow, goes on after a foreign one, and ends by a signal", async () => {
    const cwd = await makeFolder({});
    const sessions = join(cwd, "sessions");
    mkdirSync(sessions);
    const file = join(sessions, "c-1.jsonl");
    const message = (uuid: string, content: string): string =>
      `${JSON.stringify({
        type: "user",
        uuid,
        sessionId: "c-1",
        cwd: "/shop",
        version: "2.0.61",
        timestamp: "2026-05-01T10:00:00Z",
        message: { role: "user", content },
      })}\n`;
    writeFileSync(file, `${message("u-1", "Why is the umbrella test red?")}{"type":"other"}\n`);
    const place = ["--kb", "kb", "--in", "user:ada"];
    const args = [executable, "memory", "import", "sessions", "--watch", "--json", ...place];
    const child = spawn(process.execPath, args, { cwd, env: bareEnv(cwd), stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value as string) as { file: string; added: number };
    expect(await next()).toMatchObject({ file: "sessions/c-1.jsonl", added: 1, problems: [{ line: 2 }] });
    // A client makes its file before it writes into it.
    writeFileSync(join(sessions, "c-2.jsonl"), "");
    expect(await next()).toMatchObject({ file: "sessions/c-2.jsonl", added: 0, problems: [{}] });
    appendFileSync(file, message("u-2", "Because of the rain date."));
    expect(await next()).toMatchObject({ file: "sessions/c-1.jsonl", added: 1, unchanged: 1, problems: [] });
    writeFileSync(join(sessions, "c-2.jsonl"), message("u-3", "And the parasol?").replace("c-1", "c-2"));
    expect(await next()).toMatchObject({ file: "sessions/c-2.jsonl", added: 1 });
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const { stdout } = await callIbid(cwd, ["search", "rain date parasol", "--json", "--kb", "kb", "--as-user", "ada"]);
    expect(stdout).toContain("Because of the rain date.");
    expect(stdout).toContain("And the parasol?");
  }, 60_000);
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
