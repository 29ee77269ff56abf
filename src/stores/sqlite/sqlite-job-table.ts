/**
 * Jobs wait in the same file as the documents they become, so that neither outlives the other: what is deleted takes with it the jobs that were asked
 * for before, in the same transaction. `due_at` is when a job may be taken; of one that is being done, when its lease ends. What is free text is JSON,
 * in which no U+0000 ends a string.
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
