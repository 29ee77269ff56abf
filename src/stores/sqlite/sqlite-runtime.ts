import type * as sqlite from "node:sqlite";
import { IbidError } from "../../contracts/errors.ts";

type Sqlite = typeof sqlite;

/** Older ones bundle a SQLite that can corrupt a write-ahead log under two connections; 3.51.3 fixed it. */
const floor = { node: "22.23.3", sqlite: "3.51.3" };

/** What runs us, as `process.versions` says. */
export interface RuntimeVersions {
  readonly node?: string | undefined;
  readonly sqlite?: string | undefined;
}

/**
 * **Errors** `unsupported-runtime` for a Node before 22.23.3, and for a later one with a SQLite before 3.51.3 (the first releases of Node 24).
 */
export function checkRuntime(versions: RuntimeVersions): void {
  const { node, sqlite } = versions;
  if (node === undefined || isBefore(node, floor.node)) {
    throw new IbidError(
      "unsupported-runtime",
      `ibid needs Node ${floor.node} or later; this is ${node ?? "another runtime"}.`,
      {
        hint: `Install Node ${floor.node} or later. The memory store works anywhere.`,
        details: { node, floor: floor.node },
      },
    );
  }
  // Where Node does not say which SQLite it bundles, the floor of Node stands for it.
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
    loaded = process.getBuiltinModule("node:sqlite");
  } finally {
    if (before !== undefined) Object.defineProperty(process, "emitWarning", before);
  }
  return loaded;
}
