import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads messages of Outlook (MSG) as `createMailReader` reads other e-mail: subject, people, date, body, and attachments by their own readers.
 *
 * **Shape** as `createMailReader`, attached messages too. A body that is only in rich text is read as an attachment `message.rtf`.
 * **Errors** `encrypted` for S/MIME, `empty`, `unreadable`, `too-large`, `aborted`. **Cost** linear; memory for the file three times.
 * **Source** MS-OXMSG; MS-OXPROPS; MS-OXRTFCP; MS-CFB.
 */
export function createMsgReader(): Reader {
  return {
    name: "msg/2",
    accepts: (mediaType) => mediaType === "application/vnd.ms-outlook",
    read: async (input) => (await import("./read-msg.ts")).readMsg(input),
  };
}
