import { existsSync, statSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileReason, makeFolder } from "../../stores/sqlite/make-folder.ts";
import type { SqliteStoreOptions } from "../../stores/sqlite/sqlite-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Store } from "../../contracts/store.ts";
import { storeFiles } from "../../stores/sqlite/knowledge-base-folder.ts";
import { openSqliteStore } from "../../stores/open-sqlite-store.ts";

/** **Errors** `not-found` where it is not there and `create` is false; `store-failed` where the folder cannot be made; as {@link openSqliteStore}. */
export async function openStoreInFolder(folder: string, options: SqliteStoreOptions, create = true): Promise<Store> {
  const [file = ""] = storeFiles(folder);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new IbidError("invalid-argument", `${folder} is a file; a knowledge base is a folder.`, {
      uri: folder,
      hint: "Name a folder.",
    });
  }
  if (!isThere(folder, file)) {
    if (!create) {
      const named = basename(folder) === ".ibid" ? "" : ` --kb ${folder}`;
      throw new IbidError("not-found", `There is no knowledge base at ${folder}.`, {
        uri: folder,
        hint: `Make one with: ibid ingest <path>${named}, or begin with an empty one: ibid serve --write${named}`,
      });
    }
    try {
      makeFolder(folder);
    } catch (cause) {
      throw new IbidError("store-failed", `The folder ${folder} cannot be made: ${fileReason(cause)}.`, {
        uri: folder,
        hint: "Name a place that can be written to.",
        cause,
      });
    }
    // Derived from documents that have a home elsewhere, it has no place in a repository; but what else is in the folder may have.
    if ((await readdir(folder)).length === 0) await writeFile(join(folder, ".gitignore"), "*\n");
  }
  return openSqliteStore(file, options);
}

/** Whether a folder has a file. **Errors** `store-failed` where nobody may look. */
function isThere(folder: string, file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") return false;
    throw new IbidError("store-failed", `The knowledge base at ${folder} cannot be read: permission denied.`, {
      uri: folder,
      hint: "Give the account that runs ibid the right to read and write the folder.",
      cause,
    });
  }
}
