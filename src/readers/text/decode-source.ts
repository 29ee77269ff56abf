import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput } from "../../contracts/reader.ts";
import { canonicalize } from "../../text/canonical-text.ts";
import { decodeText } from "../../text/charsets/decode-text.ts";
import { defaultReadLimits, limitsOf } from "../read-limits.ts";

/**
 * Decodes a text format to canonical text: by byte order mark, else by `charset`, else as UTF-8. The text has no byte
 * order mark, `\n` as its newline, and at most `max` UTF-16 units.
 *
 * **Errors** `binary`, `unreadable` (not in a known encoding) and `too-large`, naming `uri`.
 */
export function decodeSource(
  bytes: Uint8Array,
  uri: string,
  charset?: string,
  max: number = defaultReadLimits.maxTextLength,
): string {
  // No encoding that we read needs more than three bytes for one UTF-16 unit.
  if (bytes.length > max * 3) throw textTooLarge(uri, bytes.length, max);
  const text = canonicalize(decodeNamed(bytes, uri, charset));
  if (text.length > max) throw textTooLarge(uri, text.length, max);
  return text;
}

/** {@link decodeSource} within the limits of a reading. */
export function decodeInput(
  bytes: Uint8Array,
  charset: string | undefined,
  { uri, limits }: Pick<ReadInput, "uri" | "limits">,
): string {
  return decodeSource(bytes, uri, charset, limitsOf(limits === undefined ? {} : { limits }).maxTextLength);
}

/** The refusal of a text that is longer than `max`. */
export function textTooLarge(uri: string, length: number, max: number): IbidError {
  return new IbidError(
    "too-large",
    `${uri} has more text than a document may have (${max.toLocaleString("en")} characters).`,
    {
      hint: "Split it into several files, or raise the limit maxTextLength.",
      uri,
      details: { limit: "maxTextLength", length, max },
    },
  );
}

function decodeNamed(bytes: Uint8Array, uri: string, charset: string | undefined): string {
  try {
    return decodeText(bytes, charset).text;
  } catch (error) {
    if (!IbidError.isInstance(error) || error.uri !== undefined) throw error;
    // The decoder knows bytes, not where they came from.
    throw new IbidError(error.code, `${uri} cannot be read as text: ${lowerFirst(error.message)}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      uri,
      details: error.details,
      cause: error,
    });
  }
}

function lowerFirst(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}
