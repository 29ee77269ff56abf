/** A field of a form that is a box or a list. **Source** MS-DOC, 2.9.78 (FFData): 0 is a text. */
const [box, list] = [1, 2];
/** A result of this number stands for none: the default counts. */
const noResult = 25;
/** Texts behind the default: a format, help and two macros. */
const textsBetween = 5;

/**
 * The value of a field of a form, from the stream `Data`: a box that is ticked or not, or the entry that is chosen.
 *
 * **Shape** `""` for a text, whose value stands in the document, and for broken data.
 * **Source** MS-DOC, 2.9.157 (NilPICFAndBinData), 2.9.78 (FFData), 2.9.353 (Xstz), 2.2.4 (STTB).
 */
export function readFormValue(data: Uint8Array, start: number): string {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const word = (at: number): number => (at + 2 <= data.length ? view.getUint16(at, true) : 0);
  const begin = start + word(start + 4);
  if (begin + 10 > data.length || view.getUint32(begin, true) !== 0xffffffff) return "";
  const facts = word(begin + 4);
  const kind = facts & 3;
  // Each text has its length before it, and a zero behind it.
  const behindText = (at: number): number => at + 4 + word(at) * 2;
  let at = behindText(begin + 10);
  const stated = (facts >> 2) & 31;
  const chosen = stated === noResult ? word(at) : stated;
  if (kind === box) return chosen === 1 ? "☒" : "☐";
  if (kind !== list) return "";
  at += 2;
  for (let count = 0; count < textsBetween; count++) at = behindText(at);
  if (word(at) !== 0xffff || chosen >= word(at + 2)) return "";
  at += 6;
  for (let entry = 0; entry < chosen; entry++) at += 2 + word(at) * 2;
  return new TextDecoder("utf-16le").decode(data.subarray(at + 2, at + 2 + word(at) * 2));
}
