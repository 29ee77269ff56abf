/** Bytes as text that JSON carries. */
export function toBase64(bytes: Uint8Array): string {
  let signs = "";
  for (let at = 0; at < bytes.length; at += 8192) signs += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(signs);
}

/** The bytes of such a text. **Errors** `InvalidCharacterError` of the platform for another. */
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
