import { expect } from "vitest";

import type { Chunk } from "../../src/contracts/chunk.ts";
import type { LengthFunction } from "../../src/contracts/chunker.ts";
import type { Section, TextDocument } from "../../src/contracts/document.ts";

export interface Sizes {
  readonly maxSize: number;
  readonly overlap: number;
  readonly length: LengthFunction;
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Law 1: each chunk is the slice it says, in order, and nothing that can be seen is left out. */
export function checkProvenance(document: TextDocument, chunks: readonly Chunk[]): void {
  let covered = 0;
  let before = -1;
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk.urtext).toBe(document.text.slice(chunk.start, chunk.end));
    expect(chunk.urtext).not.toBe("");
    expect(chunk.urtext.trim()).toBe(chunk.urtext);
    expect(chunk.text.endsWith(chunk.urtext)).toBe(true);
    expect(chunk.index).toBe(index);
    expect(chunk.start).toBeGreaterThan(before);
    if (chunk.start > covered) expect(document.text.slice(covered, chunk.start)).toSatisfy(isBlank);
    expect(chunk.end).toBeGreaterThan(covered);
    covered = chunk.end;
    before = chunk.start;
  }
  expect(document.text.slice(covered)).toSatisfy(isBlank);
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(chunks.length);
}

/** A cut never falls between the halves of a surrogate pair. */
export function checkPairs({ text }: TextDocument, chunks: readonly Chunk[]): void {
  const isInside = (position: number): boolean =>
    /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(position - 1, position + 1));
  for (const chunk of chunks) expect([isInside(chunk.start), isInside(chunk.end)]).toEqual([false, false]);
}

/** C17: sizes are hard limits, but for a single table row, its header with it, and a single code point. */
export function checkSizesKept(
  document: TextDocument,
  chunks: readonly Chunk[],
  { maxSize, overlap, length }: Sizes,
): void {
  const isRow = ({ start, end }: Chunk): boolean =>
    (document.blocks ?? []).some((block) => {
      if (block.kind !== "table" || start < block.start || block.end < end) return false;
      const from = start === block.start && end > (block.bodyStart ?? end) ? block.bodyStart : start;
      return !document.text.slice(from, end).includes("\n");
    });
  for (const [index, chunk] of chunks.entries()) {
    const isExcepted = isRow(chunk) || Array.from(chunk.urtext).length === 1;
    expect(isExcepted ? 0 : length(chunk.text)).toBeLessThanOrEqual(maxSize);
    const next = chunks[index + 1];
    if (next !== undefined && next.start < chunk.end) {
      expect(length(document.text.slice(next.start, chunk.end))).toBeLessThanOrEqual(overlap);
    }
  }
}

/** The section that a chunk names holds it whole, and no section below it does. */
export function checkPlaces(document: TextDocument, chunks: readonly Chunk[]): void {
  const find = (section: Section, start: number, end: number, titles: string[]): { id: string; titles: string[] } => {
    const child = section.children.find((one) => one.start <= start && end <= one.end);
    return child === undefined ? { id: section.id, titles } : find(child, start, end, [...titles, child.title]);
  };
  for (const chunk of chunks) {
    const { id, titles } = find(document.root, chunk.start, chunk.end, []);
    expect([chunk.sectionId, chunk.headings]).toEqual([id, titles]);
  }
}
