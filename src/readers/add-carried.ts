import type { ReadInput, ReadResult } from "../contracts/reader.ts";
import { IbidError } from "../contracts/errors.ts";
import { composeDocument } from "./compose-document.ts";
import { reasonOf } from "./mail/attached-files.ts";
import { readAttachments } from "./mail/read-attachments.ts";
import { nameSome } from "./office/clean-text.ts";
import { limitsOf } from "./read-limits.ts";

/** A file that a document carries: attached to it, or embedded in it. */
export interface CarriedFile {
  readonly name: string;
  /** **Shape** `undefined` where the document lacks it. **Errors** an `IbidError` keeps it out of the text, with its reason in a note. */
  readonly read: () => Promise<FoundFile | undefined>;
}

/** A carried file out of its wrapper, with the name that its user gave it, where the wrapper says so. */
export interface FoundFile {
  readonly bytes: Uint8Array;
  readonly name?: string;
}

/**
 * Adds the files that a document carries, after its own text: each under its name, as its own reader reads it.
 *
 * `what` calls them together, in the note about those that nobody reads. **Shape** the document's own places stay. Files that hang on it twice are read once.
 * **Errors** `aborted` only: what is broken, of a kind that is not read, or beyond a limit has a note.
 */
export async function addCarried(
  result: ReadResult,
  files: readonly CarriedFile[],
  input: ReadInput,
  what: string,
): Promise<ReadResult> {
  if (files.length === 0) return result;
  const noted = (more: readonly string[]): ReadResult => {
    const notes = [...(result.notes ?? []), ...more];
    return notes.length === 0 ? result : { ...result, notes };
  };
  if (input.readPart === undefined) return noted([`Not read: ${what} (${nameSome(files.map(({ name }) => name))}).`]);
  const { maxParts, maxExpandedBytes } = limitsOf(input);
  const attachments: Parameters<typeof readAttachments>[1][number][] = [];
  const left: string[] = [];
  let room = maxExpandedBytes;
  for (const { name, read } of files.slice(0, maxParts + 1)) {
    const found = await read().catch((error: unknown) => {
      if (!IbidError.isInstance(error)) return undefined;
      return reasonOf(error);
    });
    if (typeof found === "string") left.push(`${name} was not read: ${found}`);
    else if (found === undefined) left.push(`${name} was not read: it is missing or broken.`);
    else if ((room -= found.bytes.length) < 0) left.push(`${name} was not read: with it the files would be too large.`);
    else
      attachments.push({
        filename: found.name ?? name,
        mimeType: "application/octet-stream",
        disposition: "attachment",
        content: found.bytes,
      });
  }
  const document = composeDocument();
  document.include(result, 0);
  const notes = await readAttachments(document, attachments, input, 1, false);
  const { text, root, blocks, sourceMap } = document.finish(result.title);
  const parts = [...(result.sourceMap.parts ?? []), ...(sourceMap.parts ?? [])];
  return {
    ...noted([...left.slice(0, mostNotes), ...notes]),
    text,
    root,
    blocks,
    sourceMap: { ...result.sourceMap, ...(parts.length > 0 && { parts }) },
  };
}

const mostNotes = 100;
