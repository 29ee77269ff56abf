import type { DirectoryWriter, FormerRow } from "../segments/segment-directory.ts";
import { compress, type Compressed, expand } from "./compressed.ts";
import { type Packed, packId, unpackDigits } from "./packed.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Made when former versions are first kept, so that other files need not have them. The trigger holds for every version of ibid that writes the file: a purge of a
 * document erases its past.
 */
const tables = `
CREATE TABLE IF NOT EXISTS former_versions (
  key INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, begins INTEGER NOT NULL, ends INTEGER NOT NULL,
  chunks INTEGER NOT NULL, sum INTEGER NOT NULL, id BLOB NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS former_versions_by_id ON former_versions (scope, id);
CREATE TRIGGER IF NOT EXISTS former_versions_of_purged AFTER DELETE ON documents BEGIN
  DELETE FROM former_versions WHERE scope = OLD.scope AND id = OLD.id;
END;`;

const columns = `key, scope, id AS documentId, begins AS "from", ends AS "to", chunks`;

type Read<Row> = Omit<Row, "documentId"> & { readonly documentId: Packed };

const toRow = <Row extends { readonly documentId: Packed }>(
  row: Row,
): Omit<Row, "documentId"> & { readonly documentId: string } => ({
  ...row,
  documentId: unpackDigits(row.documentId),
});

/** The past of documents as statements; each row is compressed by itself, so that it can go by itself. */
export function createFormerRows(
  db: SqliteConnection,
): Pick<DirectoryWriter, "formers" | "formersOf" | "keepFormers" | "addFormer" | "putFormer" | "deleteFormer"> {
  return {
    formers: (scope) =>
      db
        .all<Read<Omit<FormerRow, "data">>>(`SELECT ${columns} FROM former_versions WHERE scope = ?`, scope)
        .map((row) => toRow(row)),
    formersOf: (scope, documentId) =>
      db
        .all<Read<FormerRow> & Compressed>(
          `SELECT ${columns}, sum, data FROM former_versions WHERE scope = ? AND id = ?`,
          scope,
          packId(documentId),
        )
        .map(({ sum, data, ...row }) => ({
          ...toRow(row),
          // A slice of it must be a copy, which that of a Buffer is not.
          data: Uint8Array.from(expand({ sum, data }, () => "a former version of a document")),
        })),
    keepFormers: () => db.exec(tables),
    addFormer({ scope, documentId, from, to, chunks, data: bytes }) {
      const { data, sum } = compress(bytes);
      db.run(
        "INSERT INTO former_versions (scope, id, begins, ends, chunks, sum, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
        scope,
        packId(documentId),
        from,
        to,
        chunks,
        sum,
        data,
      );
    },
    putFormer({ key, chunks, data: bytes }) {
      const { data, sum } = compress(bytes);
      db.run("UPDATE former_versions SET chunks = ?, sum = ?, data = ? WHERE key = ?", chunks, sum, data, key);
    },
    deleteFormer: (key) => void db.run("DELETE FROM former_versions WHERE key = ?", key),
  };
}
