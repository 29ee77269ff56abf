import type { CorpusFit, TermRow, TermSpace } from "../../contracts/corpus-model.ts";
import { createByteReader, createByteWriter, encodeText, startsWith } from "../segments/bytes.ts";
import { findBlock, readIndex } from "../segments/postings-file.ts";

/** A few dozen terms: a query reads one block for each of its words. */
const blockBytes = 16_384;

/** A fitted space in blocks of terms. **Shape** part 0 is a JSON list of the first term of each other part; per term: its name, weight, scale, row. */
export function writeSpace({ terms }: Pick<CorpusFit, "terms">): readonly Uint8Array[] {
  const blocks: Uint8Array[] = [];
  const firsts: string[] = [];
  const block = createByteWriter(blockBytes * 2);
  const numbers = new DataView(new ArrayBuffer(8));
  for (const { term, weight, scale, row } of terms) {
    if (block.length >= blockBytes) blocks.push(block.take());
    if (block.length === 0) firsts.push(term);
    numbers.setFloat32(0, weight, true);
    numbers.setFloat32(4, scale, true);
    block.text(term);
    block.bytes(new Uint8Array(numbers.buffer));
    block.bytes(new Uint8Array(row.buffer, row.byteOffset, row.length));
  }
  if (block.length > 0) blocks.push(block.take());
  return [encodeText(JSON.stringify(firsts)), ...blocks];
}

/**
 * A {@link TermSpace} over its parts, each read when first asked for and then kept.
 *
 * **Cost** the bytes of the parts, and a table of the terms of each part that was asked for more than a few. A row is a view of the bytes, made for each look.
 */
export function readSpace(
  { fingerprint, dimensions }: Pick<CorpusFit, "fingerprint" | "dimensions">,
  part: (part: number) => Uint8Array,
): TermSpace & {
  terms(): Iterable<TermRow & { readonly term: string }>;
  /** Rows by the numbers of their terms, of those that have one. **Cost** one pass over all parts; no text is made. */
  rowsOf(numberOf: (bytes: Uint8Array, from: number, to: number) => number): ReadonlyMap<number, TermRow>;
} {
  let firsts: readonly string[] | undefined;
  const blocks = new Map<number, Block>();
  const index = (): readonly string[] => (firsts ??= readIndex(part(0)));
  const block = (at: number): Block => {
    let kept = blocks.get(at);
    if (kept === undefined) blocks.set(at, (kept = openBlock(part(at + 1), dimensions)));
    return kept;
  };
  return {
    fingerprint,
    dimensions,
    find(term) {
      const at = findBlock(index(), term);
      return at < 0 ? undefined : block(at).find(term);
    },
    *terms() {
      for (let at = 0; at < index().length; at++) yield* block(at).terms();
    },
    rowsOf(numberOf) {
      const rows = new Map<number, TermRow>();
      for (let at = 0; at < index().length; at++) block(at).addRows(numberOf, rows);
      return rows;
    },
  };
}

interface Block {
  find(term: string): TermRow | undefined;
  terms(): Iterable<TermRow & { readonly term: string }>;
  addRows(numberOf: (bytes: Uint8Array, from: number, to: number) => number, rows: Map<number, TermRow>): void;
}

/** Lookups in a block before its terms are listed: a question needs a term or two, an ingestion all. */
const mostLooks = 8;

function openBlock(bytes: Uint8Array, dimensions: number): Block {
  let positions: ReadonlyMap<string, number> | undefined;
  let looks = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const rowAt = (position: number): TermRow => ({
    weight: view.getFloat32(position, true),
    scale: view.getFloat32(position + 4, true),
    row: new Int8Array(bytes.buffer, bytes.byteOffset + position + 8, dimensions),
  });
  const listed = (): ReadonlyMap<string, number> => (positions ??= listPositions(bytes, dimensions));
  return {
    find(term) {
      const position =
        positions === undefined && looks++ < mostLooks ? findPosition(bytes, dimensions, term) : listed().get(term);
      return position === undefined ? undefined : rowAt(position);
    },
    *terms() {
      for (const [term, position] of listed()) yield { term, ...rowAt(position) };
    },
    addRows(numberOf, rows) {
      const reader = createByteReader(bytes);
      while (!reader.done) {
        const length = reader.varint();
        const from = reader.position;
        reader.skip(length);
        const { position } = reader;
        // A part that ends early is no row.
        reader.bytes(8 + dimensions);
        const number = numberOf(bytes, from, position);
        if (number !== -1) rows.set(number, rowAt(position));
      }
    },
  };
}

/** The place of a term's numbers. */
function findPosition(bytes: Uint8Array, dimensions: number, term: string): number | undefined {
  const wanted = encodeText(term);
  const reader = createByteReader(bytes);
  while (!reader.done) {
    const length = reader.varint();
    const found = length === wanted.length && startsWith(bytes, reader.position, wanted);
    reader.skip(length);
    const { position } = reader;
    // A part that ends early is no row.
    reader.bytes(8 + dimensions);
    if (found) return position;
  }
  return undefined;
}

function listPositions(bytes: Uint8Array, dimensions: number): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const reader = createByteReader(bytes);
  while (!reader.done) {
    positions.set(reader.text(), reader.position);
    reader.bytes(8 + dimensions);
  }
  return positions;
}
