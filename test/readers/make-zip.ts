import { crc32, deflateRawSync } from "node:zlib";

/** A member as it stands in the archive, with what its headers say of it; what is left out is true. */
export interface ZipTestMember {
  /** Bytes for a name in another encoding than UTF-8. */
  readonly name: string | Uint8Array;
  /** Declared way of packing; the data are packed by Deflate. */
  readonly method?: number;
  readonly content: string | Uint8Array;
  /** Declared size when unpacked. */
  readonly size?: number;
  readonly crc?: number;
  readonly flags?: number;
  /** The member whose data this one claims for its own, by its place in the list. */
  readonly dataOf?: number;
}

/** An archive that may lie. **Source** PKWARE APPNOTE 4.3. */
export function makeZip(members: readonly ZipTestMember[], declaredCount = members.length): Uint8Array {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const { name: given, content, size, crc, flags = 0, method = 8, dataOf } of members) {
    const name = Buffer.from(given);
    const raw = Buffer.from(content);
    const packed = deflateRawSync(raw);
    const header = Buffer.alloc(42);
    header.writeUInt16LE(20, 2);
    header.writeUInt16LE(flags, 4);
    header.writeUInt16LE(method, 6);
    header.writeUInt32LE(crc ?? crc32(raw), 12);
    header.writeUInt32LE(packed.length, 16);
    header.writeUInt32LE(size ?? raw.length, 20);
    header.writeUInt16LE(name.length, 24);
    offsets.push(dataOf === undefined ? at : (offsets[dataOf] ?? 0));
    if (dataOf === undefined) {
      const record = Buffer.concat([Buffer.from("PK\u0003\u0004"), header.subarray(2, 28), name, packed]);
      local.push(record);
      at += record.length;
    }
    header.writeUInt32LE(offsets[offsets.length - 1] ?? 0, 38);
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), header, name]));
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(declaredCount, 4);
  end.writeUInt16LE(declaredCount, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Uint8Array.from(Buffer.concat([...local, directory, Buffer.from("PK\u0005\u0006"), end]));
}
