import { platformNow } from "../../runtime/platform-clock.ts";
import { existsSync } from "node:fs";
import type { SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventFilter, EventRetention, EventStore, KnowledgeEvent } from "../../contracts/event-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkEventFilter, checkEvents, decideRetention, selectNames } from "../memory/check-events.ts";
import type { EventStoreOptions } from "../memory/memory-event-store.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { holdFile } from "./database-file.ts";
import { openToRead } from "./open-to-read.ts";
import { boundLimit } from "./sqlite-connection.ts";
import { type Database, openDatabase } from "./sqlite-database.ts";
import { isBusy } from "./sqlite-errors.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/**
 * How a file of events is opened.
 *
 * @experimental
 */
export interface SqliteEventStoreOptions extends EventStoreOptions {
  /** How long an append waits for another process that is writing. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** Makes nothing and writes nothing; for those who only look. Default false. */
  readonly readOnly?: boolean | undefined;
}

/** `ibie`, an event store of ibid's, in ASCII. */
const applicationId = 0x69626965;
const schemaVersion = 1;

/** Scopes have a table of their own, so that one can be searched for. Keys are never reused, so they give the order. */
const schema = `
CREATE TABLE events (key INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, name TEXT NOT NULL, event TEXT NOT NULL);
CREATE INDEX events_by_time ON events (at);
CREATE TABLE event_scopes (
  scope TEXT NOT NULL, event INTEGER NOT NULL REFERENCES events (key) ON DELETE CASCADE, PRIMARY KEY (event, scope)
) WITHOUT ROWID;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};`;

/** Rows that a read takes at one time: between two, others have their turn. */
const pageSize = 500;

/**
 * Opens a store of events in a SQLite file of its own, and makes it when it is not there. Several processes may have it open.
 *
 * **Shape** an append is there whole or not at all, and survives `kill -9`. No append waits for the disk (`synchronous = OFF`): a power cut may take events, or
 * damage the file; it holds nothing else and can be removed. **Errors** `not-found` for a file that is only to be read and is not there; `store-corrupt` for one that is not ours; `store-busy`,
 * `store-failed`. **Cost** an append blocks for about ten microseconds an event.
 *
 * @experimental
 */
export async function openSqliteEventStore(path: string, options: SqliteEventStoreOptions = {}): Promise<EventStore> {
  checkGiven("openSqliteEventStore", "path", path, "text");
  checkOptions("openSqliteEventStore", options, {
    maxAgeMs: true,
    maxEvents: true,
    now: true,
    busyTimeoutMs: true,
    readOnly: true,
  });
  const { busyTimeoutMs = 5000, readOnly = false, now = platformNow } = options;
  const { maxAgeMs, maxEvents } = decideRetention(options);
  if (readOnly && !existsSync(path)) {
    throw new IbidError("not-found", `There are no events at ${path}.`, {
      uri: path,
      hint: "Search or ingest with events switched on first.",
    });
  }

  const patiently = async <Result>(work: () => Result): Promise<Result> => {
    const deadline = performance.now() + busyTimeoutMs;
    for (let wait = 1; ; wait = Math.min(50, wait * 2)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      await sleep(wait * (0.5 + Math.random()));
    }
  };

  const database = await patiently(() => (readOnly ? openToRead(path) : openDatabase(path)));
  const file = holdFile(path);
  const close = (): void => {
    if (database.isOpen) database.close();
    file.release();
  };
  try {
    await patiently(() => prepare(database, path, readOnly));
  } catch (error) {
    close();
    throw error;
  }

  const checkOpen = (): void => {
    if (!database.isOpen) throw new IbidError("store-closed", "The event store is closed.", { hint: "Open it again." });
  };

  function write(events: readonly KnowledgeEvent[]): void {
    const insert = database.prepare("INSERT INTO events (at, name, event) VALUES (?, ?, ?)");
    const mark = database.prepare("INSERT OR IGNORE INTO event_scopes (scope, event) VALUES (?, ?)");
    database.exec("BEGIN IMMEDIATE");
    try {
      let last: number | bigint = 0;
      for (const event of events) {
        last = insert.run(event.at, event.name, JSON.stringify(event)).lastInsertRowid;
        for (const scope of event.scopes) mark.run(scope, last);
      }
      database.prepare("DELETE FROM events WHERE at < ?").run(now() - maxAgeMs);
      database.prepare("DELETE FROM events WHERE key <= ?").run(Number(last) - maxEvents);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  return {
    async append(events) {
      checkOpen();
      checkEvents(events);
      if (events.length > 0) await patiently(() => write(events));
    },

    async *read(filter = {}) {
      checkOpen();
      checkEventFilter(filter);
      const newest = database.prepare("SELECT coalesce(max(key), 0) AS key FROM events");
      const last = Number((await patiently(() => newest.get()))?.["key"]);
      const { sql, values } = selection(filter);
      for (let after = 0; ;) {
        checkOpen();
        const start = after;
        const page = await patiently(() => database.prepare(sql).all(...values, start, last, pageSize));
        for (const { key, event } of page) {
          after = Number(key);
          yield parseStored(String(event)) as KnowledgeEvent;
        }
        if (page.length < pageSize) return;
      }
    },

    async close() {
      close();
    },
  };
}

function prepare(database: Database, path: string, readOnly: boolean): void {
  const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON");
  const isNew = number("PRAGMA application_id") === 0 && number("SELECT count(*) FROM sqlite_schema") === 0;
  const isOurs = number("PRAGMA application_id") === applicationId && number("PRAGMA user_version") === schemaVersion;
  if (!isOurs && (!isNew || readOnly)) {
    throw new IbidError("store-corrupt", `${path} is not an event store of this version of ibid.`, {
      uri: path,
      hint: "Move it away; it holds nothing but events, and is made anew. Nothing was written to it.",
    });
  }
  if (readOnly) return;
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  if (isOurs) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been faster.
    if (number("SELECT count(*) FROM sqlite_schema") === 0) database.exec(schema);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** A page of what is wanted: its values are followed by the last key that was read, the last of all, and how many. */
function selection(filter: EventFilter): { sql: string; values: SQLInputValue[] } {
  const { from, to, scope } = filter;
  const names = selectNames(filter);
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const want = (condition: string, ...given: readonly SQLInputValue[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (names !== undefined) want(`name IN (${names.map(() => "?").join(", ")})`, ...names);
  if (from !== undefined) want("at >= ?", from);
  if (to !== undefined) want("at < ?", to);
  if (scope !== undefined) want("key IN (SELECT event FROM event_scopes WHERE scope = ?)", scope);
  conditions.push("key > ?", "key <= ?");
  return { sql: `SELECT key, event FROM events WHERE ${conditions.join(" AND ")} ORDER BY key ${boundLimit}`, values };
}

/**
 * An event store whose file is opened at the first write, so that a knowledge base opens no slower for it.
 *
 * **Shape** reading makes no file, and finds nothing where there is none. **Errors** as {@link openSqliteEventStore}, at each call.
 */
export function createEventFile(
  path: string,
  retention: EventRetention & { readonly now?: (() => number) | undefined },
): EventStore {
  let writing: Promise<EventStore> | undefined;

  return {
    async append(events) {
      writing ??= openSqliteEventStore(path, retention);
      try {
        await (await writing).append(events);
      } catch (error) {
        // A file that cannot be opened now may be opened by the next call.
        await writing.catch(() => (writing = undefined));
        throw error;
      }
    },
    async *read(filter) {
      if (!existsSync(path)) return;
      const store = await openSqliteEventStore(path, { ...retention, readOnly: true });
      try {
        yield* store.read(filter);
      } finally {
        await store.close();
      }
    },
    async close() {
      await writing?.then(
        (store) => store.close(),
        () => undefined,
      );
    },
  };
}
