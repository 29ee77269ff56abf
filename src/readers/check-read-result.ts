import type { Section } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { ReadResult } from "../contracts/reader.ts";

import { textTooLarge } from "./text/decode-source.ts";

/**
 * Checks a reader's result against the contract, so that a fault shows in the reader and not in a citation.
 *
 * **Errors** `empty` when there is no text, `too-large` when there is too much. `unreadable`, naming the reader, when
 * the text is not well formed. The same when sections, blocks, pages or anchors are out of order or out of the text.
 * **Cost** linear in sections and blocks; the text is looked at once for lone surrogates.
 */
export function checkReadResult(result: ReadResult, reader: string, uri: string, maxTextLength: number): void {
  const { text, root, blocks, sourceMap } = result;
  if (typeof text !== "string") throw fault(reader, uri, "gave no text");
  if (text.length > maxTextLength) throw textTooLarge(uri, text.length, maxTextLength);
  if (text.trim() === "") {
    throw new IbidError("empty", `${uri} holds no text.`, { hint: "Give a file that holds text.", uri });
  }
  if (!text.isWellFormed()) throw fault(reader, uri, "gave a text with half a surrogate pair in it");
  if (root.level !== 0 || root.start !== 0 || root.end !== text.length)
    throw fault(reader, uri, "gave a root section that does not span the text");
  checkSections(root, reader, uri);
  let reached = 0;
  for (const { start, end, bodyStart } of blocks ?? []) {
    if (!(start >= reached && end > start && end <= text.length))
      throw fault(reader, uri, `gave a block from ${start} to ${end} that overlaps or leaves the text`);
    if (bodyStart !== undefined && !(bodyStart >= start && bodyStart <= end))
      throw fault(reader, uri, `gave a block whose body at ${bodyStart} is outside it`);
    reached = end;
  }
  checkAscending(sourceMap.pages ?? [], text.length, "pages", reader, uri);
  checkAscending(sourceMap.times ?? [], text.length, "times", reader, uri);
  checkAscending(sourceMap.anchors ?? [], text.length, "anchors", reader, uri);
  checkAscending(sourceMap.links ?? [], text.length, "links", reader, uri);
  checkAscending(sourceMap.tables ?? [], text.length, "tables", reader, uri);
  checkAscending(sourceMap.marks ?? [], text.length, "marks", reader, uri);
}

function checkSections(root: Section, reader: string, uri: string): void {
  const waiting: Section[] = [root];
  for (let section = waiting.pop(); section !== undefined; section = waiting.pop()) {
    const { start, end, contentStart, children, id } = section;
    if (!(contentStart >= start && contentStart <= end))
      throw fault(reader, uri, `gave section ${id} a content start outside it`);
    let reached = contentStart;
    for (const child of children) {
      if (!(child.start >= reached && child.end >= child.start && child.end <= end && child.level > section.level)) {
        throw fault(reader, uri, `gave section ${child.id} a place or level that does not fit into ${id}`);
      }
      reached = child.end;
      waiting.push(child);
    }
  }
}

function checkAscending(
  list: readonly { readonly start: number }[],
  length: number,
  what: string,
  reader: string,
  uri: string,
): void {
  let previous = 0;
  for (const { start } of list) {
    if (!(start >= previous && start <= length))
      throw fault(reader, uri, `gave ${what} out of order or outside the text`);
    previous = start;
  }
}

function fault(reader: string, uri: string, what: string): IbidError {
  return new IbidError("unreadable", `The reader ${reader} ${what} for ${uri}.`, {
    hint: "This is a fault of the reader, not of the file: report it to the author of the reader.",
    uri,
    details: { reader },
  });
}
