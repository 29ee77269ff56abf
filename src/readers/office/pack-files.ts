import { crc32 } from "node:zlib";

/** Files in a ZIP archive, none of them packed. **Source** PKWARE APPNOTE 6.3, 4.3. */
export function packFiles(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Uint8Array {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const title = Buffer.from(name);
    // Version, flags (names in UTF-8), way of packing, time, date, checksum, sizes, lengths of the name and of more.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x800, 2);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(title.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const record = Buffer.concat([Buffer.from("PK\u0003\u0004"), facts, title, bytes]);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\0"), facts, place, title);
    local.push(record);
    at += record.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(at, 12);
  return Uint8Array.from(Buffer.concat([...local, ...directory, Buffer.from("PK\u0005\u0006"), end]));
}
