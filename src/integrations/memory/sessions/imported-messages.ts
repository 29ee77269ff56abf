import { appendFile, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { IbidError } from "../../../contracts/errors.ts";
import { checkText } from "../../../runtime/check-options.ts";
import { hmacSha256, sha256 } from "../../../runtime/hash.ts";
import { makeFolder } from "../../../stores/sqlite/make-folder.ts";

/**
 * Names of the messages that imports have brought into a knowledge base, as far as they share a key. Where such a message is gone, it was forgotten.
 *
 * @experimental
 */
export interface ImportedMessages {
  /** Whether the list has marks under a key of others. A message that they forgot looks like a new one. Absent: unknown. */
  readonly hasOthers?: boolean | undefined;
  has(name: string): boolean;
  add(names: readonly string[]): Promise<void>;
}

const fileName = "imported-messages";
/** Beginning of a line that names the key of some marks, by a hash of it. */
const keyLine = "key ";
const keyBytes = 32;
/** **Units** hexadecimal digits. */
const markLength = 32;
const privateRights = { folder: 0o700, file: 0o600 };
/** The mask of the process takes away from these. */
const sharedRights = { folder: 0o777, file: 0o666 };

/**
 * Opens the list of a knowledge base in a folder: a file beside its store, with a keyed mark for each message.
 *
 * The key is not in the folder. So a reader of the folder cannot confirm the name of a message that is gone, and without the folder the key tells nothing.
 *
 * **Shape** `keyFile` is made where it is missing. Default: `ibid/import.key` in the user's folder for state, for this user alone. A named key may be shared: the
 * rights of the files are then those that the process gives to new files. **Errors** `store-failed` where a file cannot be read or written.
 * **Source** RFC 2104 (HMAC); the XDG Base Directory Specification.
 *
 * @experimental
 */
export async function openImportedMessages(folder: string, keyFile?: string): Promise<ImportedMessages> {
  checkText("openImportedMessages", "folder", folder);
  if (keyFile !== undefined) checkText("openImportedMessages", "keyFile", keyFile);
  const rights = keyFile === undefined ? privateRights : sharedRights;
  const file = join(folder, fileName);
  const key = await reach(keyFile ?? keyFileIn(stateFolder()), (path) => readKey(path, rights));
  const text = await reach(file, (path) => readFile(path, "latin1").catch(orWhereMissing("")));
  const lines = text.split("\n");
  const marks = new Set(lines.filter((line) => line.length === markLength));
  const own = keyLine + hmacSha256(key, keyLine).slice(0, markLength / 2);
  const keys = new Set(lines.filter((line) => line.startsWith(keyLine) && line.length === own.length));
  const markOf = (name: string): string => hmacSha256(key, name).slice(0, markLength);
  return {
    hasOthers: keys.size > (keys.has(own) ? 1 : 0),
    has: (name) => marks.has(markOf(name)),
    async add(names) {
      const added = names.map(markOf).filter((mark) => !marks.has(mark));
      if (added.length === 0) return;
      // A line that a crash cut off ends here, and is no mark.
      const named = keys.has(own) ? [] : [own];
      await reach(file, (path) => appendFile(path, ["", ...named, ...added, ""].join("\n"), { mode: rights.file }));
      keys.add(own);
      for (const mark of added) marks.add(mark);
    },
  };
}

/** Two processes that make the key at once have one: the file of the first stays. */
async function readKey(path: string, rights: typeof privateRights): Promise<Uint8Array> {
  makeFolder(dirname(path), rights.folder);
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(keyBytes))).toString("hex");
  await writeFile(path, made, { flag: "wx", mode: rights.file }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const key = Buffer.from(await readFile(path, "latin1"), "hex");
  if (key.length === keyBytes) return key;
  throw new IbidError("store-failed", `${path} has ${key.length} bytes of a key; there must be ${keyBytes}.`, {
    uri: path,
    hint: "Delete the file. Messages that were forgotten return with the next import then.",
  });
}

async function reach<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
  try {
    return await work(path);
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    throw new IbidError("store-failed", `${path} cannot be read or written.`, {
      uri: path,
      hint: "Correct its rights, or set XDG_STATE_HOME to a folder that can be written.",
      cause,
    });
  }
}

const orWhereMissing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === "ENOENT") return value;
    throw error;
  };

/** The key of a folder for state. */
export const keyFileIn = (state: string): string => join(state, "import.key");

/**
 * Folder of the list of a knowledge base that has no folder of its own, in a folder for state.
 *
 * **Shape** `shared` is a folder that is not the user's alone. It is named by a hash of the address. It is made where it is missing. **Errors** `store-failed`.
 */
export async function openAddressFolder(address: string, shared?: string): Promise<string> {
  const folder = join(shared ?? stateFolder(), "imports", sha256(address).slice(0, markLength));
  return reach(folder, (path) => {
    makeFolder(path, (shared === undefined ? privateRights : sharedRights).folder);
    return Promise.resolve(path);
  });
}

/** **Source** the XDG Base Directory Specification; Apple, File System Programming Guide; Microsoft, Known Folders. */
function stateFolder(): string {
  const { XDG_STATE_HOME: chosen, LOCALAPPDATA: local } = process.env;
  const own =
    process.platform === "win32"
      ? (local ?? join(homedir(), "AppData", "Local"))
      : process.platform === "darwin"
        ? join(homedir(), "Library", "Application Support")
        : join(homedir(), ".local", "state");
  return join(chosen ?? own, "ibid");
}
