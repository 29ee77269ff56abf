import type { Section } from "../../src/contracts/document.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { ReadResult } from "../../src/contracts/reader.ts";
import { createReaders } from "../../src/readers/create-readers.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { walkSections } from "../../src/text/walk-sections.ts";

const readers = createReaders();

/** Through detection, reader and check, as the pipeline does it. */
export function readAs(
  uri: string,
  content: string | Uint8Array,
  signal?: AbortSignal,
): Promise<ReadResult & { mediaType: string }> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return readDocument(readers, { uri, bytes, signal });
}

export async function refusalOf(promise: Promise<unknown>): Promise<IbidError> {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  if (IbidError.isInstance(error)) return error;
  throw new Error(`no IbidError but ${String(error)}`);
}

/** Each block as `kind: its text`. */
export function showBlocks({ text, blocks }: Pick<ReadResult, "text" | "blocks">): string[] {
  return (blocks ?? []).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);
}

/** Each section below the root as `##: title`. */
export function showOutline(root: Section): string[] {
  return [...walkSections(root)].slice(1).map(({ level, title }) => `${"#".repeat(level)} ${title}`);
}

/** What lies between blocks, without its white space. */
export function textOutsideBlocks({ text, blocks }: Pick<ReadResult, "text" | "blocks">): string {
  let outside = "";
  let reached = 0;
  for (const { start, end } of blocks ?? []) {
    outside += text.slice(reached, start);
    reached = end;
  }
  return (outside + text.slice(reached)).trim();
}
