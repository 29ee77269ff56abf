import { readFile, writeFile } from "node:fs/promises";
import { IbidError } from "../contracts/errors.ts";

const reasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  EACCES: "you have no right to read it",
  EPERM: "you have no right to read it",
};

/** Reads a text file whole. **Errors** `not-found`, `unreadable`. */
export async function readText(path: string, hint = "Check the name."): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    throw new IbidError(
      code === "ENOENT" ? "not-found" : "unreadable",
      code === "ENOENT" ? `There is no ${path}.` : `${path} cannot be read: ${reasons[code] ?? message}.`,
      { uri: path, hint, cause },
    );
  }
}

/** **Errors** `store-failed` when the file cannot be written. */
export async function writeText(path: string, text: string, mode = 0o666): Promise<void> {
  try {
    await writeFile(path, text, { mode });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IbidError("store-failed", `${path} cannot be written: ${reason}.`, {
      uri: path,
      hint: "Name a file that can be written.",
      cause,
    });
  }
}
