import {
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "jsonc-parser";
import { callIbid, makeFolder, writeFiles } from "./run-ibid.ts";
import { clientFile, type ClientSystem, installEntry, mcpClients } from "../../src/cli/mcp-install.ts";

const entry = { command: "npx", args: ["-y", "ibid", "mcp", "--kb", "/kb"] };

function linux(): ClientSystem {
  const home = mkdtempSync(join(tmpdir(), "ibid-home-"));
  return { platform: "linux", home, folder: join(home, "project"), env: {} };
}

describe("ibid mcp install", () => {
  it("knows the files of each client on three systems", () => {
    const on = (platform: NodeJS.Platform, home: string, env: Record<string, string> = {}) =>
      mcpClients.map((client) => clientFile(client, { platform, home, folder: join(home, "p"), env }).file);
    expect(on("linux", "/home/ada")).toEqual([
      "/home/ada/.config/Claude/claude_desktop_config.json",
      "/home/ada/p/.mcp.json",
      "/home/ada/.cursor/mcp.json",
      "/home/ada/.config/Code/User/mcp.json",
    ]);
    expect(on("darwin", "/Users/ada").toSpliced(1, 1)).toEqual([
      "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
      "/Users/ada/.cursor/mcp.json",
      "/Users/ada/Library/Application Support/Code/User/mcp.json",
    ]);
    expect(on("win32", "C:\\Users\\ada", { APPDATA: "D:\\Roaming" }).toSpliced(1, 1)).toEqual([
      "D:\\Roaming\\Claude\\claude_desktop_config.json",
      "C:\\Users\\ada\\.cursor\\mcp.json",
      "D:\\Roaming\\Code\\User\\mcp.json",
    ]);
  });

  it("keeps the other entries and settings, and a copy of each file that it changes", () => {
    const system = linux();
    const { file } = clientFile("cursor", system);
    mkdirSync(dirname(file), { recursive: true });
    const before = '{ "theme": "dark", "mcpServers": { "other": { "command": "other" } } }';
    writeFileSync(file, before);
    const first = installEntry("cursor", "ibid", entry, system);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      theme: "dark",
      mcpServers: { other: { command: "other" }, ibid: entry },
    });
    expect(readFileSync(first.backup!, "utf8")).toBe(before);
    const second = installEntry("cursor", "ibid", { ...entry, command: "node" }, system);
    expect([first.outcome, second.outcome]).toEqual(["added", "replaced"]);
    expect(readFileSync(first.backup!, "utf8")).toBe(before);
    expect(second.backup).not.toBe(first.backup);
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    // A second call finds its entry, and makes no further copy.
    const names = readdirSync(dirname(file));
    expect(installEntry("cursor", "ibid", { ...entry, command: "node" }, system)).toMatchObject({
      outcome: "unchanged",
    });
    expect(readdirSync(dirname(file))).toEqual(names);
  });

  it("keeps the comments, the indents and the ends of lines of a client that reads JSON with comments", () => {
    const system = linux();
    const { file } = clientFile("vscode", system);
    mkdirSync(dirname(file), { recursive: true });
    const before = [
      "\uFEFF{",
      '\t// servers of the team, not "servers": {}',
      '\t"inputs": [ { "id": "key", /* { */ "big": 12345678901234567890 }, ],',
      '\t"servers": {',
      '\t\t"other": {',
      '\t\t\t"url": "http://a//b"',
      "\t\t}, // stays, with its comma",
      "\t},",
      "}",
      "",
    ].join("\r\n");
    writeFileSync(file, before);
    installEntry("vscode", "ibid", { command: "npx", args: [] }, system);
    const written = [
      "\t\t},",
      '\t\t"ibid": {',
      '\t\t\t"type": "stdio",',
      '\t\t\t"command": "npx",',
      '\t\t\t"args": []',
      "\t\t}, // stays, with its comma",
      "\t},\r\n}\r\n",
    ].join("\r\n");
    const last = "\t\t}, // stays, with its comma\r\n\t},\r\n}\r\n";
    expect(readFileSync(file, "utf8")).toBe(before.replace(last, written));
    installEntry("vscode", "ibid", { command: "node", args: [] }, system);
    expect(readFileSync(file, "utf8")).toBe(before.replace(last, written.replace("npx", "node")));
  });

  it("a text keeps every value, whatever stands around them", () => {
    const names = fc.constantFrom("servers", "a", "//", "/*", '"', ",}", "ibid");
    const { value } = fc.letrec<{ value: unknown; group: unknown }>((tie) => ({
      group: fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
      value: fc.oneof(fc.integer(), names, fc.array(tie("value"), { maxLength: 2 }), tie("group")),
    }));
    const noise = fc.constantFrom("", " ", "\n", "// a, {\n", "/* } , */", "\r\n\t");
    const system = linux();
    const { file } = clientFile("vscode", system);
    mkdirSync(dirname(file), { recursive: true });
    const isGroup = (part: unknown): part is object =>
      typeof part === "object" && part !== null && !Array.isArray(part);
    fc.assert(
      fc.property(
        fc.dictionary(names, value, { noNullPrototype: true }),
        fc.array(noise, { minLength: 1 }),
        (root, noises) => {
          fc.pre(root["servers"] === undefined || isGroup(root["servers"]));
          let turn = 0;
          const next = (): string => noises[turn++ % noises.length]!;
          const show = (part: unknown): string => {
            const list = Array.isArray(part) ? part.map(show) : undefined;
            const entries = isGroup(part)
              ? Object.entries(part).map(([name, one]) => `${JSON.stringify(name)}${next()}:${next()}${show(one)}`)
              : list;
            if (entries === undefined) return JSON.stringify(part);
            const [open, close] = list === undefined ? ["{", "}"] : ["[", "]"];
            const comma = entries.length > 0 && turn % 2 === 0 ? `,${next()}` : "";
            return `${open}${next()}${entries.join(`${next()},${next()}`)}${next()}${comma}${close}`;
          };
          const text = `${next()}${show(root)}${next()}`;
          writeFileSync(file, text);
          const { entry: written } = installEntry("vscode", "ibid", entry, system);
          const servers = { ...root["servers"], ibid: written };
          expect(parse(readFileSync(file, "utf8"), [], { allowTrailingComma: true })).toEqual({ ...root, servers });
        },
      ),
    );
  });

  it("writes the file behind a link, and keeps its rights", () => {
    const system = linux();
    const { file } = clientFile("cursor", system);
    mkdirSync(dirname(file), { recursive: true });
    const kept = join(system.home, "dotfiles.json");
    writeFileSync(kept, '{ "mcpServers": { "other": { "env": { "KEY": "secret" } } } }', { mode: 0o600 });
    symlinkSync("../dotfiles.json", file);
    const { backup } = installEntry("cursor", "ibid", entry, system);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(Object.keys((JSON.parse(readFileSync(kept, "utf8")) as { mcpServers: object }).mcpServers)).toEqual([
      "other",
      "ibid",
    ]);
    expect([kept, backup!].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    // A link to a file that is not there yet.
    const other = linux();
    mkdirSync(dirname(clientFile("cursor", other).file), { recursive: true });
    symlinkSync(join(other.home, "later.json"), clientFile("cursor", other).file);
    installEntry("cursor", "ibid", entry, other);
    expect(readFileSync(join(other.home, "later.json"), "utf8")).toContain('"ibid"');
  });

  it("says in a sentence that the system refuses, and a dry run refuses what a run would refuse", () => {
    const system = linux();
    writeFileSync(join(system.home, ".cursor"), "no folder");
    expect(() => installEntry("cursor", "ibid", entry, system)).toThrow(
      /mcp\.json cannot be written: (?:EEXIST|ENOTDIR)/u,
    );
    const broken = linux();
    mkdirSync(join(broken.home, ".cursor"));
    writeFileSync(clientFile("cursor", broken).file, "{ broken");
    expect(() => installEntry("cursor", "ibid", entry, broken, true)).toThrow("is not valid JSON");
    const folder = linux();
    mkdirSync(clientFile("cursor", folder).file, { recursive: true });
    expect(() => installEntry("cursor", "ibid", entry, folder)).toThrow("cannot be read: EISDIR");
    const dry = linux();
    expect(installEntry("cursor", "ibid", entry, dry, true)).toMatchObject({ outcome: "added" });
    expect(readdirSync(dry.home)).toEqual([]);
  });

  it("leaves variables aside that are empty or no whole path", () => {
    const at = (platform: NodeJS.Platform, home: string, env: Record<string, string>) =>
      clientFile("claude-desktop", { platform, home, folder: home, env }).file;
    const usual = "/home/ada/.config/Claude/claude_desktop_config.json";
    expect(at("linux", "/home/ada", { XDG_CONFIG_HOME: "" })).toBe(usual);
    expect(at("linux", "/home/ada", { XDG_CONFIG_HOME: "config" })).toBe(usual);
    expect(at("win32", "C:\\Users\\ada", { APPDATA: "" })).toBe(
      String.raw`C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`.replaceAll("\\\\", "\\"),
    );
  });

  it("makes the file where there is none, in the client's own form", () => {
    const system = linux();
    const { file, backup } = installEntry("vscode", "ibid", entry, system);
    expect(backup).toBeUndefined();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ servers: { ibid: { type: "stdio", ...entry } } });
  });

  it("says that the named knowledge base is not there yet", async () => {
    const cwd = await makeFolder({ "keys.txt": "Keys rotate." });
    const install = () => callIbid(cwd, ["mcp", "install", "claude-code", "--kb", "kb"]);
    const said = await install();
    expect(said).toMatchObject({ code: 0, stderr: expect.stringContaining(`no knowledge base at ${cwd}`) as string });
    await callIbid(cwd, ["ingest", "keys.txt", "--kb", "kb", "--quiet"]);
    expect(await install()).toMatchObject({ code: 0, stderr: "" });
  });

  it("writes the options of the server into the entry, and refuses those of one over HTTP", async () => {
    const cwd = await makeFolder({});
    const install = (...args: string[]) =>
      callIbid(cwd, ["mcp", "install", "claude-code", "--name", "memory", "--kb", "kb", ...args]);
    const options = ["--memory", "caller", "--memory-confirm", "--changes", "--scope", "team:acme", "--as-user", "ada"];
    expect(await install(...options)).toMatchObject({ code: 0, stderr: "" });
    const { mcpServers } = JSON.parse(readFileSync(join(cwd, ".mcp.json"), "utf8")) as {
      mcpServers: Record<string, { command: string; args: string[] }>;
    };
    expect(mcpServers).toEqual({
      memory: {
        command: "npx",
        args: `-y ibid mcp --kb ${join(cwd, "kb")} --as-user ada --scope team:acme --memory caller --memory-confirm --changes`.split(
          " ",
        ),
      },
    });
    // How the knowledge base is opened goes along, by whole paths; settings of a file do not, because the server reads it too.
    const opened = ["--config", "own.json", "--embedding-model", "none", "--with-platform", "--synonyms", "words.txt"];
    await writeFiles(cwd, { "own.json": '{ "quality": "local" }' });
    const shown = (await install(...opened, "--as-team", "acme", "--dry-run", "--json")).stdout;
    expect((JSON.parse(shown) as { entry: { args: string[] } }).entry.args.slice(5)).toEqual(
      `--config ${join(cwd, "own.json")} --embedding-model none --synonyms ${join(cwd, "words.txt")} --with-platform --as-team acme`.split(
        " ",
      ),
    );
    // The password of a database stays in the configuration, and is not printed.
    await writeFiles(cwd, { "ibid.config.json": '{ "kb": "postgres://ada:hunter2@box/notes" }' });
    const byFile = await callIbid(cwd, ["mcp", "install", "claude-code", "--dry-run", "--json"]);
    const byFlag = await callIbid(cwd, [
      "mcp",
      "install",
      "cursor",
      "--kb",
      "postgres://ada:hunter3@box/notes",
      "--dry-run",
    ]);
    expect((JSON.parse(byFile.stdout) as { entry: { args: string[] } }).entry.args.slice(3)).toEqual([
      "--config",
      join(cwd, "ibid.config.json"),
    ]);
    expect(byFlag.stdout).toContain('"postgres://box:5432/notes"');
    const printed = [["print"], ["print", "--json"], ["check"], ["check", "--json"]];
    const shownPlaces = await Promise.all(printed.map((words) => callIbid(cwd, ["config", ...words])));
    for (const { code, stdout } of [...shownPlaces, byFile, byFlag]) {
      expect(code).toBe(0);
      expect(stdout).not.toContain("hunter");
    }
    expect((await install("--filter", '{"a":1}', "--dry-run")).stdout).toContain(String.raw`"{\"a\":1}"`);
    for (const [wrong, says] of [
      [["--port", "9090"], "--port does not go with install"],
      [["--memory-confirm"], "--memory-confirm needs --memory"],
      [["--changes", "--filter", "{}"], "--changes does not go with --filter"],
    ] as const)
      expect(await install(...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) as string });
  });

  it.each(["{ broken", "[]", '{ "mcpServers": [] }', "{ // a comment\n }"])(
    "refuses %s and leaves it as it is",
    (text) => {
      const system = linux();
      const { file } = clientFile("claude-code", system);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      expect(() => installEntry("claude-code", "ibid", entry, system)).toThrow("it is left as it is");
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(readdirSync(dirname(file))).toEqual([".mcp.json"]);
    },
  );
});
