import type { DirectoryWriter } from "../segments/segment-directory.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** No lease is granted for longer. A longer one comes from a wrong clock. **Units** milliseconds. */
const longestLease = 86_400_000;

const nowMs = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";

/** Rows whose owner is gone. Owners come before the rows that they own, so one pass removes both. `removal` repairs rows that must be kept. */
const orphans: readonly { readonly what: string; readonly rows: string; readonly removal?: string }[] = [
  { what: "documents of no scope", rows: "documents WHERE scope NOT IN (SELECT key FROM scopes)" },
  { what: "chunks of no scope", rows: "chunks WHERE scope NOT IN (SELECT key FROM scopes)" },
  {
    what: "chunks whose document is gone",
    rows: "chunks WHERE document NOT IN (SELECT key FROM documents)",
  },
  { what: "segments of no scope", rows: "segments WHERE scope NOT IN (SELECT key FROM scopes)" },
  { what: "waiting index rows of no scope", rows: "pending WHERE scope NOT IN (SELECT key FROM scopes)" },
  { what: "index files of no segment", rows: "files WHERE segment NOT IN (SELECT key FROM segments)" },
  { what: "parts of no fit", rows: "fit_parts WHERE fit NOT IN (SELECT key FROM fits)" },
  {
    what: "texts of no document",
    rows: "blocks WHERE key NOT IN (SELECT block FROM documents WHERE block IS NOT NULL)",
  },
  {
    what: "sayings of no document",
    rows: `sayings WHERE document NOT IN (SELECT key FROM documents)
      AND (document <> 0 OR NOT EXISTS (SELECT 1 FROM chunks WHERE document = 0))`,
  },
  { what: "parts of no document", rows: "text_parts WHERE document NOT IN (SELECT key FROM documents)" },
  { what: "marks of no document", rows: "marks WHERE document NOT IN (SELECT key FROM documents)" },
  {
    what: "jobs of documents that are gone",
    rows: `jobs WHERE state = 'indexed' AND document IS NOT NULL AND result LIKE '{"documents":1,%' AND NOT EXISTS (
      SELECT 1 FROM documents JOIN scopes ON scopes.key = documents.scope
      WHERE documents.uri = jobs.document AND scopes.scope = jobs.scope AND documents.deleted_at IS NULL)`,
  },
  {
    what: "jobs that nobody may take for more than a day",
    rows: `jobs WHERE state IN ('reading', 'embedding') AND due_at > ${nowMs} + ${longestLease}`,
    removal: `UPDATE jobs SET state = 'queued', owner = NULL, due_at = ${nowMs}
      WHERE state IN ('reading', 'embedding') AND due_at > ${nowMs} + ${longestLease}`,
  },
];

/** Finds rows that no deletion should have left: each row is looked up at its owner. **Cost** one pass over each table. */
export function createOrphanSearch(db: SqliteConnection): Pick<DirectoryWriter, "orphans" | "deleteOrphans"> {
  return {
    orphans: () =>
      orphans
        .map(({ what, rows }) => ({
          what,
          count: db.get<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`)?.count ?? 0,
        }))
        .filter(({ count }) => count > 0),
    deleteOrphans: () => orphans.forEach(({ rows, removal = `DELETE FROM ${rows}` }) => db.run(removal)),
  };
}
