import type { SqliteConnection } from "../../src/stores/sqlite/sqlite-connection.ts";

/** Called wherever a process could die around a write, with what is going on and where in it. */
export type Passing = (phase: string, point: string) => void;

/** What a transaction is about, by the statements that it has run; the first that fits. */
const kinds: readonly (readonly [name: string, isIt: (ran: ReadonlySet<string>) => boolean])[] = [
  ["change-over", (ran) => ran.has("put fit")],
  ["fit", (ran) => ran.has("add fit")],
  ["move", (ran) => ran.has("columns") && !ran.has("add segment")],
  ["seal", (ran) => ran.has("add segment") && ran.has("clear pending")],
  ["merge", (ran) => ran.has("add segment") && ran.has("delete segment")],
];

const statements: readonly (readonly [begins: string, name: string])[] = [
  ["INSERT INTO segments", "add segment"],
  ["DELETE FROM segments", "delete segment"],
  ["DELETE FROM pending WHERE scope", "clear pending"],
  ["INSERT INTO fits", "add fit"],
  ["UPDATE fits", "put fit"],
  ["UPDATE segments SET columns", "columns"],
  ["INSERT INTO pending", "add pending"],
  ["UPDATE jobs", "put job"],
];

/**
 * A connection that tells of everything that it passes on the way to the disk: each statement that writes, the end of each member of a group, the moments
 * before and after a commit, and those around emptying the log.
 *
 * **Shape** `phase` is what the store is doing: `current()` says what it was asked for, and the statements say whether it is sealing, merging or fitting.
 */
export function withFailpoints(
  connection: SqliteConnection,
  current: () => string,
  passing: Passing,
): SqliteConnection {
  let ran = new Set<string>();
  let isBetween = false;
  const phase = (): string => {
    const kind = kinds.find(([, isIt]) => isIt(ran))?.[0];
    const asked = current();
    // A purge rewrites segments too: that is part of it.
    if (kind === "merge" && (asked === "purge" || asked === "vacuum")) return `${asked}: rewrite`;
    // What re-embedding writes beside vectors is that another version is searched from now on.
    if (kind === undefined && asked === "reembed" && !ran.has("add pending")) return "cut-over";
    if (kind === undefined && asked === "work" && ran.has("put job")) return "job";
    return kind ?? asked;
  };
  return {
    ...connection,
    run(sql, ...values) {
      if (isBetween) passing(phase(), "between members of a group");
      const key = connection.run(sql, ...values);
      // Each member ends with the clock, and the next begins with something else.
      isBetween = connection.turn !== 0 && sql.startsWith("UPDATE clock");
      for (const [begins, name] of statements) if (sql.startsWith(begins)) ran.add(name);
      passing(phase(), "after a write");
      return key;
    },
    transaction(begin, work, undone) {
      if (begin === "BEGIN") return connection.transaction(begin, work, undone);
      let last = "";
      const committed = connection.transaction(
        begin,
        () => {
          ran = new Set();
          isBetween = false;
          const result = work();
          last = phase();
          passing(last, "before commit");
          return result;
        },
        undone,
      );
      return committed.then((result) => {
        passing(last, "after commit");
        return result;
      });
    },
    get turn() {
      return connection.turn;
    },
    get isWriting() {
      return connection.isWriting;
    },
    get inTransaction() {
      return connection.inTransaction;
    },
    scrub() {
      passing(current(), "before the log is emptied");
      const emptied = connection.scrub();
      passing(current(), "after the log is emptied");
      return emptied;
    },
  };
}
