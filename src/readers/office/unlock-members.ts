import { IbidError } from "../../contracts/errors.ts";
import { asksForPassword, unreadable } from "./refusals.ts";

/** A member of a ZIP archive that a password protects, by where its header stands. */
interface LockedMember {
  /** How a refusal names it. */
  readonly uri: string;
  /** **Units** bytes. */
  readonly offset: number;
  readonly size: number;
}

/**
 * Opens members of a ZIP archive by a password: the old cipher of ZIP, and AES as WinZip and 7-Zip write it.
 *
 * **Errors** `encrypted` for a wrong password and for a cipher that the library does not know; `unreadable` for a broken member.
 * **Cost** reads the directory once more; then each member's bytes.
 * **Source** PKWARE APPNOTE 6.1; WinZip, "AES Encryption Information" (AE-1 and AE-2).
 */
export async function openLockedMembers(
  uri: string,
  bytes: Uint8Array,
  password: string,
): Promise<(member: LockedMember) => Promise<Uint8Array<ArrayBuffer>>> {
  const zip = await import("@zip.js/zip.js/lib/zip-core.js");
  // Names are cleaned elsewhere, and overlapping members are counted there.
  const lenient = { strictness: "tolerant", filenameValidation: "tolerant", useWebWorkers: false } as const;
  const reader = new zip.ZipReader(new zip.Uint8ArrayReader(bytes), lenient);
  const entries = await reader.getEntries(lenient).catch((error: unknown) => {
    throw unreadable(uri, "has a broken directory", error);
  });
  const byOffset = new Map(entries.map((entry) => [entry.offset, entry]));
  return async ({ uri: shown, offset, size }) => {
    const entry = byOffset.get(offset);
    if (entry === undefined || entry.directory) throw unreadable(shown, "is broken");
    const member = new Uint8Array(size);
    let length = 0;
    const target = new WritableStream<Uint8Array>({
      write(piece) {
        // A member that grows beyond its declared size stops here.
        member.set(piece, length);
        length += piece.length;
      },
    });
    try {
      await entry.getData(target, { ...lenient, password, checkSignature: true });
    } catch (error) {
      const { message } = error as Error;
      if (message === zip.ERR_INVALID_PASSWORD) throw asksForPassword(shown, password);
      if (message === zip.ERR_UNSUPPORTED_ENCRYPTION || message === zip.ERR_UNSUPPORTED_COMPRESSION)
        throw new IbidError("encrypted", `${shown} has a protection that is not undone here.`, {
          hint: "Unpack the archive with the program that made it, and give its files, or protect them by AES-256 or by ZipCrypto.",
          uri: shown,
        });
      // One of 256 wrong passwords passes the check of the old cipher, and only the content shows it.
      throw entry.zipCrypto && message !== zip.ERR_LOCAL_FILE_HEADER_NOT_FOUND
        ? asksForPassword(shown, password)
        : unreadable(shown, "is broken", error);
    }
    if (length < size) throw unreadable(shown, "is broken");
    return member;
  };
}
