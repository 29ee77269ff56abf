/**
 * Decodes a text in UTF-7. A plus sign begins UTF-16 in base64, and a sign that is none of base64 ends it. A hyphen that ends it is left out.
 *
 * **Shape** a plus sign and a hyphen are a plus sign. A stretch without a whole character stays as it is written. **Cost** linear. **Source** RFC 2152.
 */
export function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/gu, (written, shifted: string) => {
    if (shifted === "") return written.endsWith("-") ? "+" : written;
    const bytes = Uint8Array.from(decodeBits(shifted));
    if (bytes.length < 2) return written;
    return new TextDecoder("utf-16be").decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  });
}

const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Whole bytes of base64 without padding. */
function decodeBits(text: string): number[] {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const sign of text) {
    bits = ((bits << 6) | signs.indexOf(sign)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 0xff);
  }
  return bytes;
}
