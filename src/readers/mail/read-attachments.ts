import type { Attachment } from "postal-mime";

import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import type { Composition } from "../compose-document.ts";
import { limitsOf } from "../read-limits.ts";
import { throwIfAborted } from "../../runtime/abort.ts";

import { headerText } from "./mail-headers.ts";

/** Seals and keys, which say nothing to a reader. */
const silent: ReadonlySet<string> = new Set([
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
  "application/pgp-signature",
  "application/pgp-keys",
]);

/** Plain text under a type of its own: what mail servers and calendars say. */
const plain: ReadonlySet<string> = new Set([
  "message/delivery-status",
  "message/feedback-report",
  "text/calendar",
  "application/ics",
]);

/** So many names stand in text and notes; of more, how many. */
const maxListed = 100;

/**
 * Writes each attachment under its file name, as its own reader reads it, and the names of those that nobody reads.
 *
 * **Shape** why something is not in the text, for `notes`. Images that the message shows in its own text are left out without a word.
 * **Errors** `aborted` only.
 */
export async function readAttachments(
  document: Composition,
  attachments: readonly Attachment[],
  input: ReadInput,
  level: number,
): Promise<string[]> {
  const { maxParts, maxTextLength } = limitsOf(input);
  const names = new Map<string, number>();
  const read: { readonly name: string; readonly result: ReadResult }[] = [];
  const unread: string[] = [];
  const notes: string[] = [];
  const note = (text: string): void => {
    if (notes.length < maxListed) notes.push(text);
  };
  let length = document.position;
  const shown = attachments.filter((attachment) => !isShownInside(attachment) && !silent.has(attachment.mimeType));
  for (const [index, attachment] of shown.entries()) {
    throwIfAborted(input.signal, `Reading ${input.uri}`, { uri: input.uri });
    const name = uniqueName(nameOf(attachment, index + 1), names);
    const result = index < maxParts ? await readAttachment(attachment, name, input) : tooMany(maxParts);
    if (typeof result === "string" || length + spaceOf(name, result) > maxTextLength) {
      unread.push(name);
      note(`${name} was not read: ${typeof result === "string" ? result : "with it the text would be too long."}`);
    } else {
      length += spaceOf(name, result);
      read.push({ name, result });
      for (const inner of result.notes ?? []) note(`${name}: ${inner}`);
    }
  }
  if (unread.length > 0) {
    const listed = listNames(unread, maxTextLength - length);
    if (listed !== undefined) document.write(listed);
  }
  for (const { name, result } of read) {
    document.heading(name, level);
    document.part(name, result, level);
  }
  const more = unread.length - maxListed;
  return more > 0 ? [...notes, `${more} more attachments were not read.`] : notes;
}

/** Characters that an attachment takes up: its text under its name, and the lines between. */
function spaceOf(name: string, { text }: ReadResult): number {
  return name.length + text.length + 8;
}

/** The names of what was not read, as many as there is room for; `undefined` where there is none at all. **Units** UTF-16. */
function listNames(names: readonly string[], room: number): string | undefined {
  for (let count = Math.min(names.length, maxListed); count > 0; count = Math.floor(count / 2)) {
    const rest = count < names.length ? ` and ${names.length - count} more` : "";
    const line = `Attached, not read: ${names.slice(0, count).join(", ")}${rest}`;
    if (line.length + 2 <= room) return line;
  }
  return undefined;
}

function tooMany(most: number): string {
  return `a message may have ${most.toLocaleString("en")} attachments, and this has more.`;
}

/** Result of the attachment's reader, or the reason without one. */
async function readAttachment(
  { content, mimeType }: Attachment,
  name: string,
  { readPart }: ReadInput,
): Promise<ReadResult | string> {
  if (readPart === undefined) return "no reader of attachments was given.";
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const mediaType = plain.has(mimeType) ? "text/plain" : mimeType;
  try {
    return await readPart({ name, bytes, mediaType });
  } catch (error) {
    if (!IbidError.isInstance(error) || error.code === "aborted") throw error;
    return error.message;
  }
}

/** An image that stands in the HTML body. */
function isShownInside({ related, contentId, disposition, mimeType }: Attachment): boolean {
  return (
    mimeType.startsWith("image/") && (related === true || (contentId !== undefined && disposition !== "attachment"))
  );
}

/** The file name without folders; a message by its kind. */
function nameOf({ filename, mimeType }: Attachment, number: number): string {
  const name = headerText(filename ?? "")
    .replace(/^.*[\\/]/u, "")
    .slice(0, 200)
    .toWellFormed();
  if (name !== "") return name;
  return mimeType === "message/rfc822" ? `message ${number}.eml` : `attachment ${number}`;
}

function uniqueName(name: string, names: Map<string, number>): string {
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
}
