import { IbidError } from "../../contracts/errors.ts";

/** The refusal of a file whose content only a password or a licence opens. */
export function encrypted(uri: string): IbidError {
  return new IbidError("encrypted", `${uri} is encrypted.`, {
    hint: "Give a copy that opens without a password or licence.",
    uri,
  });
}

/** The refusal of a file that a password opens, without one or with a wrong one. */
export function asksForPassword(uri: string, password: string | undefined): IbidError {
  const wrong = password === undefined ? "" : ", and the given one is wrong";
  return new IbidError("encrypted", `${uri} is protected by a password${wrong}.`, {
    hint: "Give it: the option `password` when ingesting, `ibid ingest --password` at a terminal. Or give a copy that opens without one.",
    uri,
  });
}

/** The password of Excel's write protection, with which it encrypts a workbook that opens without one. **Source** MS-XLS, 2.2.10. */
const writeProtection = "VelvetSweatshop";

/** Passwords that may open a file: the given one, then that of write protection. */
export function passwordsToTry(password: string | undefined): readonly string[] {
  return password === undefined ? [writeProtection] : [password, writeProtection];
}

/** The refusal of a file whose protection is not undone here, with the password too. `how` goes on the sentence that its name begins. */
export function otherwiseProtected(
  uri: string,
  how: string,
  hint = "Open it with its password in a program of its kind, and save it without one.",
): IbidError {
  return new IbidError("encrypted", `${uri} ${how}.`, { hint, uri });
}

/** The refusal of a broken file. `what` goes on the sentence that its name begins; a library's own words stay in `cause`. */
export function unreadable(uri: string, what: string, cause?: unknown): IbidError {
  return new IbidError("unreadable", `${uri} ${what}.`, {
    hint: "Check that it opens in a program of its kind, and save it again from there.",
    uri,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The refusal of a file on which nothing is to be read. */
export function withoutText(uri: string): IbidError {
  return new IbidError("empty", `${uri} shows no text.`, {
    hint: "If its text is in pictures, run text recognition (OCR) over them, and give the result.",
    uri,
  });
}

/** The refusal of a file of a version that is older than what is read. `what` names the version and goes behind "is". */
export function tooOld(uri: string, what: string, newer: "DOCX" | "PPTX"): IbidError {
  return new IbidError("unsupported-media", `${uri} is ${what}, and no reader accepts it.`, {
    hint: `Save it as ${newer} in LibreOffice or Microsoft Office.`,
    uri,
  });
}
