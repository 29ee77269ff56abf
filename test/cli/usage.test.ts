import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid, type Finished, makeFolder, runIbid } from "./run-ibid.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await makeFolder({ "a.md": "# A\n\ntext\n" });
});
afterAll(() => rm(cwd, { recursive: true }));

const runHere = (args: readonly string[]): Promise<Finished> => callIbid(cwd, args);

describe("used wrongly: exit 2, what and the hint on standard error, nothing on standard output", () => {
  it.each([
    [["nosuch"], "Unknown command 'nosuch'.", "ibid --help"],
    [["serch", "x"], "Unknown command 'serch'.", "Did you mean search?"],
    [["help", "nosuch"], "Unknown command 'nosuch'.", "ibid --help"],
    [["search"], "Missing required argument 'query'.", "ibid search --help"],
    [["search", "two", "words"], "Too many arguments", "Put the query in quotes."],
    [["search", " "], "The query is blank.", "Give a query."],
    [["search", "x", "--topk", "3"], "Unknown option '--topk'.", "Did you mean --top-k?"],
    [["search", "x", "--top-k", "0"], "a whole number from 1", "ibid search --help"],
    [["search", "x", "--mode", "magic"], "hybrid, dense, lexical, regex", "ibid search --help"],
    [["search", "x", "--filter", "{year:1}"], "It must be a JSON object", "ibid search --help"],
    [["search", "x", "--min-score", "high"], "It must be a number.", "ibid search --help"],
    [["ingest"], "No input is named.", "--sitemap"],
    [["ingest", "a.md", "--team", "t", "--user", "u"], "cannot be used with", "ibid ingest --help"],
    [["ingest", "a.md", "--platform", "--user", "u"], "cannot be used with", "ibid ingest --help"],
    [["ingest", "a.md", "--team", " "], "It must be a name that is not blank.", "See: ibid ingest --help"],
    [["ingest", "a.md", "--metadata", "novalue"], "has no key and value", "Write key=value."],
    [["list", "--as-user", ""], "--as-user is blank.", "leave the option out"],
    [["ingest", "a.md", "--refresh", "often"], "always, never, lastmod, or a time", "ibid ingest --help"],
    [["ingest", "a.md", "--max-depth", "-1"], "a whole number from 0", "ibid ingest --help"],
    [["show"], "No document and no chunk is named.", "--chunk"],
    [["show", "a.md", "--chunk", "x"], "A document and a chunk are named.", "--chunk"],
    [["show", "a.md", "--neighbours", "2"], "--neighbours and --zoom-out need --chunk.", "--chunk"],
    [["show", "--chunk", "x", "--neighbours", "2", "--zoom-out"], "cannot be used with", "ibid show --help"],
    [["show", "a.md", "--section", "0", "--outline"], "cannot be used with", "ibid show --help"],
    [["show", "a.md", "--at", "9-4"], "Did you mean 9:4?", "ibid show --help"],
    [["show", "a.md", "--outline", "--at", "0:1"], "cannot be used with", "ibid show --help"],
    [["delete", "a.md", "--scope", "everyone"], "team:<id>", "ibid delete --help"],
    [["reembed"], "No embedding model is named.", "--embedding-model"],
    [["reembed", "--embedding-model", "none"], "No embedding model is named.", "--embedding-model"],
    [["list", "--embedding-model", "foo"], 'A model is named provider/model, not "foo".', "ollama/qwen3:8b"],
    [["show", "a.md", "--reranker", "nosuch/x"], 'The provider "nosuch" is not known.', "Known providers"],
    [["list", "--former-embedding-model", "x"], 'A model is named provider/model, not "x".', "ollama/qwen3:8b"],
    [["watch", "--poll-often"], "Unknown option '--poll-often'.", "ibid watch --help"],
    [["serve", "--judge", "ollama/qwen3"], "--judge needs --model", "--model"],
    [["serve", "--keys", "a.md"], "The keys in a.md are invalid: the text is not JSON.", "sha256"],
    [["list", "extra"], "Too many arguments", "ibid list --help"],
    [["keys", "add"], "Missing required argument 'name'.", "See: ibid keys add --help"],
    [["keys", "nope"], "Unknown command 'nope'.", "See: ibid keys --help"],
  ])("ibid %j", async (args, message, hint) => {
    const [plain, json] = await Promise.all([runHere(args), runHere([...args, "--json"])]);
    expect(plain).toMatchObject({ code: 2, stdout: "" });
    expect(plain.stderr).toMatch(/^error: /);
    expect(plain.stderr).toContain(message);
    expect(plain.stderr).toContain(`\n  `);
    expect(plain.stderr).toContain(hint);
    expect(json).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(json.stderr)).toEqual({
      error: {
        code: "invalid-argument",
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      },
    });
  });

  it.each([
    ["migrate", "kb", "postgres://ada:hun#ter2@db.example/kb"],
    ["postgres://ada:hun#ter2@db.example/kb"],
    ["search", "x", "--top-k", "postgres://ada:hun#ter2@db.example/kb"],
    ["list", "--kbs=postgres://ada:hun#ter2@db.example/kb"],
    ["--kb", "postgres://ada:hun#ter2@db.example/kb", "list", "extra"],
    ["ingest", "postgres://ada:hun#ter2@db.example/kb"],
    ["ingest", "https://ada:hunter2@127.0.0.1:1/a.md"],
    ["show", "postgres://ada:hun#ter2@db.example/kb"],
    ["migrate", "mysql://ada:hun#ter2@db.example/kb"],
  ])("repeats no user and no password of an address: ibid %s", async (...args) => {
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).not.toMatch(/ada|ter2/u);
  });

  it("exits so as a process too", async () => {
    const args = ["search", "x", "--topk", "3", "--json"];
    expect(await runIbid(cwd, args)).toEqual(await runHere(args));
  });

  it("no command at all: the help, on standard error", async () => {
    const [plain, json] = await Promise.all([runHere([]), runHere(["--json"])]);
    expect(plain).toMatchObject({ code: 2, stdout: "" });
    expect(plain.stderr).toContain("Usage: ibid <command>");
    expect(json).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: "invalid-argument", message: "No command is given." },
    });
  });
});

describe("help", () => {
  it("is there for everything, with examples, and exits 0", async () => {
    const commands = ["ingest", "search", "ask", "list", "show", "delete", "status", "eval"];
    const texts = await Promise.all([runHere(["--help"]), ...commands.map((name) => runHere([name, "--help"]))]);
    for (const { code, stdout, stderr } of texts) {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("Examples:\n  $ ibid ");
      for (const option of ["--kb", "--json", "--as-user", "--as-team", "--as-teams", "--with-platform"])
        expect(stdout).toContain(option);
    }
    for (const name of commands) expect(texts[0]?.stdout).toContain(`  ${name} `);
    const listed = [...(texts[0]?.stdout ?? "").matchAll(/^ {2}([a-z]+)(?: \[| <| {2,}[a-z])/gmu)].map(
      ([, name]) => name!,
    );
    expect(listed).toEqual(expect.arrayContaining([...commands, "watch", "mcp", "reembed"]));
    for (const each of await Promise.all(listed.map((name) => runHere(["help", name])))) {
      expect(each.code).toBe(0);
      // Texts of options link to pages; a terminal shows their words.
      expect(each.stdout).not.toMatch(/`|\]\(/u);
    }
    const [again, version] = await Promise.all([runHere(["help", "show"]), runIbid(cwd, ["--version"])]);
    expect(again).toEqual(texts[1 + commands.indexOf("show")]);
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/) });
  });
});

describe("a knowledge base that is not there", () => {
  it("is made by ingest alone; the others say so", async () => {
    const commands = [["search", "x"], ["ask", "x"], ["list"], ["show", "a.md"], ["delete", "a.md"], ["status"]];
    const results = await Promise.all(commands.map((args) => callIbid(cwd, [...args, "--kb", "nowhere", "--json"])));
    for (const { code, stdout, stderr } of results) {
      expect([code, stdout]).toEqual([1, ""]);
      expect(JSON.parse(stderr)).toMatchObject({
        error: { code: "not-found", hint: expect.stringContaining("ibid ingest") },
      });
    }
  });
});
