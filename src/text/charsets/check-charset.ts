import { IbidError } from "../../contracts/errors.ts";
import { findCharsetName } from "./decode-text.ts";

/** An encoding that a caller names, as it is. **Errors** `invalid-argument` for one that nobody knows. */
export function checkCharset(charset: string | undefined): string | undefined {
  if (charset === undefined || (typeof charset === "string" && findCharsetName(charset) !== undefined)) return charset;
  throw new IbidError("invalid-argument", `No character encoding is called ${JSON.stringify(charset)}.`, {
    hint: "Use a name of the Encoding Standard, such as utf-8, windows-1252 or shift_jis.",
  });
}
