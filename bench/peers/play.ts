// The command's side of a contestant: a process of its own, asked in turns, so that no one has a quieter machine than the others.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { IndexReply, MemoryReply, QueryReply, ReopenReply, Request, Spec } from "./protocol.ts";

const here = import.meta.dirname;
/** Debian's own, which is where its packages are; another may come first on the path. */
export const python = process.env["PYTHON"] ?? "/usr/bin/python3";

/** A Python contestant is named `python:<name>`. */
export interface Player {
  readonly name: string;
  index(): Promise<IndexReply>;
  query(from: number, count: number, budgetMs: number): Promise<QueryReply>;
  /** Bytes that are resident, garbage collected. */
  memory(): Promise<number>;
  /** Milliseconds from nothing to the first answer, out of its folder; null from who cannot. */
  reopen(): Promise<number | null>;
  /** Bytes in its folder. */
  disk(): number;
  close(): Promise<void>;
}

/** Starts a contestant. **Errors** its own words, when it cannot start. */
export async function openPlayer(spec: Spec, name = spec.contestant): Promise<Player> {
  rmSync(spec.folder, { recursive: true, force: true });
  mkdirSync(spec.folder, { recursive: true });
  const child = start(spec);
  let complaints = "";
  child.stderr!.on("data", (data: Buffer) => (complaints = (complaints + data.toString()).slice(-4000)));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const receive = async <Reply>(): Promise<Reply> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${name} ended: ${complaints.trim().slice(-1500)}`);
    const reply = JSON.parse(value) as Reply & { error?: string };
    if (reply.error !== undefined) throw new Error(`${name}: ${reply.error}`);
    return reply;
  };
  const ask = <Reply>(request: Request | Spec): Promise<Reply> => {
    child.stdin!.write(`${JSON.stringify(request)}\n`);
    return receive<Reply>();
  };
  child.stdin!.on("error", () => {});
  await ask(spec);
  return {
    name,
    index: () => ask<IndexReply>({ op: "index" }),
    query: (from, count, budgetMs) => ask<QueryReply>({ op: "query", from, count, budgetMs }),
    memory: async () => (await ask<MemoryReply>({ op: "memory" })).bytes,
    reopen: async () => (await ask<ReopenReply>({ op: "reopen" })).ms,
    disk: () => sizeOf(spec.folder),
    close: async () => {
      await ask({ op: "close" }).catch(() => {});
      child.stdin!.end();
      child.kill();
      rmSync(spec.folder, { recursive: true, force: true });
    },
  };
}

function start(spec: Spec): ChildProcess {
  const [, script] = /^python:(.+)$/u.exec(spec.contestant) ?? [];
  const stdio = ["pipe", "pipe", "pipe"] as const;
  if (script !== undefined) return spawn(python, [join(here, "contestants", "host.py"), script], { stdio: [...stdio] });
  return spawn(
    process.execPath,
    ["--expose-gc", "--max-old-space-size=12000", "--disable-warning=ExperimentalWarning", join(here, "host.ts")],
    { stdio: [...stdio], env: { ...process.env, LANCEDB_LOG: "error" } },
  );
}

function sizeOf(path: string): number {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
