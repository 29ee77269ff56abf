import { IbidError } from "../../contracts/errors.ts";
import { decodeSource } from "../../documents/decode-source.ts";

/**
 * Bytes of a page to its source text. UTF-8 and UTF-16 are told by the bytes; other encodings by what the page declares in its first 1,024 bytes.
 *
 * **Errors** `binary`, `unreadable`, `too-large`.
 * **Source** HTML standard, 13.2.3.2 (prescan); the declared encoding counts only where the bytes are not UTF-8, since pages are re-encoded more often than re-labelled.
 */
export function decodeHtml(bytes: Uint8Array, uri: string): string {
  try {
    return decodeSource(bytes, uri);
  } catch (error) {
    const declared = IbidError.isInstance(error, "unreadable") ? declaredEncoding(bytes) : undefined;
    if (declared === undefined) throw error;
    return decodeSource(bytes, uri, declared);
  }
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const label =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})/i.exec(head)?.[1];
  // A page that can declare its encoding in ASCII is not in UTF-16, whatever it declares.
  return label === undefined || /^(?:utf-?8|utf-?16)/i.test(label) ? undefined : label;
}
