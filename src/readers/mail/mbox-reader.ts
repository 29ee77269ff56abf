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
 * **Shape** the subjects are the sections. Messages that answer one another stand together, below a section with the subject of their thread.
 * Threads are in the order of their first messages. A message that cannot be read is left out, with the reason in `notes`.
 * **Errors** `unreadable` for a file that does not begin as a mailbox does, `too-large` beyond `maxParts` messages.
 * **Cost** the sum over its messages.
 * **Source** RFC 4155, and the `mboxrd` way to write a line that begins with `From `.
 *
 * @experimental
 */
export function createMboxReader(): Reader {
  return { name: "mbox/4", accepts: (mediaType) => mediaType === "application/mbox", read: readMbox };
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
  const notes: string[] = [];
  const threads = createThreads();
  let number = 0;
  let length = 0;
  for (const message of splitMessages(bytes, uri)) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    number += 1;
    if (number > maxParts) throw overLimit(uri, "maxParts", maxParts);
    const name = `message ${number}`;
    try {
      const result = await readPart({ name, bytes: message, mediaType: "message/rfc822" });
      threads.add(message, { name, result });
      length += result.text.length;
      notes.push(...(result.notes ?? []).map((note) => `${name}: ${note}`));
    } catch (error) {
      if (!IbidError.isInstance(error) || error.code === "aborted") throw error;
      notes.push(`${name} was not read: ${error.message}`);
    }
    if (length > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
  }
  const document = composeDocument();
  for (const messages of threads.all()) {
    const isThread = messages.length > 1;
    if (isThread) document.heading(withoutPrefix(messages[0]!.result.title), 1);
    for (const { name, result } of messages) document.part(name, result, isThread ? 1 : 0);
  }
  if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
  const title = fileNameOf(uri);
  return { ...document.finish(title), title, metadata: {}, ...(notes.length === 0 ? {} : { notes }) };
}

interface ReadMessage {
  readonly name: string;
  readonly result: ReadResult;
}

/** Joins messages that name one another. **Source** RFC 5322, 3.6.4, for `Message-ID`, `In-Reply-To` and `References`. */
function createThreads(): {
  add(message: Uint8Array, read: ReadMessage): void;
  /** Threads by their first message, each in the order of the file. */
  all(): Iterable<readonly ReadMessage[]>;
} {
  /** The first message of each thread leads to its place in the list; a message that joins two threads makes them one. */
  const threads: (ReadMessage & { readonly number: number })[][] = [];
  const threadOf = new Map<string, number>();
  let count = 0;
  return {
    add(message, read) {
      const ids = idsOf(message);
      const known = [...new Set(ids.flatMap((id) => threadOf.get(id) ?? []))].toSorted((a, b) => a - b);
      const [thread = threads.length, ...others] = known;
      const messages = (threads[thread] ??= []);
      for (const other of others) messages.push(...threads[other]!.splice(0));
      messages.push({ ...read, number: count++ });
      if (others.length > 0) for (const [id, other] of threadOf) if (others.includes(other)) threadOf.set(id, thread);
      for (const id of ids) threadOf.set(id, thread);
    },
    all: () =>
      threads.filter((thread) => thread.length > 0).map((thread) => thread.toSorted((a, b) => a.number - b.number)),
  };
}

/** Ids that a message has and names. */
function idsOf(message: Uint8Array): readonly string[] {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString("latin1", 0, maxHead);
  const head = text.replace(/\r?\n\r?\n.*$/su, "").replace(/\r?\n[ \t]+/gu, " ");
  const lines = head.match(/^(?:message-id|in-reply-to|references):.*$/gimu) ?? [];
  return [...new Set(lines.flatMap((line) => line.match(/<[^<>\s]+>/gu) ?? []))];
}

/** **Units** bytes of a message that are looked at for ids. */
const maxHead = 64 * 1024;

/** A subject without the signs of an answer, in the languages that mail programs write them in. */
function withoutPrefix(subject: string): string {
  return subject.replace(/^(?:(?:re|aw|sv|fw|fwd|wg|tr|rv|antw)(?:\[\d+\])?:\s*)+/iu, "") || subject;
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
