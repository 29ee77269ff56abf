import { openCompoundFile, type Storage } from "./compound-file.ts";
import { otherwiseProtected } from "../office/refusals.ts";
import { openOldCipher } from "./old-password.ts";

/** **Units** bytes. **Source** MS-XLS, 2.2.10 (encryption). */
const blockSize = 1024;
const record = { beginning: 0x0809, password: 0x002f, sheet: 0x0085, nothing: 0x00e2 } as const;
/** Records that stay as they are: beginnings of parts, and those about the password and shared work. **Source** MS-XLS, 2.2.10. */
const plainRecords: ReadonlySet<number> = new Set([
  record.beginning,
  record.password,
  0x00e1,
  0x0138,
  0x0194,
  0x0195,
  0x0196,
]);

/**
 * The records of a workbook of Excel 97 to 2003 that a password encrypts, without their encryption.
 *
 * **Shape** `undefined` for a workbook that is not encrypted. **Errors** as `openOldCipher`, `encrypted` for one that is obfuscated, and `unreadable` for a broken compound file.
 */
export function decryptWorkbook(bytes: Uint8Array, uri: string, password: string | undefined): Uint8Array | undefined {
  const stream = workbookStream(bytes, uri);
  if (stream === undefined) return undefined;
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  let found: { readonly at: number; readonly length: number } | undefined;
  const records = [...recordsOf(view)];
  for (const { type, at, length } of records) {
    // It stands before the list of sheets; bytes of a broken file behind may look like it.
    if (type === record.sheet) break;
    if (type !== record.password) continue;
    // The first number tells encryption from the obfuscation of older versions.
    if (length < 54 || view.getUint16(at + 4, true) !== 1)
      throw otherwiseProtected(
        uri,
        "is protected by a password in the way of Excel 95 (XOR), which is not undone here",
      );
    found = { at, length };
    break;
  }
  if (found === undefined) return undefined;
  const cipher = openOldCipher(stream.subarray(found.at + 6, found.at + 4 + found.length), uri, password);
  const open = cipher.decrypt(stream, blockSize);
  for (const { type, at, length } of records) {
    // The heads of records are not encrypted, nor is where a sheet begins.
    const isPlain = plainRecords.has(type) && (type !== record.beginning || isBeginning(view, at, length));
    const plain = isPlain ? 4 + length : type === record.sheet ? 8 : 4;
    open.set(stream.subarray(at, at + plain), at);
  }
  new DataView(open.buffer).setUint16(found.at, record.nothing, true);
  return open;
}

/** LibreOffice encrypts the beginnings of charts, against the rule. A plain one names the version of the format. */
function isBeginning(view: DataView, at: number, length: number): boolean {
  return length >= 2 && [0x0500, 0x0600].includes(view.getUint16(at + 4, true));
}

/** The records of a workbook, of a compound file or alone; `undefined` where there are none. **Errors** `unreadable` for a broken compound file. */
export function workbookStream(bytes: Uint8Array, uri: string): Uint8Array | undefined {
  return bytes[0] === 0xd0 ? workbookOf(openCompoundFile(bytes, uri)) : bytes;
}

function workbookOf(file: Storage): Uint8Array<ArrayBuffer> | undefined {
  return file.stream("Workbook") ?? file.stream("WORKBOOK") ?? file.stream("Book");
}

function* recordsOf(
  view: DataView,
): Generator<{ readonly type: number; readonly at: number; readonly length: number }> {
  for (let at = 0; at + 4 <= view.byteLength;) {
    const length = view.getUint16(at + 2, true);
    yield { type: view.getUint16(at, true), at, length };
    at += 4 + length;
  }
}
