import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads e-mail messages: the canonical text has subject, sender, recipients, date, body and attachments.
 *
 * **Shape** the subject is title and heading. The HTML body has its own reader; a plain one has its quotations as quote blocks. Each
 * attachment is a part under a heading with its file name, read by its own reader; messages may nest. Metadata `from`, `to`, `cc`, `messageId`,
 * `inReplyTo` and `createdAt`. No lines: what the file has of them is encoded.
 * **Errors** `encrypted` for S/MIME and PGP, `empty` for a message without a word, `unreadable` for headers without end. An attachment that cannot be read is
 * listed by name in the text, and why in `notes`; it never costs the message.
 * **Cost** linear, and that of the attachments' readers.
 * **Source** RFC 5322, 2045 to 2047, 2231 and 3676, as postal-mime reads them; Embabel's content readers.
 *
 * @experimental
 */
export function createMailReader(): Reader {
  return {
    name: "mail/4",
    accepts: (mediaType) => mediaType === "message/rfc822" || mediaType === "message/global",
    read: async (input) => (await import("./read-mail.ts")).readMail(input),
  };
}
