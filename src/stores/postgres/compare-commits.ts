import type { Postgres } from "./postgres-client.ts";

/** A scope as a process holds it. The base itself is the scope with the empty name. */
export interface HeldScope {
  readonly key: number;
  readonly stamp: number;
  /** Names the commit of that stamp; `null` where nobody knows it. */
  readonly commit: string | null;
}

/** Scopes by name, the base itself among them. */
export type HeldScopes = ReadonlyMap<string, HeldScope>;

/** The name of the base itself in the table of scopes. */
export const baseName = "";

/**
 * How scopes stand to the base. `same`: they are its newest state. `behind`: they lack commits. `unclear`: only a larger statement can judge, as for another
 * past, another base, and a scope that has gone.
 */
export type Comparison = "same" | "behind" | "unclear";

/** Asks for the last commit of some scopes and of the base, or of all that are there. */
export type AskCommits = (names: readonly string[] | "all", held: HeldScopes) => Promise<readonly CommitRow[]>;

/** The last commit of a scope. */
export interface CommitRow extends Omit<HeldScope, "commit"> {
  readonly name: string;
  /** `<stamp> <name>`. It counts where the stamp is the row's: an earlier version of ibid writes stamps alone. */
  readonly last: string | null;
  /** The mark of the base. Absent where it was not asked for. */
  readonly mark?: string | null;
}

/** Whether the row names its last commit. */
const isNamed = ({ stamp, last }: CommitRow): boolean => last?.startsWith(`${stamp} `) === true;

type Sent = Omit<CommitRow, "key" | "stamp" | "name"> &
  Readonly<Record<"key" | "stamp", unknown>> &
  Partial<Pick<CommitRow, "name">>;

/** Tables without which a base is none, although its scopes are there. */
const whole = ["documents", "chunks", "settings", "changes", "fits"];

/**
 * A small statement over one table: its answer is compared by value in the process.
 *
 * **Cost** statements have no names, so that each is planned anew. One over keys, without parameters, takes the server half of the time of one over names
 * with the mark of the base. Names of tables are looked up while the statement is read, some microseconds for all, so that one that is missing is an error.
 */
export function createAskCommits(db: Postgres, schema: string): AskCommits {
  const columns = "s.stamp, s.last_commit AS last";
  const mark = `,
  (SELECT encode(sha256(convert_to(o.value, 'UTF8')), 'hex') FROM ${schema}.settings o WHERE o.scope = 0 AND o.name = 'secret') AS mark`;
  const from = `
FROM ${schema}.scopes s WHERE NOT s.gone AND num_nonnulls(${whole.map((table) => `'${schema}.${table}'::regclass`).join()}) > 0`;
  /** Keys of scopes whose last commit was of an earlier version when they were asked about. */
  const unnamed = new Set<number>();
  return async (names, held) => {
    const every = names === "all" ? [...held.keys()] : [baseName, ...names];
    const asked = every.map((name) => held.get(name));
    const isProven = asked.some((scope) => scope !== undefined && scope.commit !== null && !unnamed.has(scope.key));
    const text = `${columns}${isProven ? "" : mark}${from}`;
    const [statement, values] =
      names === "all"
        ? [`SELECT s.key, s.name, ${text}`, []]
        : asked.includes(undefined)
          ? [`SELECT s.key, s.name, ${text} AND s.name = ANY ($1::text[])`, [every]]
          : [`SELECT s.key, ${text} AND s.key = ANY ('{${asked.map((scope) => scope!.key).join()}}')`, []];
    const found = await db.query<Sent>("asking for the newest state", statement, values);
    // Where keys were asked about, the answer needs no names.
    const nameOf = new Map(every.map((name, i) => [asked[i]?.key, name]));
    const rows = found.map(({ key, stamp, name = nameOf.get(Number(key)) ?? "", ...row }): CommitRow => ({
      ...row,
      name,
      key: Number(key),
      stamp: Number(stamp),
    }));
    for (const row of rows)
      if (isNamed(row)) unnamed.delete(row.key);
      else unnamed.add(row.key);
    return rows;
  };
}

/**
 * Compares the answer with the scopes that are held; a scope that is not there holds nothing.
 *
 * Another base in the place of its own is known by its mark, or by the name of a commit: no two commits share one. A scope that lacks commits and names its own
 * is judged with the page that brings them.
 */
export function compareCommits(rows: readonly CommitRow[], held: HeldScopes, mark: string): Comparison {
  const found = new Map(rows.map((row) => [row.name, row]));
  const base = found.get(baseName);
  if (base === undefined || (base.mark !== undefined && base.mark !== mark)) return "unclear";
  let isKnown = base.mark === mark;
  let comparison: Comparison = "same";
  for (const name of held.keys()) if (!found.has(name)) return "unclear";
  for (const [name, row] of found) {
    const { key, stamp, last } = row;
    const own = held.get(name);
    if (own === undefined) {
      comparison = "behind";
      continue;
    }
    if (own.key !== key || own.stamp > stamp) return "unclear";
    if (own.stamp < stamp) {
      comparison = "behind";
      isKnown ||= own.commit !== null;
    } else if (own.commit !== null && isNamed(row)) {
      if (last !== `${stamp} ${own.commit}`) return "unclear";
      isKnown = true;
    }
  }
  return isKnown ? comparison : "unclear";
}
