/**
 * Agent whose session files are read.
 *
 * @experimental
 */
export type SessionClient = "claude-code" | "codex" | "cursor" | "opencode";

/**
 * One message of a recorded conversation.
 *
 * @experimental
 */
export interface SessionMessage {
  readonly client: SessionClient;
  readonly session: string;
  /** Unique in its session, and the same at every reading. */
  readonly id: string;
  readonly role: "user" | "assistant";
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
  /** Working folder of the session. */
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  /** Title of the session, where the file has one. */
  readonly title?: string | undefined;
  /** Files that its tool calls name. */
  readonly files: readonly string[];
  /** Names of the tools that were called, in order, each once. */
  readonly tools: readonly string[];
  /** Line of the file, from 1. In files of opencode, the number of a message that has no id. */
  readonly line?: number | undefined;
  /** Key of a row of a database; in files of opencode, the id of a message. */
  readonly row?: string | undefined;
}

/**
 * A part of a session file that was not read.
 *
 * **Shape** without a line and without a row, it is the whole file.
 *
 * @experimental
 */
export interface SessionProblem extends Pick<SessionMessage, "line" | "row"> {
  readonly file: string;
  readonly message: string;
}

/** Messages of one file, with what was refused. */
export interface ReadSession {
  readonly messages: readonly SessionMessage[];
  readonly problems: readonly SessionProblem[];
}

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A time as notes have it. **Shape** `undefined` for what is no time; numbers are milliseconds since 1970. */
export function asTime(value: unknown): string | undefined {
  const ms = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : undefined;
}

/** Collects messages; calls of tools belong to the message of the assistant before them, else to the next one. */
export class SessionDraft {
  readonly #file: string;
  readonly #messages: (SessionMessage & { files: string[]; tools: string[] })[] = [];
  readonly #problems: SessionProblem[] = [];
  #waiting: { files: readonly string[]; tools: readonly string[] } = { files: [], tools: [] };

  constructor(file: string) {
    this.#file = file;
  }

  refuse(message: string, { line, row }: Pick<SessionMessage, "line" | "row"> = {}): void {
    this.#problems.push({
      file: this.#file,
      message,
      ...(line !== undefined && { line }),
      ...(row !== undefined && { row }),
    });
  }

  add(message: Omit<SessionMessage, "files" | "tools">): void {
    this.#messages.push({ ...message, files: [], tools: [] });
    if (message.role !== "assistant") return;
    const { tools, files } = this.#waiting;
    this.#waiting = { files: [], tools: [] };
    this.call(tools, files);
  }

  call(tools: readonly string[], files: readonly string[]): void {
    const last = this.#messages.at(-1);
    if (last?.role === "assistant") {
      last.tools.push(...tools.filter((tool) => !last.tools.includes(tool)));
      last.files.push(...files.filter((file) => !last.files.includes(file)));
    } else this.#waiting = { tools: [...this.#waiting.tools, ...tools], files: [...this.#waiting.files, ...files] };
  }

  finish(): ReadSession {
    return { messages: this.#messages, problems: this.#problems };
  }
}

/** Files that the arguments of a tool call name. */
export function filesOf(input: unknown): readonly string[] {
  if (typeof input === "string")
    return Array.from(input.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gmu), ([, file]) => file!.trim());
  if (!isObject(input)) return [];
  const named = ["file_path", "filePath", "path", "notebook_path", "target_file", "relativeWorkspacePath"];
  const patches = ["input", "patch"].flatMap((name) => filesOf(asText(input[name])));
  return [...named.flatMap((name) => asText(input[name]) ?? []), ...patches];
}

/** The objects of JSON lines; a line that is none is refused. */
export function* readLines(text: string, draft: SessionDraft): Generator<readonly [line: number, value: Json]> {
  const lines = text.split("\n");
  for (const [i, raw] of lines.entries()) {
    if (raw.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch {
      const isLast = i === lines.length - 1;
      draft.refuse(isLast ? "The line is cut off; it is read when it is complete." : "The line is no JSON.", {
        line: i + 1,
      });
      continue;
    }
    if (isObject(value)) yield [i + 1, value];
    else draft.refuse("The line is no object.", { line: i + 1 });
  }
}
