import type { BlobStore, StoredBlob } from "../../contracts/blob-store.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkBlobKey, checkBlobList, checkBlobPut, checkBlobSize, checkMaxBlobBytes } from "../blobs/check-blob.ts";
import { type Postgres, stateOf } from "./postgres-client.ts";

/** Keys that a list fetches together. */
const listedTogether = 500;

type Row = { readonly key: string; readonly size: unknown; readonly etag: string; readonly bytes: Uint8Array };

/**
 * Bytes under keys in a table of the base: what a service keeps beside it, and media. An `area` has keys of its own.
 *
 * **Shape** each write is one statement. A write whose answer is lost is found by its version. **Errors** as the contract.
 */
export function createPostgresBlobStore(
  connect: () => Promise<Postgres>,
  schema: string,
  area: string,
  options: { readonly maxBytes?: number | undefined } = {},
): BlobStore {
  const maxBytes = checkMaxBlobBytes("createPostgresBlobStore", options.maxBytes);
  const table = `${schema}.blobs`;
  const one = `FROM ${table} WHERE area = $1 AND key = $2`;

  async function read(key: string, columns: string, operation: string): Promise<Row | undefined> {
    const db = await connect();
    return (await db.query<Row>(operation, `SELECT key, size, etag${columns} ${one}`, [area, key]))[0];
  }

  return {
    async head(key, asked = {}) {
      checkBlobKey(key, "head", asked);
      const found = await read(key, "", "looking for a file");
      return found && { key, size: Number(found.size), etag: found.etag };
    },
    async get(key, asked = {}): Promise<StoredBlob | undefined> {
      checkBlobKey(key, "get", asked);
      const found = await read(key, ", bytes", "reading a file");
      if (found === undefined) return undefined;
      const bytes = new Uint8Array(found.bytes);
      checkBlobSize(key, bytes.length, maxBytes);
      return { key, size: bytes.length, etag: found.etag, bytes };
    },
    async put(key, bytes, asked = {}) {
      checkBlobPut(key, bytes, asked, maxBytes);
      const etag = `"${crypto.randomUUID()}"`;
      const insert = `INSERT INTO ${table} AS b (area, key, etag, bytes, size) VALUES ($1, $2, $3, $4, $5)`;
      const values = [area, key, etag, new Uint8Array(bytes), bytes.length];
      const [text, given] =
        asked.ifMatch !== undefined
          ? [
              `UPDATE ${table} SET etag = $3, bytes = $4, size = $5 WHERE area = $1 AND key = $2 AND etag = $6 RETURNING 1`,
              [...values, asked.ifMatch],
            ]
          : asked.ifNoneMatch === undefined
            ? [
                `${insert} ON CONFLICT (area, key) DO UPDATE SET etag = excluded.etag, bytes = excluded.bytes, size = excluded.size RETURNING 1`,
                values,
              ]
            : [`${insert} ON CONFLICT DO NOTHING RETURNING 1`, values];
      const db = await connect();
      try {
        const written = await db.query("writing a file", text, given);
        return written.length > 0 ? { status: "written", etag } : { status: "conflict" };
      } catch (error) {
        if (stateOf(error) !== undefined) throw error;
        const found = await read(key, "", "looking for a file").catch(() => undefined);
        if (found?.etag !== etag) throw error;
        return { status: "written", etag };
      }
    },
    async delete(key, asked = {}) {
      checkBlobKey(key, "delete", asked);
      await (await connect()).query("deleting a file", `DELETE ${one}`, [area, key]);
    },
    async *list(asked = {}) {
      checkBlobList(asked);
      const { prefix = "", signal } = asked;
      // No key has U+0000, which Postgres does not take: a key after it comes after what stands before it.
      if (prefix.includes("\0")) return;
      let after = asked.after?.split("\0")[0];
      for (;;) {
        throwIfAborted(signal, "list");
        const found = await (
          await connect()
        ).query<Row>(
          "listing files",
          `SELECT key, size FROM ${table} WHERE area = $1 AND key >= $2 AND starts_with(key, $2) AND ($3::text IS NULL OR key > $3)
ORDER BY key LIMIT ${listedTogether}`,
          [area, prefix, after ?? null],
        );
        for (const { key, size } of found) {
          throwIfAborted(signal, "list");
          yield { key, size: Number(size) };
        }
        if (found.length < listedTogether) return;
        after = found.at(-1)!.key;
      }
    },
  };
}
