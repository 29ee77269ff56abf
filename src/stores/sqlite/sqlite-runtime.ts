import type * as sqlite from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";

type Sqlite = typeof sqlite;

/** Older ones bundle a SQLite that can corrupt a write-ahead log under two connections; 3.51.3 fixed it. */
const floor = { node: "22.23.3", sqlite: "3.51.3" };

/** The versions of the running process, as `process.versions` has them. */
export interface RuntimeVersions {
  readonly node?: string | undefined;
  readonly sqlite?: string | undefined;
  readonly bun?: string | undefined;
}

/** **Errors** `unsupported-runtime` for a Node before 22.23.3, which lacks parts of the language that ibid uses. Bun has a number of its own for Node. */
export function checkNode({ node, bun }: RuntimeVersions): void {
  if (bun !== undefined || (node !== undefined && !isBefore(node, floor.node))) return;
  throw new IbidError(
    "unsupported-runtime",
    `ibid needs Node.js ${floor.node} or newer and found ${node ?? "another runtime"}.`,
    { hint: "Install a current Node.js (https://nodejs.org).", details: { node, floor: floor.node } },
  );
}

/**
 * **Errors** `unsupported-runtime` for a Node before 22.23.3, and for a later one with a SQLite before 3.51.3 (the first releases of Node 24).
 */
export function checkRuntime(versions: RuntimeVersions): void {
  checkNode(versions);
  const { node, sqlite } = versions;
  // Where Node does not name its SQLite, the oldest accepted Node decides.
  if (sqlite === undefined || !isBefore(sqlite, floor.sqlite)) return;
  throw new IbidError(
    "unsupported-runtime",
    `Node ${node} bundles SQLite ${sqlite}, which can lose data; ${floor.sqlite} does not.`,
    {
      hint: "Install the latest release of this Node.",
      details: { node, sqlite, floor: floor.sqlite },
    },
  );
}

function isBefore(version: string, other: string): boolean {
  const numbers = (text: string): number[] => text.split(/[.-]/u).map((part) => Number.parseInt(part, 10) || 0);
  const mine = numbers(version);
  for (const [i, wanted] of numbers(other).entries()) {
    const got = mine[i] ?? 0;
    if (got !== wanted) return got < wanted;
  }
  return false;
}

let loaded: Sqlite | undefined;

/** Node's own SQLite. Node 22 warns that it is experimental, once, on loading: that one warning is left out. **Errors** `unsupported-runtime`. */
export function loadSqlite(): Sqlite {
  if (loaded !== undefined) return loaded;
  checkRuntime(process.versions);
  const loud = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void;
  const before = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes("SQLite is an experimental feature")) loud(warning, ...rest);
  };
  try {
    loaded = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
  } finally {
    if (before !== undefined) Object.defineProperty(process, "emitWarning", before);
  }
  if (loaded !== undefined) return loaded;
  throw new IbidError("unsupported-runtime", "This Node runs without its SQLite, in which ibid keeps what is stored.", {
    hint: "Start it without --no-experimental-sqlite, or use a store in memory: openKnowledgeBase().",
  });
}
