import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { posix, win32 } from "node:path";
import { IbidError } from "../contracts/errors.ts";

/** Clients of MCP whose configuration `ibid mcp install` writes. */
export const mcpClients = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;
export type McpClient = (typeof mcpClients)[number];

/** The system on which a client runs. */
export interface ClientSystem {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Folder of the project, for clients that keep a file in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** An entry of a client's configuration: the command that the client starts. */
export interface McpEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** The outcome of writing an entry. */
export interface WrittenEntry {
  readonly file: string;
  /** The copy of the file as it was. Absent where there was none. */
  readonly backup?: string;
  readonly name: string;
  readonly entry: McpEntry;
  /** Whether the file held another entry of this name. */
  readonly replaced: boolean;
}

export function thisSystem(folder: string): ClientSystem {
  return { platform: platform(), home: homedir(), folder, env: process.env };
}

/**
 * The file in which a client keeps its servers, and the key that holds them.
 *
 * **Source** the documentation of Claude Desktop, Claude Code (`.mcp.json` of a project), Cursor (`~/.cursor/mcp.json`) and VS Code (`mcp.json` of the user's profile).
 */
export function clientFile(client: McpClient, system: ClientSystem): { readonly file: string; readonly key: string } {
  const { home, env, folder } = system;
  const isWindows = system.platform === "win32";
  const paths = isWindows ? win32 : posix;
  const applications = isWindows
    ? (env["APPDATA"] ?? paths.join(home, "AppData", "Roaming"))
    : system.platform === "darwin"
      ? paths.join(home, "Library", "Application Support")
      : (env["XDG_CONFIG_HOME"] ?? paths.join(home, ".config"));
  switch (client) {
    case "claude-desktop":
      return { file: paths.join(applications, "Claude", "claude_desktop_config.json"), key: "mcpServers" };
    case "claude-code":
      return { file: paths.join(folder, ".mcp.json"), key: "mcpServers" };
    case "cursor":
      return { file: paths.join(home, ".cursor", "mcp.json"), key: "mcpServers" };
    case "vscode":
      return { file: paths.join(applications, "Code", "User", "mcp.json"), key: "servers" };
  }
}

/**
 * Writes an entry into the configuration of a client. Its other entries and settings stay.
 *
 * **Errors** `invalid-argument` for a file that is not JSON with an object: it is left as it is.
 */
export function installEntry(client: McpClient, name: string, entry: McpEntry, system: ClientSystem): WrittenEntry {
  const { file, key } = clientFile(client, system);
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const config = readConfig(file, key, before);
  const servers = (config[key] ?? {}) as Readonly<Record<string, unknown>>;
  const written = client === "vscode" ? { type: "stdio", ...entry } : entry;
  const after = { ...config, [key]: { ...servers, [name]: written } };
  const folders = system.platform === "win32" ? win32 : posix;
  mkdirSync(folders.dirname(file), { recursive: true });
  let backup: string | undefined;
  if (before !== undefined) {
    backup = freeName(`${file}.backup`);
    copyFileSync(file, backup);
  }
  // A client that reads meanwhile sees the old file or the new one.
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(after, undefined, 2)}\n`);
  renameSync(draft, file);
  return { file, ...(backup !== undefined && { backup }), name, entry, replaced: Object.hasOwn(servers, name) };
}

function readConfig(file: string, key: string, text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === "") return {};
  const wrong = (what: string, cause?: unknown): IbidError =>
    new IbidError("invalid-argument", `${file} ${what}; it is left as it is.`, {
      hint: "Repair the file, or move it away, and call the command again.",
      cause,
    });
  let config: unknown;
  try {
    config = JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch (cause) {
    throw wrong("is not valid JSON", cause);
  }
  if (!isObject(config)) throw wrong("holds no object");
  if (config[key] !== undefined && !isObject(config[key])) throw wrong(`has a "${key}" that is no object`);
  return config;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name, or with the next number that no file has: an earlier backup stays. */
function freeName(path: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!existsSync(name)) return name;
  }
}
