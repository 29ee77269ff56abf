import PostalMime, { type Email } from "postal-mime";

import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { type Composition, composeDocument } from "../../documents/compose-document.ts";
import { fileNameOf } from "../../documents/file-name.ts";
import { throwIfAborted } from "../../text/abort.ts";
import { canonicalize } from "../../text/canonical-text.ts";

import { encryptionOf } from "./encryption.ts";
import { factsOf, headerLines, headerText } from "./mail-headers.ts";
import { readAttachments } from "./read-attachments.ts";
import { writePlainBody } from "./plain-body.ts";

/** What {@link createMailReader} promises, with the parser that it loads when the first message is read. */
export async function readMail(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, signal } = input;
  // Messages within messages are attachments like others: their reader is asked, and the depth of parts within parts holds.
  const email = await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxRfc822NestingDepth: 0 });
  throwIfAborted(signal, `Reading ${uri}`, { uri });
  const encryption = encryptionOf(email);
  if (encryption !== undefined) {
    throw new IbidError("encrypted", `${uri} is a message encrypted with ${encryption}.`, {
      mend: "Open it in a mail program that has the key, and save it decrypted.",
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
    metadata: { ...factsOf(email), ...(language === undefined ? {} : { language }) },
    ...(notes.length === 0 ? {} : { notes }),
  };
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
      mend: "Read it together with the reader of HTML, as a knowledge base does.",
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
