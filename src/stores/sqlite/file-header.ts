import { readSync } from "node:fs";

/** What a database says of its pages. */
export interface FileHeader {
  readonly pageSize: number;
  /** Whether pages are all that there is: no room is kept at their ends, and none of them maps the others. So it is in every file of ours. */
  readonly isPlain: boolean;
}

const headerBytes = 100;

/** **Source** SQLite, "Database File Format", 1.3. */
export function readFileHeader(file: number): FileHeader {
  const header = Buffer.alloc(headerBytes);
  readSync(file, header, 0, headerBytes, 0);
  const said = header.readUInt16BE(16);
  const reserved = header[20]!;
  const largestRoot = header.readUInt32BE(52);
  return { pageSize: said === 1 ? 65_536 : said, isPlain: reserved === 0 && largestRoot === 0 };
}
