import type { Attachment } from "postal-mime";

import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import type { Composition } from "../compose-document.ts";
import { limitsOf } from "../read-limits.ts";

import { type AttachedFile, attachedFiles, reasonOf } from "./attached-files.ts";

/** Seals and keys, which say nothing to a reader. */
const silent: ReadonlySet<string> = new Set([
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
  "application/pgp-signature",
  "application/pgp-keys",
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
  /** Whether the names of those that nobody reads stand in the text, as programs of mail show them. */
  isListed = true,
): Promise<string[]> {
  const { maxParts, maxTextLength } = limitsOf(input);
  const read: { readonly name: string; readonly result: ReadResult }[] = [];
  const unread: string[] = [];
  const notes: string[] = [];
  const note = (text: string): void => {
    if (notes.length < maxListed) notes.push(text);
  };
  let length = document.position;
  const shown = attachments.filter((attachment) => !isShownInside(attachment) && !silent.has(attachment.mimeType));
  let count = 0;
  for await (const file of attachedFiles(shown, input)) {
    const { name } = file;
    const result = count++ < maxParts ? await readAttachment(file, input) : tooMany(maxParts);
    if (typeof result === "string" || length + spaceOf(name, result) > maxTextLength) {
      unread.push(name);
      note(`${name} was not read: ${typeof result === "string" ? result : "with it the text would be too long."}`);
    } else {
      length += spaceOf(name, result);
      read.push({ name, result });
      for (const inner of result.notes ?? []) note(`${name}: ${inner}`);
    }
  }
  if (isListed && unread.length > 0) {
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
  return `a file may carry ${most.toLocaleString("en")} others, and this has more.`;
}

/** Result of the attachment's reader, or the reason without one. */
async function readAttachment(
  { name, mediaType, content }: AttachedFile,
  { readPart }: ReadInput,
): Promise<ReadResult | string> {
  if (typeof content === "string") return content;
  if (readPart === undefined) return "no reader of attachments was given.";
  try {
    return await readPart({ name, bytes: content, ...(mediaType !== undefined && { mediaType }) });
  } catch (error) {
    return reasonOf(error);
  }
}

/** An image that stands in the HTML body. */
function isShownInside({ related, contentId, disposition, mimeType }: Attachment): boolean {
  return (
    mimeType.startsWith("image/") && (related === true || (contentId !== undefined && disposition !== "attachment"))
  );
}
