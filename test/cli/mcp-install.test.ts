import { mkdtempSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { callIbid, makeFolder } from "./run-ibid.ts";
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
    expect([first.replaced, second.replaced]).toEqual([false, true]);
    expect(readFileSync(first.backup!, "utf8")).toBe(before);
    expect(second.backup).not.toBe(first.backup);
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("makes the file where there is none, in the client's own form", () => {
    const system = linux();
    const { file, backup } = installEntry("vscode", "ibid", entry, system);
    expect(backup).toBeUndefined();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ servers: { ibid: { type: "stdio", ...entry } } });
  });

  it("writes the options of the server into the entry, and refuses those of one over HTTP", async () => {
    const cwd = await makeFolder({});
    const install = (...args: string[]) =>
      callIbid(cwd, ["mcp", "install", "claude-code", "--name", "memory", "--kb", "kb", ...args]);
    const options = ["--memory", "caller", "--memory-confirm", "--changes", "--scope", "team:acme", "--as-user", "ada"];
    expect(await install(...options)).toMatchObject({ code: 0 });
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
