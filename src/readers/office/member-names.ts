import { canDecode, rankCharsets } from "../../text/charsets/detect-charset.ts";

/** Encodings that programs write names in without saying so: the code page of the machine, in the names of the Encoding Standard. */
const codePages: ReadonlySet<string> = new Set(
  "gb18030 big5 shift_jis euc-kr ibm866 windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258".split(
    " ",
  ),
);

/**
 * The encoding of names in a ZIP archive that does not say it: one for all of them, as one machine wrote them.
 *
 * UTF-8 where all are, as archives of macOS; the standard's CP437 where they are Western European letters in it; else what their words show.
 *
 * **Shape** a name of the Encoding Standard; `undefined` for CP437. **Cost** weighs 4 KiB of the names.
 * **Source** PKWARE APPNOTE 4.4.4 (bit 11) and appendix D.
 */
export function findNameCharset(names: readonly Uint8Array[]): string | undefined {
  const foreign = names.filter((name) => name.some((byte) => byte >= 0x80));
  if (foreign.every((name) => canDecode(name, "utf-8"))) return "utf-8";
  if (foreign.every((name) => name.every(isWesternLetter))) return undefined;
  const all = Uint8Array.from(foreign.flatMap((name) => [...name, 0x0a]));
  return rankCharsets(all.subarray(0, 4096)).find(
    ({ encoding }) => codePages.has(encoding) && foreign.every((name) => canDecode(name, encoding)),
  )?.encoding;
}

/** ASCII, or one of the accented letters of CP437, which other code pages seldom have together. */
function isWesternLetter(byte: number): boolean {
  return byte <= 0xa5 ? byte < 0x9b || byte > 0x9f : byte === 0xe1;
}
