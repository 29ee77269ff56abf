/** The text that every compressed body begins with the knowledge of. **Source** MS-OXRTFCP, 2.1.3.1.4. */
const known =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

const windowSize = 4096;
const compressed = 0x75465a4c;
const stored = 0x414c454d;

/**
 * Unpacks the rich text of a message; `undefined` for what is none.
 *
 * **Shape** never more than 16 times the input and a window, since a pair of bytes stands for 17 at most.
 * **Source** MS-OXRTFCP, 2.2.
 */
export function decompressRtf(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < 16) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(4, true);
  const method = view.getUint32(8, true);
  if (method === stored) return bytes.subarray(16, 16 + size);
  if (method !== compressed) return undefined;
  const window = new Uint8Array(windowSize);
  window.set(new TextEncoder().encode(known));
  let write = known.length;
  const out: number[] = [];
  const put = (byte: number): void => {
    out.push(byte);
    window[write] = byte;
    write = (write + 1) % windowSize;
  };
  for (let at = 16; at < bytes.length && out.length < size;) {
    const control = bytes[at++]!;
    for (let bit = 0; bit < 8 && at < bytes.length && out.length < size; bit++) {
      if (((control >> bit) & 1) === 0) {
        put(bytes[at++]!);
        continue;
      }
      const pair = (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
      at += 2;
      const from = pair >> 4;
      if (from === write) return Uint8Array.from(out);
      for (let index = 0; index < (pair & 0xf) + 2; index++) put(window[(from + index) % windowSize]!);
    }
  }
  return Uint8Array.from(out);
}
