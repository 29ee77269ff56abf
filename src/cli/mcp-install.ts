import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, posix, resolve, win32 } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, parse, type ParseError } from "jsonc-parser";
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
  /** The copy of the file as it was. Absent where there was none, and where nothing changed. */
  readonly backup?: string;
  readonly name: string;
  /** The entry as it stands in the file. */
  readonly entry: McpEntry & { readonly type?: "stdio" };
  readonly outcome: "added" | "replaced" | "unchanged";
}

/** Clients that read JSON with comments. **Source** VS Code, "Add and manage MCP servers"; Cursor is made of it. */
const readsComments: ReadonlySet<McpClient> = new Set(["cursor", "vscode"]);

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
  // A variable that is empty or relative counts as absent. **Source** XDG Base Directory Specification.
  const absolute = (path = ""): string | undefined => (paths.isAbsolute(path) ? path : undefined);
  const applications = isWindows
    ? (absolute(env["APPDATA"]) ?? paths.join(home, "AppData", "Roaming"))
    : system.platform === "darwin"
      ? paths.join(home, "Library", "Application Support")
      : (absolute(env["XDG_CONFIG_HOME"]) ?? paths.join(home, ".config"));
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
 * Writes an entry into the configuration of a client. Its other entries, settings and comments stay. With `isDry`, nothing is written.
 *
 * **Errors** `invalid-argument` for a file that is not JSON with an object, or has comments that its client does not read; `store-failed` where the system refuses to read
 * or write. The file is left as it is.
 */
export function installEntry(
  client: McpClient,
  name: string,
  entry: McpEntry,
  system: ClientSystem,
  isDry = false,
): WrittenEntry {
  const { file, key } = clientFile(client, system);
  const before = attempt(file, "read", () => (existsSync(file) ? readFileSync(file, "utf8") : undefined));
  const config = readConfig(file, key, before, readsComments.has(client));
  const servers = (config[key] ?? {}) as Readonly<Record<string, unknown>>;
  const written = client === "vscode" ? ({ type: "stdio", ...entry } as const) : entry;
  const isThere = Object.hasOwn(servers, name);
  const outcome = !isThere ? "added" : isDeepStrictEqual(servers[name], written) ? "unchanged" : "replaced";
  const done = { file, name, entry: written, outcome } as const;
  if (isDry || outcome === "unchanged") return done;
  const after = setEntry(before ?? "", [key, name], written);
  return attempt(file, "written", () => {
    const backup = replaceFile(file, after, system);
    return { ...done, ...(backup !== undefined && { backup }) };
  });
}

/** The text of a configuration with an entry, indented as the rest of it is. */
function setEntry(before: string, path: readonly string[], entry: McpEntry): string {
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = before.slice(mark.length);
  const text = bare.trim() === "" ? "{}\n" : bare;
  const unit = /^[\t ]+(?=")/mu.exec(text)?.[0] ?? "  ";
  const eol = /\r\n|\n/u.exec(text)?.[0] ?? "\n";
  const insertSpaces = !unit.startsWith("\t");
  const formattingOptions = { insertSpaces, tabSize: insertSpaces ? unit.length : 1, eol };
  return mark + applyEdits(text, modify(text, [...path], entry, { formattingOptions }));
}

/** Writes a file at once, and keeps a copy of the former one beside it. A link stays one: the file that it leads to is written. **Shape** the path of the copy. */
function replaceFile(file: string, text: string, { platform: runsOn }: ClientSystem): string | undefined {
  const folders = runsOn === "win32" ? win32 : posix;
  mkdirSync(folders.dirname(file), { recursive: true });
  const target = followLinks(file);
  // Entries of others may hold secrets.
  const mode = statSync(target, { throwIfNoEntry: false })?.mode;
  let backup: string | undefined;
  if (mode !== undefined) {
    backup = freeName(`${file}.backup`);
    copyFileSync(target, backup);
  }
  // A client that reads meanwhile sees the old file or the new one.
  const draft = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text.endsWith("\n") ? text : `${text}\n`, { mode: 0o600 });
    chmodSync(draft, mode ?? 0o644);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    if (backup !== undefined) rmSync(backup, { force: true });
    throw error;
  }
  return backup;
}

/** The file behind a link, also where it is not there yet. */
function followLinks(file: string): string {
  let target = file;
  for (let steps = 0; steps < 40 && lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true; steps++)
    target = resolve(dirname(target), readlinkSync(target));
  return target;
}

function attempt<Result>(file: string, what: "read" | "written", run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new IbidError("store-failed", `${file} cannot be ${what}: ${reason}; it is left as it is.`, {
      hint: "Check who may write the file and its folder, and call the command again. --dry-run prints the entry to add by hand.",
      uri: file,
      cause,
    });
  }
}

function readConfig(
  file: string,
  key: string,
  text: string | undefined,
  mayHaveComments: boolean,
): Readonly<Record<string, unknown>> {
  if (text === undefined || text.replace(/^\uFEFF/u, "").trim() === "") return {};
  const wrong = (what: string, hint = "Repair the file, or move it away"): IbidError =>
    new IbidError("invalid-argument", `${file} ${what}; it is left as it is.`, {
      hint: `${hint}, and call the command again.`,
      uri: file,
    });
  const bare = text.replace(/^\uFEFF/u, "");
  const [errors, strict]: [ParseError[], ParseError[]] = [[], []];
  const config: unknown = parse(bare, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw wrong("is not valid JSON");
  parse(bare, strict, { disallowComments: true });
  if (!mayHaveComments && strict.length > 0)
    throw wrong("has comments or commas at the end, which its client does not read", "Remove them");
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
