import type { getDocumentProxy } from "unpdf";

import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput } from "../../contracts/reader.ts";

import { characterMapSettings } from "./character-maps.ts";

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Settings of PDF.js: no console output, no decoded pictures, no code of the page, no fonts of the machine; names of glyphs. */
const settings = {
  verbosity: 0,
  maxImageSize: 0,
  isEvalSupported: false,
  useSystemFonts: false,
  disableFontFace: true,
  fontExtraProperties: true,
  enableXfa: false,
} as const;

/**
 * Opens a PDF with PDF.js, which is loaded at the first call. `maps` is the folder of character maps, if there is one.
 *
 * **Errors** `encrypted` for a file that asks for a password and got none, or another, and for one that a certificate protects; `unreadable` for what cannot be opened.
 */
export async function openPdf(
  { bytes, uri, password }: Pick<ReadInput, "bytes" | "uri" | "password">,
  maps: string | undefined,
  own: { readonly maxImageSize?: number } = {},
): Promise<PdfDocument> {
  const { getDocumentProxy: open } = await import("unpdf");
  try {
    // PDF.js takes the bytes over, and they are the caller's: it gets a copy, which it wants plain and not as a Buffer.
    return await open(new Uint8Array(bytes), {
      ...settings,
      ...own,
      ...(maps === undefined ? {} : characterMapSettings(maps)),
      ...(password === undefined ? {} : { password }),
    });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") throw asksForPassword(uri, password, error);
    // Only the words of PDF.js tell a protection that it does not know from a broken file.
    if (error instanceof Error && /encryption/iu.test(error.message)) throw otherwiseProtected(uri, error);
    if (!beginsAsPdf(bytes)) {
      throw new IbidError("unreadable", `${uri} is named as a PDF, but its content is not one.`, {
        hint: "If it is text, a web page or another document, name it so: .txt, .html, .docx.",
        uri,
        cause: error,
      });
    }
    throw unreadable(uri, "is broken or cut off: it cannot be opened as a PDF", error);
  }
}

/** **Source** ISO 32000-1, annex H, 3.4.1: viewers look for the header within the first 1024 bytes. */
function beginsAsPdf(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 1024)).includes("%PDF-");
}

function asksForPassword(uri: string, password: string | undefined, cause: Error): IbidError {
  return new IbidError(
    "encrypted",
    password === undefined
      ? `${uri} is protected by a password.`
      : `${uri} is protected by a password, and the given one is wrong.`,
    {
      hint: "Give its user or owner password: the option `password` when ingesting, `ibid ingest --password` at a terminal. Or give a copy that opens without one.",
      uri,
      cause,
    },
  );
}

/** **Source** ISO 32000-1, 7.6.4: public-key security handlers; services of rights have handlers of their own. */
function otherwiseProtected(uri: string, cause: Error): IbidError {
  return new IbidError(
    "encrypted",
    `${uri} is protected by a certificate or a service of rights, which no password opens.`,
    {
      hint: "Open it where its reader is allowed to, and save or print it as a PDF without protection.",
      uri,
      cause,
    },
  );
}

export function unreadable(uri: string, what: string, cause: unknown): IbidError {
  return new IbidError("unreadable", `${uri} ${what}.`, {
    hint: "Check that it opens in a PDF viewer, and save it again from there.",
    uri,
    cause,
  });
}
