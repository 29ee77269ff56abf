import { decodeSource } from "../text/decode-source.ts";
import { declaredCharset } from "../text/find-charset.ts";

/**
 * Decodes a page: in the given encoding, else in the one that the page declares in its first 1,024 bytes, else in UTF-8.
 *
 * **Errors** `binary`, `unreadable`, `too-large`.
 * **Source** HTML standard, 13.2.3.2 (encoding sniffing): the sender's word before the page's own. Well-formed UTF-8 wins over both, since pages are
 * re-encoded more often than re-labelled.
 */
export function decodeHtml(bytes: Uint8Array, uri: string, charset?: string): string {
  return decodeSource(bytes, uri, charset ?? declaredCharset(bytes));
}
