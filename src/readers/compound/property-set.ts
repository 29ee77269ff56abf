import type { Metadata } from "../../contracts/metadata.ts";
import { oneLine } from "../office/clean-text.ts";
import type { Storage } from "./compound-file.ts";

/** Title and metadata that a file of older Office states. */
export interface CompoundFacts {
  readonly title: string;
  readonly metadata: Metadata;
}

/** Reads the summary of a document; a broken one says nothing. **Source** MS-OLEPS, 2.21; MS-OSHARED, 2.3.3.2.1. */
export function readSummary(file: Storage): CompoundFacts {
  const nothing: CompoundFacts = { title: "", metadata: {} };
  try {
    const bytes = file.stream("\u0005SummaryInformation");
    return bytes === undefined ? nothing : factsIn(bytes);
  } catch {
    return nothing;
  }
}

function factsIn(bytes: Uint8Array): CompoundFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const set = view.getUint32(44, true);
  const properties = new Map<number, number>();
  for (let index = 0; index < Math.min(64, view.getUint32(set + 4, true)); index++) {
    properties.set(view.getUint32(set + 8 + index * 8, true), set + view.getUint32(set + 12 + index * 8, true));
  }
  const pageAt = properties.get(1);
  const page = pageAt === undefined ? 1252 : view.getUint16(pageAt + 4, true);
  const text = (id: number): string => {
    const at = properties.get(id);
    if (at === undefined) return "";
    const length = view.getUint32(at + 4, true);
    const isWide = view.getUint16(at, true) === 0x1f;
    const raw = bytes.subarray(at + 8, at + 8 + (isWide ? length * 2 : length));
    return oneLine(decodePage(raw, isWide ? 1200 : page).replace(/\0.*$/su, ""));
  };
  const date = (id: number): string | undefined => {
    const at = properties.get(id);
    return at === undefined ? undefined : fileTime(view.getBigUint64(at + 4, true));
  };
  const author = text(4);
  const createdAt = date(12);
  const modifiedAt = date(13);
  return {
    title: text(2),
    metadata: {
      ...(author === "" ? {} : { author }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(modifiedAt === undefined ? {} : { modifiedAt }),
    },
  };
}

/** Bytes in a code page of Windows. **Source** MS-UCODEREF. */
export function decodePage(bytes: Uint8Array, page: number): string {
  const names: Readonly<Record<number, string>> = {
    932: "shift_jis",
    936: "gbk",
    949: "euc-kr",
    950: "big5",
    1200: "utf-16le",
    10000: "macintosh",
    20127: "windows-1252",
    65001: "utf-8",
  };
  try {
    return new TextDecoder(names[page] ?? `windows-${page}`).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A time in 100 nanoseconds since 1601 as ISO 8601; `undefined` for none, and for one that no calendar has. **Source** MS-DTYP, 2.3.3. */
export function fileTime(time: bigint): string | undefined {
  const ms = Number(time / 10_000n) - 11_644_473_600_000;
  return ms > -2_208_988_800_000 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : undefined;
}
