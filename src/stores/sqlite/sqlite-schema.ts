import { IbidError } from "../../contracts/errors.ts";
import { endingOf, folderOf } from "./list-order.ts";
import type { Database } from "./sqlite-database.ts";

/**
 * Jobs wait in the same file as the documents they become: a deletion removes the jobs that were queued before it, in the same transaction.
 * `due_at` is when a job may be taken, or when its lease ends while it runs. Free text is stored as JSON, in which no U+0000 ends a string.
 */
export const jobTable = `
CREATE TABLE IF NOT EXISTS jobs (
  key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, document TEXT, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, revision INTEGER NOT NULL, owner TEXT, size INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, error TEXT, result TEXT, facts TEXT NOT NULL, bytes BLOB
);
CREATE INDEX IF NOT EXISTS jobs_live ON jobs (due_at, key) WHERE state IN ('queued', 'reading', 'embedding');
CREATE INDEX IF NOT EXISTS jobs_kept ON jobs (state, size) WHERE state <> 'indexed';
CREATE INDEX IF NOT EXISTS jobs_done ON jobs (key) WHERE state = 'indexed';
CREATE INDEX IF NOT EXISTS jobs_by_document ON jobs (document, scope) WHERE document IS NOT NULL;

CREATE TRIGGER IF NOT EXISTS jobs_of_deleted AFTER UPDATE OF deleted_at ON documents WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM jobs WHERE document = OLD.uri AND scope = (SELECT scope FROM scopes WHERE key = OLD.scope);
END;
CREATE TRIGGER IF NOT EXISTS jobs_of_purged AFTER DELETE ON documents BEGIN
  DELETE FROM jobs WHERE document = OLD.uri AND scope = (SELECT scope FROM scopes WHERE key = OLD.scope)
    AND (OLD.deleted_at IS NULL OR enqueued_at < OLD.deleted_at);
END;
CREATE TRIGGER IF NOT EXISTS jobs_of_reset AFTER DELETE ON scopes BEGIN DELETE FROM jobs WHERE scope = OLD.scope; END;`;

/** `ibid` in ASCII, where SQLite keeps what application a file is of. */
const applicationId = 0x69626964;

/** Version of the tables below. A later ibid writes a higher one; `upgradeFile` brings a lower one up to date. */
export const schemaVersion = 7;

/** The last version whose rows lie otherwise. Every earlier one is first brought to it, in its place. */
export const lastEarlierVersion = 6;

/**
 * Small columns come first and large ones last: SQLite reads the tail of a long row only when it is asked for.
 * Keys are never used again (AUTOINCREMENT), so that a reader can tell a new row from an old one by its key alone.
 */
const fitTables = `
CREATE TABLE fits (
  key INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint TEXT NOT NULL, dimensions INTEGER NOT NULL, corpus INTEGER NOT NULL,
  chunks INTEGER NOT NULL, energy REAL NOT NULL, current INTEGER NOT NULL
);
CREATE TABLE fit_parts (fit INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (fit, part)) WITHOUT ROWID;`;

/** Beside the documents, not in them: what is read with every list must not stand behind a document's text, nor be written with it. */
const markTable = `
CREATE TABLE marks (document INTEGER PRIMARY KEY, checked_at TEXT, etag TEXT, last_modified TEXT);`;

/** Parts of a document's text after the first, which stands in the document's own row. */
const textTable = `
CREATE TABLE IF NOT EXISTS text_parts (
  document INTEGER NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (document, part)
);`;

/** Copies of a text are looked up by its key. */
const textKeyIndex = "CREATE INDEX chunks_by_text ON chunks (scope, text_key);";

/**
 * Orders of lists beside that of the uris. Files of this version that an earlier ibid made have none of them until they are opened for writing, and earlier versions
 * keep them up. The index of the types begins with the type, so that SQLite takes it for no statement that names none.
 */
const listIndexes = `
CREATE INDEX IF NOT EXISTS documents_by_time ON documents (scope, ingested_at) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS documents_by_size ON documents (scope, bytes) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS documents_by_title ON documents (scope, lower(title), uri) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS documents_by_type ON documents (media_type, scope, uri) WHERE deleted_at IS NULL;`;

/**
 * Live documents by folder and kind, counted by triggers, so that a list of folders does not read the documents. Earlier versions keep it up as they do the indexes.
 * `root` is the folder whose ingestion found them, `''` for none.
 */
const folderCounts = `
CREATE TABLE IF NOT EXISTS folder_counts (
  scope INTEGER NOT NULL, folder TEXT NOT NULL, root TEXT NOT NULL, media_type INTEGER NOT NULL, ending TEXT NOT NULL,
  documents INTEGER NOT NULL, PRIMARY KEY (scope, folder, root, media_type, ending)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS folder_gains AFTER INSERT ON documents WHEN NEW.deleted_at IS NULL BEGIN ${counting("NEW", 1)} END;
CREATE TRIGGER IF NOT EXISTS folder_loses AFTER DELETE ON documents WHEN OLD.deleted_at IS NULL BEGIN ${counting("OLD", -1)} END;
CREATE TRIGGER IF NOT EXISTS folder_changes AFTER UPDATE OF scope, uri, folder, media_type, deleted_at ON documents
  WHEN OLD.scope <> NEW.scope OR OLD.uri <> NEW.uri OR OLD.folder IS NOT NEW.folder OR OLD.media_type <> NEW.media_type
    OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
BEGIN ${counting("OLD", -1)} ${counting("NEW", 1)} END;`;

/**
 * Forget the sum of a document's names, and of a chunk's metadata, where a version of ibid changes them that keeps no sums. Files that an earlier ibid made get the
 * columns when they are opened for writing. A row that was written before stays without a sum, and is read as it is.
 */
const sumTriggers = `
CREATE TRIGGER IF NOT EXISTS names_change AFTER UPDATE OF scope, id, uri, title, folder ON documents
  WHEN NEW.name_sum IS NOT NULL AND OLD.name_sum IS NEW.name_sum AND (OLD.scope <> NEW.scope OR OLD.id <> NEW.id
    OR OLD.uri <> NEW.uri OR OLD.title <> NEW.title OR OLD.folder IS NOT NEW.folder)
BEGIN UPDATE documents SET name_sum = NULL WHERE key = NEW.key; END;
CREATE TRIGGER IF NOT EXISTS metadata_change AFTER UPDATE OF document, metadata ON chunks
  WHEN NEW.metadata_sum IS NOT NULL AND OLD.metadata_sum IS NEW.metadata_sum AND (OLD.document <> NEW.document OR OLD.metadata IS NOT NEW.metadata)
BEGIN UPDATE chunks SET metadata_sum = NULL WHERE key = NEW.key; END;`;
const sumColumns = `
ALTER TABLE documents ADD COLUMN name_sum INTEGER;
ALTER TABLE sayings ADD COLUMN sum INTEGER;
ALTER TABLE chunks ADD COLUMN metadata_sum INTEGER;${sumTriggers}`;

/** Counts a live document of a trigger in, or out. */
function counting(row: "OLD" | "NEW", by: 1 | -1): string {
  const key = [
    `${row}.scope`,
    folderOf(`${row}.uri`),
    `coalesce(${row}.folder, '')`,
    `${row}.media_type`,
    endingOf(`${row}.uri`),
  ];
  const added = `INSERT INTO folder_counts SELECT ${key.join(", ")}, ${by} WHERE ${row}.deleted_at IS NULL
    ON CONFLICT (scope, folder, root, media_type, ending) DO UPDATE SET documents = documents + ${by};`;
  const columns = ["scope", "folder", "root", "media_type", "ending"];
  const isSame = columns.map((column, at) => `${column} = ${key[at]}`).join(" AND ");
  return by === 1 ? added : `${added} DELETE FROM folder_counts WHERE ${isSame} AND documents < 1;`;
}

/** Columns with numbers in them have the affinity of numbers, also where they may hold a text: Node binds every number as a float. */
const schema = `
CREATE TABLE clock (key INTEGER PRIMARY KEY CHECK (key = 1), stamp INTEGER NOT NULL);
INSERT INTO clock VALUES (1, 0);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE scopes (
  key INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL UNIQUE, stamp INTEGER NOT NULL, rewrites INTEGER NOT NULL
);

CREATE TABLE words (key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE blocks (
  key INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, size INTEGER NOT NULL, documents INTEGER NOT NULL,
  sum INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE INDEX blocks_by_scope ON blocks (scope);
CREATE TABLE text_parts (
  key INTEGER PRIMARY KEY, document INTEGER NOT NULL, part INTEGER NOT NULL, ends INTEGER NOT NULL, sum INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE UNIQUE INDEX parts_by_document ON text_parts (document, part, ends);
CREATE TABLE documents (
  key INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, deleted_at INTEGER, bytes INTEGER NOT NULL,
  block INTEGER, at INTEGER, structure_size INTEGER, text_size INTEGER, sum INTEGER,
  media_type INTEGER NOT NULL, fingerprint INTEGER NOT NULL, ingested_at INTEGER NOT NULL, origin INTEGER NOT NULL, id BLOB NOT NULL,
  content_hash BLOB NOT NULL, metadata_hash BLOB NOT NULL, uri TEXT NOT NULL, title TEXT NOT NULL, folder TEXT,
  readers TEXT, valid_from TEXT, valid_to TEXT, supersedes TEXT, name_sum INTEGER
);
CREATE UNIQUE INDEX documents_by_id ON documents (scope, id);
CREATE INDEX documents_by_uri ON documents (scope, uri);
${listIndexes}
${folderCounts}
CREATE TABLE sayings (key INTEGER PRIMARY KEY, document INTEGER NOT NULL, text TEXT NOT NULL, sum INTEGER);
CREATE INDEX sayings_by_document ON sayings (document);

CREATE TABLE chunks (
  key INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, document INTEGER NOT NULL, starts INTEGER NOT NULL,
  length INTEGER NOT NULL, position INTEGER NOT NULL, deleted_at INTEGER, origin INTEGER NOT NULL, details INTEGER NOT NULL,
  metadata INTEGER NOT NULL, sum INTEGER, id BLOB NOT NULL, text_key BLOB NOT NULL, document_id BLOB, urtext TEXT, text TEXT, metadata_sum INTEGER
);
${sumTriggers}
CREATE UNIQUE INDEX chunks_by_id ON chunks (scope, id);
CREATE INDEX chunks_by_document ON chunks (document, deleted_at);
CREATE INDEX chunks_by_text ON chunks (substr(text_key, 1, 5));
CREATE INDEX chunks_strayed ON chunks (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX chunks_deleted ON chunks (scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE pending (
  key INTEGER PRIMARY KEY, scope INTEGER NOT NULL, stamp INTEGER NOT NULL, live INTEGER NOT NULL,
  id TEXT NOT NULL, terms BLOB NOT NULL, vectors BLOB NOT NULL
);
CREATE INDEX pending_by_scope ON pending (scope);

CREATE TABLE segments (
  key INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, stamp INTEGER NOT NULL, size INTEGER NOT NULL,
  columns TEXT NOT NULL, state BLOB NOT NULL, lengths BLOB NOT NULL, keys BLOB NOT NULL
);
CREATE INDEX segments_by_scope ON segments (scope);
CREATE TABLE files (
  key INTEGER PRIMARY KEY, segment INTEGER NOT NULL, name TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE UNIQUE INDEX files_by_name ON files (segment, name, part);
${fitTables}
${markTable}
${jobTable}

PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;

/**
 * Statements that turn a file of version `i + 1` into the next version, up to {@link lastEarlierVersion}. Chunks that they leave without terms are analysed again when the store is opened,
 * since each version makes terms in another way.
 */
const upgrades: readonly string[] = [
  `ALTER TABLE pending DROP COLUMN length; ${fitTables}`,
  markTable,
  jobTable,
  textTable,
  `ALTER TABLE chunks ADD COLUMN text_key TEXT NOT NULL DEFAULT ''; ${textKeyIndex}`,
];

/**
 * Tables that a file has: current ones, those of an earlier version, or none. `"copied"`: those of an earlier version, all of which lie in a file of the current
 * version beside it; see `upgradeFile`.
 */
export type SchemaState = "current" | "earlier" | "copied" | "none";

/**
 * Looks at a file's tables, and writes nothing.
 *
 * **Errors** `store-corrupt` for anything but a {@link SchemaState}: another application's file, or a later version's.
 */
export function readSchemaState(database: Database, path: string): SchemaState {
  if (database.isTransaction) return readState(database, path);
  // One moment for all reads: another process may make the tables between two of them.
  database.exec("BEGIN");
  try {
    return readState(database, path);
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function readState(database: Database, path: string): SchemaState {
  const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const application = number("PRAGMA application_id");
  const version = number("PRAGMA user_version");
  if (application === applicationId && version === schemaVersion) {
    return number("SELECT count(*) FROM sqlite_schema WHERE name = 'blocks'") === 1 ? "current" : "copied";
  }
  if (application === applicationId && version >= 1 && version < schemaVersion) return "earlier";
  if (application === applicationId) {
    throw new IbidError(
      "store-corrupt",
      `${path} was written by a later version of ibid (format ${version}; this one knows ${schemaVersion}).`,
      {
        uri: path,
        hint: "Update ibid. Nothing was written to the file.",
        details: { format: version, known: schemaVersion },
      },
    );
  }
  if (application === 0 && version === 0 && number("SELECT count(*) FROM sqlite_schema") === 0) return "none";
  throw new IbidError("store-corrupt", `${path} is a SQLite database of another application.`, {
    uri: path,
    hint: "Name another place. Nothing was written to this file.",
  });
}

/**
 * Page size of new files; existing files keep theirs. An ingestion takes half as many writes as with SQLite's 4,096 bytes, and no more bytes. Larger pages
 * waste more where rows change one by one.
 */
const pageBytes = 8192;

/** Settings of a file that has no tables yet. Free pages can be given back piece by piece; see `compact`. */
export const newFile = `PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL;`;

/** Makes the tables, inside the caller's transaction. */
export function createSchema(database: Database): void {
  database.exec(schema);
}

/**
 * Gives a file the indexes of lists and the sums of names, where it lacks them. **Shape** does nothing while another process writes, and without room: lists then
 * read all rows, names have no sums, and the next opening tries again.
 */
export function addLaterParts(database: Database): void {
  const lacks = (...names: readonly string[]): boolean => {
    const known = `SELECT count(*) AS count FROM sqlite_schema WHERE name IN (${names.map((name) => `'${name}'`).join(", ")})`;
    return Number(database.prepare(known).get()?.["count"]) < names.length;
  };
  if (!lacks("documents_by_title", "folder_changes", "names_change")) return;
  try {
    database.exec("BEGIN IMMEDIATE");
    if (lacks("names_change")) database.exec(sumColumns);
    database.exec(listIndexes);
    database.exec(folderCounts);
    database.exec(`DELETE FROM folder_counts; INSERT INTO folder_counts SELECT scope, ${folderOf("uri")}, coalesce(folder, ''), media_type, ${endingOf("uri")}, count(*)
      FROM documents WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4, 5`);
    database.exec("COMMIT");
  } catch {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

/** Makes the tables of an earlier version those of {@link lastEarlierVersion}, inside the caller's transaction. */
export function upgradeInPlace(database: Database): void {
  const version = Number(Object.values(database.prepare("PRAGMA user_version").get() ?? {})[0]);
  for (const statements of upgrades.slice(version - 1)) database.exec(statements);
  database.exec(`PRAGMA user_version = ${lastEarlierVersion}`);
}
