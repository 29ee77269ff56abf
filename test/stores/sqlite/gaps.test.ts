import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import type { SqliteConnection } from "../../../src/stores/sqlite/sqlite-connection.ts";
import { hashParts } from "../../../src/runtime/hash.ts";
import { createRandom } from "../../crash/workload.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-gaps-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Two tables as ours are made: rows under numbers, rows under names, short ones and such as need pages of their own. */
const tables = [
  "CREATE TABLE rows_by_key (key INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, body TEXT)",
  "CREATE TABLE rows_by_name (name TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID",
];

/** Writes, lengthens and deletes rows until trees have been balanced many times over. **Shape** the words of rows that are there, and of such as are not any more. */
function churn(connections: readonly SqliteConnection[], seed: number): { held: string[]; gone: string[] } {
  const random = createRandom(seed);
  const held: string[] = [];
  const gone: string[] = [];
  for (let step = 0; step < 1200; step++) {
    const db = connections[step % connections.length]!;
    const word = hashParts("gap", String(seed), String(step));
    const body = `${word}${" x".repeat(Math.floor(random() ** 2 * 900))}`;
    const at = Math.floor(random() * held.length);
    const dice = random();
    if (held.length < 5 || dice < 0.5) {
      db.run("INSERT INTO rows_by_key (name, body) VALUES (?, ?)", word, body);
      db.run("INSERT INTO rows_by_name VALUES (?, ?)", word, body);
      held.push(word);
      continue;
    }
    const before = held[at]!;
    gone.push(before);
    db.run("DELETE FROM rows_by_name WHERE name = ?", before);
    if (dice < 0.7) {
      db.run("UPDATE rows_by_key SET name = ?, body = ? WHERE name = ?", word, body, before);
      db.run("INSERT INTO rows_by_name VALUES (?, ?)", word, body);
      held[at] = word;
    } else {
      db.run("DELETE FROM rows_by_key WHERE name = ?", before);
      held.splice(at, 1);
    }
  }
  return { held, gone };
}

function wordsIn(words: readonly string[]): readonly string[] {
  const bytes = [path, `${path}-wal`].map((file) => readFileSync(file, "latin1")).join("");
  return words.filter((word) => bytes.includes(word.slice(4, 20)));
}

async function open(count: number): Promise<SqliteConnection[]> {
  const connections: SqliteConnection[] = [];
  for (let i = 0; i < count; i++) connections.push(await openConnection(path, { busyTimeoutMs: 1000 }));
  // Whether a disk keeps its promises is not what is asked here.
  for (const db of connections) db.get("PRAGMA synchronous = OFF");
  connections[0]!.run(tables[0]!);
  connections[0]!.run(tables[1]!);
  return connections;
}

describe("what SQLite leaves in the gaps of pages when it moves rows about", () => {
  it("is there before a scrub, and not after it; what is held is whole [L8 T15]", async () => {
    const [db] = await open(1);
    const { held, gone } = churn([db!], 1);
    db!.get("PRAGMA wal_checkpoint(TRUNCATE)");
    // Should this ever fail, SQLite has learned to blank gaps, and the scrub has less to do.
    expect(wordsIn(gone).length).toBeGreaterThan(0);

    expect(db!.scrub()).toBe(true);
    expect(wordsIn(gone)).toEqual([]);
    expect(wordsIn(held)).toEqual(held);
    expect(db!.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    db!.close();
  });

  it("does not come back from what a connection remembers of the pages [L8 T15]", async () => {
    const connections = await open(2);
    const [writing, other] = connections;
    const first = churn([writing!], 2);
    writing!.get("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(wordsIn(first.gone).length).toBeGreaterThan(0);
    expect(writing!.scrub()).toBe(true);
    // As long as before, so that rows stay where they are and whole pages are written as they are remembered.
    for (const word of first.held) {
      writing!.run("UPDATE rows_by_key SET body = replace(body, ' x', ' y') WHERE name = ?", word);
      writing!.run("UPDATE rows_by_name SET body = replace(body, ' x', ' y') WHERE name = ?", word);
    }
    expect(wordsIn(first.gone)).toEqual([]);
    const second = churn([other!, writing!], 3);
    expect(other!.scrub()).toBe(true);
    expect(wordsIn([...first.gone, ...second.gone])).toEqual([]);
    expect(wordsIn(first.held)).toEqual(first.held);
    for (const db of connections) expect(db.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    for (const db of connections) db.close();
  });
});
