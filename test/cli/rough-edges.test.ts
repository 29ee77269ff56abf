import { execFileSync, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { nearest } from "../../src/cli/suggest-uris.ts";
import { displayWidth } from "../../src/cli/text-layout.ts";
import { createOutput } from "../../src/cli/output.ts";
import { list } from "../../src/cli/list.ts";
import { withoutFrontMatter } from "../../src/text/snippet.ts";
import { describeNames } from "../../src/text/place-labels.ts";
import { PassThrough } from "node:stream";
import { bareEnv, callIbid, type Finished, makeFolder } from "./run-ibid.ts";

const executable = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));

let cwd = "";
beforeAll(async () => {
  cwd = await makeFolder({
    "docs/keys.md":
      "---\ntitle: Key handbook\nslug: rotation\n---\n\n# Key handbook\n\n## Rotation\n\nSigning keys are rotated every ninety days.\n",
    "docs/long/folder/of/several/parts/with-a-name-that-is-wide/tea.md":
      "# Tea\n\nA kettle boils. Every day has a tea time, and tea is green.\n",
  });
  expect((await callIbid(cwd, ["ingest", "docs"])).stdout).not.toContain("embedded");
}, 60_000);

/** The real command line with these lines on standard input. */
function pipe(args: readonly string[], input: string): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [executable, ...args], { cwd, env: bareEnv(cwd) });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}

describe("a slip", () => {
  it("of a prefix names the folder that was meant, beside the empty result", async () => {
    for (const args of [
      ["search", "keys", "--under", "doks/long"],
      ["list", "--under", "dcs/long/"],
    ]) {
      const { code, stdout, stderr } = await callIbid(cwd, args);
      expect([code, stdout]).toEqual([0, args[0] === "list" ? "No documents.\n" : "Nothing found.\n"]);
      expect(stderr).toBe(`No document that you may read begins with ${args.at(-1)}. Did you mean docs/long/?\n`);
      expect((await callIbid(cwd, [...args, "--quiet"])).stderr).toBe("");
    }
    // The prefix has a document, and the query finds none.
    expect((await callIbid(cwd, ["search", "xylophone", "--under", "docs/"])).stderr).toBe("");
  });

  it.each([
    [["list", "--sort", "newst"], "newest"],
    [["search", "x", "--mode", "lexcal"], "lexical"],
    [["mcp", "install", "curser"], "cursor"],
    [["completion", "bsh"], "bash"],
  ])("of a choice is %j, and names the nearest one", async (args, meant) => {
    const { code, stderr } = await callIbid(cwd, args);
    expect(code).toBe(2);
    expect(stderr).toContain(`  Did you mean ${meant}? See: ibid ${args[0]}`);
  });

  it("of a key or of a configuration says what is there", async () => {
    expect((await callIbid(cwd, ["keys", "add", "bob", "--keys", "keys.json"])).code).toBe(0);
    expect(await callIbid(cwd, ["keys", "revoke", "bb", "--keys", "keys.json"])).toMatchObject({
      code: 1,
      stderr: 'error: No key has the name "bb".\n  Did you mean bob?\n',
    });
    const { code, stderr } = await callIbid(cwd, ["config", "check", "--config", "none-such.ts"]);
    expect([code, stderr.split("\n")[0]]).toEqual([1, "error: There is no configuration none-such.ts."]);
  });
});

describe("a list of records", () => {
  it("says when it is empty, when it may go on, and what lists those that are there", async () => {
    const folder = await makeFolder({
      "two.jsonl": '{"id":"a","name":"Ada"}\n{"id":"b","name":"Bob"}\n',
      "a.txt": "a",
    });
    const ibid = (...args: string[]) => callIbid(folder, args);
    await ibid("ingest", "a.txt");
    expect((await ibid("collections", "list")).stdout).toBe("0 collections\n");
    expect((await ibid("entities", "add", "person", "two.jsonl")).code).toBe(0);
    expect((await ibid("entities", "list", "person")).stdout).toMatch(/\n2 entities\n$/u);
    for (const command of ["entities", "collections"]) {
      const { stdout } = await ibid(command, "list", "person", "--limit", "1");
      expect(stdout).toMatch(/, and there may be more: --limit 10\n$/u);
      expect((await ibid(command, "show", "person", "c")).stderr).toContain(`See: ibid ${command} list person`);
    }
  });
});

describe("a search for people", () => {
  it("shows a hit under its document with its relevance, and no front matter", async () => {
    const { stdout } = await callIbid(cwd, ["search", "how often are signing keys rotated"]);
    expect(stdout).toMatch(/^Key handbook\ndocs\/keys\.md\n {1,2}1\. \d\d % · line \d+/u);
    expect(stdout).not.toContain("slug:");
  });

  it("puts weak matches under a heading of their own, and leaves none of topK out", async () => {
    const query = "which zebra, quagga, wombat or numbat is green every year";
    const { stdout } = await callIbid(cwd, ["search", query]);
    const { hits } = JSON.parse((await callIbid(cwd, ["search", query, "--json"])).stdout) as { hits: unknown[] };
    expect(stdout).toMatch(/^Weak matches, which share words with the query/u);
    expect(stdout.match(/^ *\d+\. /gmu)).toHaveLength(hits.length);
  });

  it("never repeats the title of a page in a trail", () => {
    const names = (title: string, ...headings: string[]): string => describeNames({ title, headings });
    expect(names("Keys", "Guide", "keys ", "Rotation")).toBe("Keys › Guide › Rotation");
    expect(names("", "Guide", "Guide", "Rotation")).toBe("Guide › Rotation");
    expect(names("Keys")).toBe("Keys");
  });

  it("cuts front matter, and nothing that only looks like it", () => {
    expect(withoutFrontMatter("---\na: 1\n---\n\ntext")).toBe("text");
    expect(withoutFrontMatter("---\r\na: 1\r\n---\r\ntext")).toBe("text");
    for (const text of ["---\na: 1\n---\n", "---\nno end", "text\n---\na\n---\n", "----\na\n---\nb"])
      expect(withoutFrontMatter(text)).toBe(text);
  });
});

describe("a uri that names nothing", () => {
  it("is answered with the nearest ones", () => {
    const uris = ["docs/keys.md", "docs/teams.md", "a/tea.md", "b/tea.md"];
    expect(nearest("keys.md", uris)).toEqual(["docs/keys.md"]);
    expect(nearest("docs/kyes.md", uris)).toEqual(["docs/keys.md"]);
    expect(nearest("keys", uris)).toEqual(["docs/keys.md"]);
    expect(nearest("TEA.md", uris)).toEqual(["a/tea.md", "b/tea.md"]);
    expect(nearest("docs\\keys.md", uris)).toEqual(["docs/keys.md"]);
    expect(nearest("entirely/other.pdf", uris)).toEqual([]);
    expect(nearest("", uris)).toEqual([]);
  });

  it("is so for show and delete", async () => {
    for (const command of ["show", "delete"]) {
      const { code, stderr } = await callIbid(cwd, [command, "docs/kyes.md"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("Did you mean docs/keys.md?")]);
    }
    expect((await callIbid(cwd, ["show", "nothing-like-it"])).stderr).toContain("ibid list");
  });
});

describe("a name that names nothing", () => {
  const hintOf = async (...args: string[]): Promise<readonly [number | null, string]> => {
    const { code, stderr } = await callIbid(cwd, args);
    return [code, stderr];
  };

  it("of a deleted document is answered with those that can be restored", async () => {
    const folder = await makeFolder({ "a/rain.md": "# Rain\n\nIt rains.\n", "a/sun.md": "# Sun\n\nIt shines.\n" });
    const kb = ["--kb", `${folder}/.ibid`];
    await callIbid(folder, ["ingest", "a", ...kb]);
    await callIbid(folder, ["delete", "a/rain.md", ...kb]);
    const said = async (typed: string) => (await callIbid(folder, ["restore", typed, ...kb])).stderr;
    expect(await said("a/rian.md")).toContain("Did you mean a/rain.md?");
    expect(await said("rain")).toContain("Did you mean a/rain.md?");
    expect(await said("a/sun.md")).toContain("a/sun.md is there, and not deleted: ibid show a/sun.md");
    expect(await said("wholly/other.pdf")).toContain("A purged or vacuumed document cannot be restored");
    expect((await callIbid(folder, ["restore", "a/rain.md", ...kb])).code).toBe(0);
  });

  it("of a chunk is answered with the ids that begin so, or with the document", async () => {
    const { stdout } = await callIbid(cwd, ["search", "signing keys", "--json"]);
    const { chunkId } = (JSON.parse(stdout) as { hits: { chunkId: string }[] }).hits[0]!;
    const changed = `${chunkId.slice(0, 8)}${chunkId[8] === "0" ? "1" : "0"}${chunkId.slice(9)}`;
    for (const typed of [chunkId.slice(0, 6), `${chunkId.slice(0, 4)}…`, changed])
      expect(await hintOf("show", "--chunk", typed)).toEqual([
        1,
        expect.stringContaining(`Did you mean ${chunkId} (docs/keys.md)?`),
      ]);
    expect((await hintOf("show", "--chunk", "docs/keys.md"))[1]).toContain("leave --chunk out: ibid show docs/keys.md");
    expect((await hintOf("show", "--chunk", "zzzz"))[1]).toContain("ibid search <query> --ids");
  });

  it("of a file or a folder to ingest is answered with the one beside it", async () => {
    expect((await hintOf("ingest", "dosc"))[1]).toContain("Did you mean docs?");
    expect((await hintOf("ingest", "docs/kyes.md"))[1]).toContain("Did you mean docs/keys.md?");
    expect((await hintOf("ingest", "docs/else.pdf"))[1]).toContain("Check the path");
  });

  it("of a place or a section is answered with the nearest one", async () => {
    const { length } = (
      JSON.parse((await callIbid(cwd, ["show", "docs/keys.md", "--json"])).stdout) as { text: string }
    ).text;
    expect((await hintOf("show", "docs/keys.md", "--at", "20:10"))[1]).toContain("Did you mean --at 10:20?");
    expect((await hintOf("show", "docs/keys.md", "--at", "10:99999"))[1]).toContain(`Did you mean --at 10:${length}?`);
    expect((await hintOf("show", "docs/keys.md", "--at", "99998:99999"))[1]).toContain("Give START:END");
    for (const typed of ["10-20", "10..20", "10,20"])
      expect(await hintOf("show", "docs/keys.md", "--at", typed)).toEqual([
        2,
        expect.stringContaining("Did you mean 10:20?"),
      ]);
    expect((await hintOf("show", "docs/keys.md", "--section", "rotaton"))[1]).toMatch(
      /Did you mean --section [\d.]+ \(Rotation\)\?/u,
    );
    expect((await hintOf("show", "docs/keys.md", "--section", "9.9"))[1]).toContain("--outline");
  });
});

describe("ibid list", () => {
  it("narrows, orders, counts and pages, by names and by next", async () => {
    const ask = async (...args: string[]) =>
      JSON.parse((await callIbid(cwd, ["list", "--json", ...args])).stdout) as {
        documents: { uri: string }[];
        next?: string;
        total?: number;
      };
    const urisOf = ({ documents }: { documents: { uri: string }[] }): string[] => documents.map(({ uri }) => uri);
    const all = urisOf(await ask());
    expect(all).toHaveLength(2);
    const first = await ask("--limit", "1", "--total", "--sort", "title");
    expect([urisOf(first), first.total]).toEqual([["docs/keys.md"], 2]);
    expect(urisOf(await ask("--limit", "1", "--sort", "title", "--after", first.next!))).toEqual([all[1]]);
    expect(urisOf(await ask("--after", "docs/keys.md"))).toEqual([all[1]]);
    expect(urisOf(await ask("--under", "docs/long/"))).toEqual([all[1]]);
    expect(urisOf(await ask("--type", "image/"))).toEqual([]);
    expect((await callIbid(cwd, ["list", "--after", "docs/kyes.md"])).stderr).toContain("Did you mean docs/keys.md?");
    expect((await callIbid(cwd, ["list", "--sort", "size"])).code).toBe(2);
    expect((await callIbid(cwd, ["list", "--limit", "1", "--total"])).stdout).toMatch(
      /--after docs\/keys\.md\n2 documents in all/u,
    );
  });
});

describe("ibid list on a terminal", () => {
  it.each([30, 50, 80, 120])("fits %i columns", async (columns) => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true as const, columns });
    const stderr = new PassThrough();
    const output = createOutput({ stdout, stderr, json: false, env: { NO_COLOR: "1" } });
    await list({ output, stdout, stderr, signal: new AbortController().signal }, { kb: `${cwd}/.ibid` });
    const lines = (stdout.read() as Buffer).toString().trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });
});

describe("ibid ask and chat", () => {
  it("ask - reads standard input, and says when it is empty", async () => {
    expect(await pipe(["ask", "-"], "How often are signing keys rotated?\n")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Signing keys are rotated every ninety days."),
    });
    expect(await pipe(["ask", "-"], " \n")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Standard input holds no question."),
    });
  });

  it("chat takes /help, /clear and exit, and names a command that it has not", async () => {
    const told = await pipe(["chat"], "/help\n/clear\n/halp\nHow often are signing keys rotated?\nexit\nAnd tea?\n");
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining("ninety days") });
    expect(told.stdout).not.toContain("kettle");
    for (const said of ["A line is a question", "A new conversation begins.", "There is no such command."])
      expect(told.stderr).toContain(said);
  });
});

describe("ibid --quiet", () => {
  it("prints results and errors alone", async () => {
    expect(await callIbid(cwd, ["ingest", "docs", "--quiet"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await callIbid(cwd, ["search", "tea", "-q"])).stdout).toContain("tea.md");
    const failed = await callIbid(cwd, ["show", "nothing", "-q"]);
    expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("There is no document") });
  });
});

const hasShell = (name: string): boolean => spawnSync(name, ["-c", "true"]).status === 0;

describe("ibid completion", () => {
  it("completes commands, commands of commands, and flags, in bash", async () => {
    const { stdout: script } = await callIbid(cwd, ["completion", "bash"]);
    const complete = async (...words: string[]): Promise<string[]> => {
      const tail = `\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _ibid; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const child = spawn("bash", ["--norc", "-c", script + tail], { cwd });
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      await new Promise((resolve) => child.on("close", resolve));
      return out.split("\n").filter((word) => word !== "");
    };
    expect(await complete("ibid", "se")).toEqual(["search", "serve"]);
    expect(await complete("ibid", "config", "p")).toEqual(["print"]);
    expect(await complete("ibid", "search", "--top")).toEqual(["--top-k"]);
    expect(await complete("ibid", "--kb", "x", "keys", "ro")).toEqual(["rotate"]);
    expect(await complete("ibid", "search", "x", "--mode", "")).toEqual(["hybrid", "dense", "lexical", "regex"]);
    expect(await complete("ibid", "list", "--sort", "n")).toEqual(["newest"]);
    expect(await complete("ibid", "mcp", "install", "c")).toEqual(["claude-desktop", "claude-code", "cursor"]);
    expect(await complete("ibid", "search", "--mode", "=")).toEqual(["hybrid", "dense", "lexical", "regex"]);
    expect(await complete("ibid", "search", "--mode", "=", "lex")).toEqual(["lexical"]);
    expect(await complete("ibid", "he")).toEqual(["help"]);
    expect(await complete("ibid", "help", "se")).toEqual(["search", "serve"]);
    // A value without choices may be a file, and is no flag.
    writeFileSync(join(cwd, "a-file.md"), "A heron.");
    expect(await complete("ibid", "search", "--synonyms", "a-fi")).toEqual(["a-file.md"]);
    expect(await complete("ibid", "search", "--kb", "--")).toEqual([]);
  });

  const lines = (command: string, ...args: readonly string[]): readonly string[] =>
    execFileSync(command, args, { cwd, encoding: "utf8" }).trim().split("\n");

  it.skipIf(!hasShell("zsh"))("completes the same in zsh, and leaves the shell as it was", async () => {
    const { stdout: script } = await callIbid(cwd, ["completion", "zsh"]);
    expect(script).toMatch(/^#compdef ibid\n/u);
    // Functions of the completion system, which a script has none of.
    const system = `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print files; }; compset() { :; }
      _describe() { for each in "\${(@P)2}"; do print -r -- "\${each%%:*}"; done; }\n`;
    const complete = (current: string, ...words: readonly string[]): readonly string[] => {
      const given = [...words, current].map((word) => `'${word}'`).join(" ");
      const call = `words=(${given}); CURRENT=${words.length + 1}; PREFIX='${current}'; _ibid; [[ "$PATH" == */bin* ]] || print broken`;
      return lines("zsh", "-f", "-c", `${system}${script}${call}`);
    };
    expect(complete("", "ibid")).toEqual(expect.arrayContaining(["search", "serve", "keys"]));
    expect(complete("", "ibid", "config")).toEqual(["check", "print", "schema"]);
    expect(complete("--top", "ibid", "search")).toEqual(expect.arrayContaining(["--top-k", "--kb"]));
    expect(complete("", "ibid", "--kb", "x", "keys")).toEqual(expect.arrayContaining(["rotate", "revoke"]));
    expect(complete("a", "ibid", "ingest")).toEqual(["files"]);
    expect(complete("", "ibid", "search", "--mode")).toEqual(["hybrid", "dense", "lexical", "regex"]);
    expect(complete("", "ibid", "search", "--kb")).toEqual(["files"]);
    expect(complete("--mode=", "ibid", "search")).toEqual(["hybrid", "dense", "lexical", "regex"]);
    expect(complete("--kb=", "ibid", "search")).toEqual(["files"]);
    expect(complete("", "ibid")).toContain("help");
    expect(complete("", "ibid", "help")).toContain("keys");
    expect(complete("c", "ibid", "mcp", "install")).toContain("claude-code");
    expect(complete("--n", "ibid", "mcp", "install")).toContain("--name");
  });

  it.skipIf(!hasShell("fish"))("completes the same in fish", async () => {
    const { stdout: script } = await callIbid(cwd, ["completion", "fish"]);
    const complete = (line: string): readonly string[] =>
      lines("fish", "--no-config", "-c", `${script}\ncomplete -C ${JSON.stringify(line)}`).map(
        (each) => each.split("\t")[0]!,
      );
    expect(complete("ibid se")).toEqual(["search", "serve"]);
    expect(complete("ibid config p")).toEqual(["print"]);
    expect(complete("ibid search --top")).toEqual(["--top-k"]);
    expect(complete("ibid --kb x keys ro")).toEqual(["rotate"]);
    expect(complete("ibid search x --mode ")).toEqual(["dense", "hybrid", "lexical", "regex"]);
    expect(complete("ibid mcp install claude")).toEqual(["claude-code", "claude-desktop"]);
    expect(complete("ibid he")).toEqual(["help"]);
    expect(complete("ibid help se")).toEqual(["search", "serve"]);
    // A word of another command, such as `list` and a word of the query, brings none of its flags.
    expect(complete("ibid keys list --a")).toEqual(["--as-team", "--as-teams", "--as-user"]);
    expect(complete("ibid search keys ro")).not.toContain("rotate");
  });

  it("is there for three shells, and for no other", async () => {
    expect((await callIbid(cwd, ["completion", "fish"])).stdout).toContain("-a search -d");
    expect((await callIbid(cwd, ["completion", "powershell"])).code).toBe(2);
  });
});
