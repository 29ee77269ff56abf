import { existsSync } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileReport } from "../../stores/segment-directory.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** So much of a file is held at once. */
const pieceBytes = 16 * 1024 * 1024;

/**
 * Looks at a database as a file, at its log, and at what else lies in folders of its own beside it.
 *
 * **Cost** reads every page twice; and looks for each probe in every byte.
 */
export async function inspectFiles(
  connection: SqliteConnection,
  path: string,
  probes: readonly string[],
): Promise<FileReport> {
  const said = connection.all<{ readonly integrity_check: string }>("PRAGMA integrity_check(20)");
  const damage = said
    .map(({ integrity_check: message }) => message)
    .filter((message) => message !== "ok")
    .map((message) => `SQLite says of ${basename(path)}: ${message}.`);
  const traces: { readonly file: string; readonly count: number }[] = [];
  if (probes.length > 0) {
    const wanted = probes.map((probe) => Buffer.from(probe, "utf8"));
    for (const file of await listFiles(path)) {
      const count = await countProbes(file, wanted);
      if (count > 0) traces.push({ file: basename(file), count });
    }
  }
  return { damage, traces };
}

/** The database with whatever lies under its name, and the graphs of approximate searches. */
async function listFiles(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const name = basename(path);
  const files = (await readdir(folder)).filter((other) => other.startsWith(name)).map((other) => join(folder, other));
  const graphs = join(folder, "hnsw");
  if (existsSync(graphs)) for (const graph of await readdir(graphs)) files.push(join(graphs, graph));
  return files;
}

/** How many of the probes stand in a file, across the ends of the pieces that it is read in. */
async function countProbes(file: string, probes: readonly Buffer[]): Promise<number> {
  if (!(await stat(file)).isFile()) return 0;
  const longest = probes.reduce((most, { length }) => Math.max(most, length), 0);
  const found = new Set<Buffer>();
  const handle = await open(file, "r");
  try {
    const piece = Buffer.alloc(pieceBytes + longest);
    let kept = 0;
    for (;;) {
      const { bytesRead } = await handle.read(piece, kept, pieceBytes);
      if (bytesRead === 0) return found.size;
      const filled = piece.subarray(0, kept + bytesRead);
      for (const probe of probes) if (!found.has(probe) && filled.includes(probe)) found.add(probe);
      kept = Math.min(longest, filled.length);
      piece.copyWithin(0, filled.length - kept, filled.length);
    }
  } finally {
    await handle.close();
  }
}
