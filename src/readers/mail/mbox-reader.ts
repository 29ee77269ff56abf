import { Buffer } from "node:buffer";

import { IbidError } from "../../contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { throwIfAborted } from "../../runtime/abort.ts";

/**
 * Reads mailboxes: each message of the file is a part, such as `message 3`, read by the reader of messages.
 *
 * **Shape** the subjects are the sections. A message that cannot be read is left out, with the reason in `notes`.
 * **Errors** `unreadable` for a file that does not begin as a mailbox does, `too-large` beyond `maxParts` messages.
 * **Cost** the sum over its messages.
 * **Source** RFC 4155, and the `mboxrd` way to write a line that begins with `From `.
 *
 * @experimental
 */
export function createMboxReader(): Reader {
  return { name: "mbox/1", accepts: (mediaType) => mediaType === "application/mbox", read: readMbox };
}

async function readMbox(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, signal, readPart } = input;
  const { maxParts, maxTextLength } = limitsOf(input);
  if (readPart === undefined) {
    throw new IbidError("unsupported-media", `${uri} is a mailbox, and no reader of messages was given.`, {
      hint: "Read it together with the reader of messages, as a knowledge base does.",
      uri,
    });
  }
  const document = composeDocument();
  const notes: string[] = [];
  let number = 0;
  for (const message of splitMessages(bytes, uri)) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    number += 1;
    if (number > maxParts) throw overLimit(uri, "maxParts", maxParts);
    const name = `message ${number}`;
    try {
      const result = await readPart({ name, bytes: message, mediaType: "message/rfc822" });
      document.part(name, result, 0);
      notes.push(...(result.notes ?? []).map((note) => `${name}: ${note}`));
    } catch (error) {
      if (!IbidError.isInstance(error) || error.code === "aborted") throw error;
      notes.push(`${name} was not read: ${error.message}`);
    }
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
  }
  const title = fileNameOf(uri);
  return { ...document.finish(title), title, metadata: {}, ...(notes.length === 0 ? {} : { notes }) };
}

/** The messages between lines that begin with `From ` after an empty one. */
function* splitMessages(bytes: Uint8Array, uri: string): Generator<Uint8Array> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!/^\s*From /.test(file.toString("latin1", 0, 1000))) {
    throw new IbidError("unreadable", `${uri} is not a mailbox: its first line does not begin with "From ".`, {
      hint: "If it is one message, rename it to .eml.",
      uri,
    });
  }
  let start = file.indexOf("From ");
  while (start < file.length) {
    const body = afterLine(file, start);
    const end = nextMessage(file, body);
    yield unescapeMessage(file.subarray(body, end));
    start = end;
  }
}

function nextMessage(file: Buffer, from: number): number {
  for (let at = file.indexOf("\nFrom ", from - 1); at !== -1; at = file.indexOf("\nFrom ", at + 1)) {
    const before = file[at - 1] === 0x0d ? at - 2 : at - 1;
    if (at < from || file[before] === 0x0a) return at + 1;
  }
  return file.length;
}

function afterLine(file: Buffer, from: number): number {
  const newline = file.indexOf("\n", from);
  return newline === -1 ? file.length : newline + 1;
}

function unescapeMessage(message: Buffer): Uint8Array {
  if (!message.includes(">From ")) return message;
  return Buffer.from(message.toString("latin1").replace(/^>(>*From )/gmu, "$1"), "latin1");
}
