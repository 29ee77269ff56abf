import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { readMail } from "../mail/read-mail.ts";
import { encrypted, unreadable } from "../office/refusals.ts";
import { openCompoundFile } from "./compound-file.ts";
import { readMessage } from "./msg-message.ts";
import { writeMime } from "./write-mime.ts";

/** Implements {@link createMsgReader}: the message is written as the internet mail that it was, and read as that. */
export async function readMsg(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes } = input;
  const file = openCompoundFile(bytes, uri);
  if (!file.names.includes("__properties_version1.0")) throw unreadable(uri, "holds no message of Outlook");
  const message = readMessage(file);
  if (/^IPM\.Note\.SMIME$/iu.test(message.kind)) throw encrypted(uri);
  return readMail({ ...input, bytes: writeMime(message) });
}
