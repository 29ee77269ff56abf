import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { composeDocument, type Composition } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { encodingByBytes } from "../../text/charsets/decode-text.ts";
import { canonicalize } from "../../text/canonical-text.ts";
import { factsOf, headerLines, headerText } from "./mail-headers.ts";
import { readAttachments } from "./read-attachments.ts";
import { parseMessage } from "./parse-message.ts";
import { takeUuencoded } from "./take-uuencoded.ts";
import type { Email } from "postal-mime";

/** Implements {@link createMailReader}; loaded with its parser when the first message is read. */
export async function readMail(input: ReadInput): Promise<ReadResult> {
  const { uri, signal } = input;
  const wide = encodingByBytes(input.bytes);
  // A program that saves messages as Unicode text writes UTF-16, which no parser of mail reads.
  const bytes = wide?.startsWith("utf-16") === true ? narrow(input.bytes, wide) : input.bytes;
  const { email: whole, encoding } = await parseMessage(bytes);
  throwIfAborted(signal, `Reading ${uri}`, { uri });
  const body = takeUuencoded(whole.text ?? "");
  const email = { ...whole, text: body.text, attachments: [...whole.attachments, ...body.files] };
  const encryption = encryptionOf(email);
  if (encryption !== undefined) {
    throw new IbidError("encrypted", `${uri} is a message encrypted with ${encryption}.`, {
      hint: "Open it in a mail program that has the key, and save it decrypted.",
      uri,
    });
  }
  const document = composeDocument();
  const subject = headerText(email.subject);
  document.heading(subject, 1);
  document.write(headerLines(email).join("\n"));
  const language = await writeBody(document, email, input, subject === "" ? 0 : 1);
  const notes = await readAttachments(document, email.attachments, input, subject === "" ? 1 : 2);
  return {
    ...document.finish(subject || fileNameOf(uri)),
    title: subject || fileNameOf(uri),
    metadata: {
      ...factsOf(email),
      ...(language === undefined ? {} : { language }),
      ...(encoding === undefined ? {} : { encoding }),
    },
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** A message saved as UTF-16, in UTF-8. Its parts that no transfer encoding wraps are in UTF-8 then, too. */
function narrow(bytes: Uint8Array, encoding: string): Uint8Array {
  const source = new TextDecoder(encoding).decode(bytes);
  const isWrapped = /^content-transfer-encoding:\s*(?:base64|quoted-printable)/imu.test(source);
  const text = isWrapped ? source : source.replace(/(charset\s*=\s*"?)[\w.-]+/giu, "$1utf-8");
  return new TextEncoder().encode(text);
}

/** Mail programs show the HTML body where there is one. **Shape** the language that it says it is in. */
async function writeBody(
  document: Composition,
  { html, text }: Email,
  { uri, readPart }: ReadInput,
  level: number,
): Promise<string | undefined> {
  const page = html?.trim() ?? "";
  const plain = canonicalize(text ?? "").toWellFormed();
  if (page !== "" && readPart === undefined && plain.trim() === "") {
    throw new IbidError("unsupported-media", `${uri} is a message in HTML, and no reader of HTML was given.`, {
      hint: "Read it together with the reader of HTML, as a knowledge base does.",
      uri,
    });
  }
  if (page !== "" && readPart !== undefined) {
    try {
      const bytes = new TextEncoder().encode(page);
      const shown = await readPart({ name: "message.html", bytes, mediaType: "text/html", charset: "utf-8" });
      document.include(shown, level);
      return typeof shown.metadata.language === "string" ? shown.metadata.language : undefined;
    } catch (error) {
      // A page that shows nothing: an empty message, or one of which the plain body says more.
      if (!IbidError.isInstance(error) || error.code === "aborted" || error.code === "too-large") throw error;
    }
  }
  writePlainBody(document, plain);
  return undefined;
}

/**
 * With what a message is encrypted as a whole; `undefined` when its body can be read.
 *
 * **Source** RFC 8551 (S/MIME), RFC 3156 (PGP/MIME), RFC 9580 (ASCII armor).
 */
function encryptionOf({ headers, text }: Email): string | undefined {
  const type = headers.find(({ key }) => key === "content-type")?.value.slice(0, 1000) ?? "";
  if (/^\s*application\/(?:x-)?pkcs7-mime/i.test(type) && !/smime-type\s*=\s*"?signed/i.test(type)) return "S/MIME";
  if (/^\s*multipart\/encrypted/i.test(type)) return /pgp/i.test(type) ? "PGP" : "S/MIME";
  return /^\s*-----BEGIN PGP MESSAGE-----/.test(text?.slice(0, 1000) ?? "") ? "PGP" : undefined;
}

/**
 * Writes a body in plain text: its paragraphs, and as quotes the runs of lines that begin with `>`.
 *
 * **Source** RFC 3676, section 4.5, for what quotes look like.
 */
function writePlainBody(document: Composition, text: string): void {
  let lines: string[] = [];
  let isQuote = false;
  const flush = (): void => {
    document.write(lines.join("\n"), { kind: isQuote ? "quote" : "paragraph" });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const quoted = line.startsWith(">");
    if (line.trim() === "" || quoted !== isQuote) flush();
    isQuote = quoted;
    lines.push(line);
  }
  flush();
}
