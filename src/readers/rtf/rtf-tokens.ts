/** A part of an RTF file. */
export type RtfToken =
  | { readonly kind: "open" }
  | { readonly kind: "close" }
  | { readonly kind: "word"; readonly name: string; readonly value: number | undefined }
  /** Bytes in the file's character set. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

const [backslash, open, close, newline, carriage, quote] = [0x5c, 0x7b, 0x7d, 0x0a, 0x0d, 0x27];

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/**
 * Cuts RTF into groups, control words and text. Binary data (`\bin`) is passed over.
 *
 * **Shape** a control symbol such as `\~` is a word of that sign; `\'e9` is a byte of text. **Cost** linear.
 * **Source** Microsoft, Rich Text Format Specification 1.9.1, conventions of an RTF reader.
 */
export function* readRtfTokens(source: Uint8Array): Generator<RtfToken, undefined> {
  let text: number[] = [];
  for (let at = 0; at < source.length;) {
    const byte = source[at]!;
    if (byte === backslash && source[at + 1] === quote) {
      const code = Number.parseInt(String.fromCharCode(source[at + 2] ?? 0x30, source[at + 3] ?? 0x30), 16);
      if (!Number.isNaN(code)) text.push(code);
      at += 4;
      continue;
    }
    if (byte === newline || byte === carriage) {
      at++;
      continue;
    }
    if (byte !== backslash && byte !== open && byte !== close) {
      text.push(byte);
      at++;
      continue;
    }
    if (text.length > 0) {
      yield { kind: "bytes", bytes: Uint8Array.from(text) };
      text = [];
    }
    at++;
    if (byte !== backslash) {
      yield { kind: byte === open ? "open" : "close" };
      continue;
    }
    let end = at;
    while (end < source.length && end - at < 64 && isLetter(source[end]!)) end++;
    if (end === at) {
      const sign = source[at] ?? 0x20;
      yield {
        kind: "word",
        name: sign === newline || sign === carriage ? "par" : String.fromCharCode(sign),
        value: undefined,
      };
      at++;
      continue;
    }
    const name = String.fromCharCode(...source.subarray(at, end));
    at = end;
    if (source[end] === 0x2d) end++;
    while (end < source.length && end - at < 12 && isDigit(source[end]!)) end++;
    const digits = String.fromCharCode(...source.subarray(at, end));
    const value = digits === "" || digits === "-" ? undefined : Number(digits);
    at = end;
    if (source[at] === 0x20) at++;
    if (name === "bin") at += Math.max(0, value ?? 0);
    else yield { kind: "word", name, value };
  }
  if (text.length > 0) yield { kind: "bytes", bytes: Uint8Array.from(text) };
  return undefined;
}
