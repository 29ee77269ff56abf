import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { cp, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven } from "../../runtime/check-options.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { fileReason, makeFolder } from "./make-folder.ts";
import { openDatabase } from "./sqlite-database.ts";

/**
 * A backup of a knowledge base: a folder with its files and this list of them.
 *
 * @experimental
 */
export interface Backup {
  /** ISO 8601. */
  readonly at: string;
  /** Format of the database: `user_version`. */
  readonly format: number;
  readonly files: readonly BackupFile[];
}

/**
 * A file of a backup.
 *
 * @experimental
 */
export interface BackupFile {
  /** Path below the folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Name of the list in a backup. */
const manifestName = "backup.json";
const mainDatabase = "ibid.sqlite";

/**
 * Copies a knowledge base while others read and write it.
 *
 * **Shape** each database is copied as it is at one moment, and its pages are checked in the copy. The backup appears whole under its name, or not at all.
 * **Errors** `not-found` where there is no knowledge base, `invalid-argument` for a target that exists, `store-corrupt` for a copy that fails its check.
 * **Cost** reads and writes every file once, and reads the copies once more. Writers wait for nothing.
 *
 * @experimental
 */
export async function backUpFolder(folder: string, target: string): Promise<Backup> {
  checkGiven("backUpFolder", "folder", folder, "text");
  checkGiven("backUpFolder", "target", target, "text");
  const from = resolve(folder);
  const to = resolve(target);
  if (!(await isThere(join(from, mainDatabase))))
    throw new IbidError("not-found", `There is no knowledge base in ${folder}.`, {
      uri: folder,
      hint: "Name its folder with --kb.",
    });
  await refuseExisting(to);
  if (`${to}/`.startsWith(`${from}/`))
    throw new IbidError("invalid-argument", `The backup ${target} would lie inside of ${folder}.`, {
      hint: "Choose a folder elsewhere, better on another disk.",
    });
  return appear(to, async (draft) => {
    const files: BackupFile[] = [];
    let format = 0;
    for (const path of await filesOf(from)) {
      const copy = join(draft, path);
      makeFolder(dirname(copy));
      if (path.endsWith(".sqlite")) {
        const version = await copyDatabase(join(from, path), copy);
        if (path === mainDatabase) format = version;
      } else if (!(await copyIfThere(join(from, path), copy))) continue;
      files.push({ path, ...(await measure(copy)) });
    }
    const backup: Backup = { at: new Date(platformNow()).toISOString(), format, files };
    await writeFile(join(draft, manifestName), `${JSON.stringify(backup, undefined, 2)}\n`);
    return backup;
  });
}

/**
 * Checks a backup against its list: every file is there with its bytes, and no other.
 *
 * **Errors** `not-found` where there is no backup, `store-corrupt` with the first file that differs. **Cost** reads every file once.
 *
 * @experimental
 */
export async function verifyBackup(backup: string): Promise<Backup> {
  checkGiven("verifyBackup", "backup", backup, "text");
  const folder = resolve(backup);
  let listed: Backup;
  try {
    listed = readManifest(await readFile(join(folder, manifestName), "utf8"));
  } catch (cause) {
    throw new IbidError("not-found", `${backup} is no backup: it has no ${manifestName} that can be read.`, {
      uri: backup,
      hint: "Name a folder that ibid backup wrote.",
      cause,
    });
  }
  const damaged = (path: string, problem: string): IbidError =>
    new IbidError("store-corrupt", `The backup ${backup} is damaged: ${path} ${problem}.`, {
      uri: backup,
      hint: "Take another backup.",
    });
  const found = new Set((await filesOf(folder)).filter((path) => path !== manifestName));
  for (const { path, bytes, sha256 } of listed.files) {
    if (!found.delete(path)) throw damaged(path, "is missing");
    const now = await measure(join(folder, path));
    if (now.bytes !== bytes || now.sha256 !== sha256) throw damaged(path, "differs from its checksum");
  }
  const [other] = found;
  if (other !== undefined) throw damaged(other, "was not part of it");
  return listed;
}

/**
 * Makes a knowledge base of a backup.
 *
 * **Shape** the backup is verified before and its copy after. The knowledge base appears whole, or not at all. **Errors** as {@link verifyBackup}; `invalid-argument` for a folder
 * that exists and is not empty: nothing is overwritten.
 *
 * @experimental
 */
export async function restoreFolder(backup: string, folder: string): Promise<Backup> {
  checkGiven("restoreFolder", "backup", backup, "text");
  checkGiven("restoreFolder", "folder", folder, "text");
  const listed = await verifyBackup(backup);
  const to = resolve(folder);
  await refuseExisting(to);
  return appear(to, async (draft) => {
    for (const { path, sha256 } of listed.files) {
      const copy = join(draft, path);
      makeFolder(dirname(copy));
      await cp(join(resolve(backup), path), copy);
      if ((await measure(copy)).sha256 !== sha256)
        throw new IbidError("store-corrupt", `${path} was damaged while it was copied.`, { hint: "Check the disk." });
    }
    return listed;
  });
}

/** Copies a database page by page, and checks the copy. **Shape** its `user_version`. */
async function copyDatabase(from: string, to: string): Promise<number> {
  const source = openDatabase(from, { readOnly: true });
  try {
    source.exec("PRAGMA busy_timeout = 10000");
    await source.copyTo(to);
  } finally {
    source.close();
  }
  const copy = openDatabase(to);
  try {
    // The copy is one file: no log beside it holds a part of it.
    copy.exec("PRAGMA journal_mode = DELETE");
    const [row] = copy.prepare("PRAGMA integrity_check(1)").all();
    const said = String(Object.values(row ?? {})[0]);
    if (said !== "ok")
      throw new IbidError("store-corrupt", `${basename(from)} is damaged, and so is its copy: ${said}.`, {
        uri: from,
        hint: "See what is damaged with: ibid doctor",
      });
    return Number(Object.values(copy.prepare("PRAGMA user_version").get() ?? {})[0]);
  } finally {
    copy.close();
  }
}

/** Copies a file. **Shape** false for one that is gone: a service deletes files, and gives them other names, while it is backed up. */
async function copyIfThere(file: string, copy: string): Promise<boolean> {
  try {
    await cp(file, copy);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || (await isThere(file))) throw error;
    return false;
  }
}

/** Files below a folder, in order, without those that belong to a process that has it open. A folder that goes meanwhile has none. */
async function filesOf(folder: string, below = ""): Promise<readonly string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && below !== "") return [];
    throw error;
  });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return filesOf(folder, path);
      return entry.isFile() && !/-(?:wal|shm|journal|reserve)$|^\.unfinished$/u.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat().toSorted();
}

async function measure(file: string): Promise<Pick<BackupFile, "bytes" | "sha256">> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const part of createReadStream(file)) {
    hash.update(part as Uint8Array);
    bytes += (part as Uint8Array).length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function refuseExisting(target: string): Promise<void> {
  const inside = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    // A file stands there.
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (inside?.length === 0) return;
  const what = inside === undefined ? "is a file" : "exists and is not empty";
  throw new IbidError("invalid-argument", `${target} ${what}.`, {
    uri: target,
    hint: "Choose a folder that does not exist; nothing is overwritten.",
  });
}

/** Makes a folder under a name beside its own, and gives it its own name at the end. */
async function appear<Result>(target: string, fill: (draft: string) => Promise<Result>): Promise<Result> {
  const draft = `${target}.${process.pid}.part`;
  try {
    makeFolder(draft, 0o700);
  } catch (cause) {
    throw new IbidError("store-failed", `The folder ${target} cannot be made: ${fileReason(cause)}.`, {
      uri: target,
      hint: "Name a place that can be written to.",
      cause,
    });
  }
  try {
    const result = await fill(draft);
    // An empty folder may stand there; one with files is never removed.
    await rmdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    await rename(draft, target);
    return result;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** **Errors** a plain one for a text that is no list of a backup; its caller names the folder. */
function readManifest(text: string): Backup {
  const { at, format, files } = JSON.parse(text) as Partial<Backup>;
  const isWhole =
    typeof at === "string" &&
    typeof format === "number" &&
    Array.isArray(files) &&
    files.every((file: Partial<BackupFile> | null) => typeof file?.path === "string");
  if (!isWhole) throw new TypeError("The list lacks its time, its format or its files.");
  return { at, format, files };
}
