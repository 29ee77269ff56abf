import type { CorpusFit, TermRow, TermSpace } from "../../contracts/corpus-model.ts";
import { type ByteReader, createByteReader, createByteWriter, encodeText, startsWith } from "../segments/bytes.ts";
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

/** A {@link TermSpace} over its parts, each read when first asked for and then kept. */
export function readSpace(
  { fingerprint, dimensions }: Pick<CorpusFit, "fingerprint" | "dimensions">,
  part: (part: number) => Uint8Array,
): TermSpace & { terms(): Iterable<TermRow & { readonly term: string }> } {
  let firsts: readonly string[] | undefined;
  const blocks = new Map<number, Block>();
  /** Blocks of which no more is to be read. */
  let whole = 0;
  let all: ReadonlyMap<string, TermRow> | undefined;
  const index = (): readonly string[] => (firsts ??= readIndex(part(0)));
  const block = (at: number): Block => {
    let kept = blocks.get(at);
    if (kept === undefined) blocks.set(at, (kept = openBlock(part(at + 1), dimensions, () => whole++)));
    return kept;
  };
  function* terms(): Generator<readonly [string, TermRow]> {
    for (let at = 0; at < index().length; at++) yield* block(at).rows();
  }
  return {
    fingerprint,
    dimensions,
    find(term) {
      if (all !== undefined) return all.get(term);
      // An ingestion looks for more terms than there are: one table spares it the search for a block.
      if (whole === index().length) return (all = new Map(terms())).get(term);
      const at = findBlock(index(), term);
      return at < 0 ? undefined : block(at).find(term);
    },
    *terms() {
      for (const [term, row] of terms()) yield { term, ...row };
    },
  };
}

interface Block {
  find(term: string): TermRow | undefined;
  rows(): ReadonlyMap<string, TermRow>;
}

/** Lookups in a block before it is read whole: a question needs a term or two, an ingestion all. */
const mostLooks = 8;

function openBlock(block: Uint8Array, dimensions: number, onWhole: () => void): Block {
  let bytes: Uint8Array | undefined = block;
  let rows: ReadonlyMap<string, TermRow> | undefined;
  let looks = 0;
  const whole = (): ReadonlyMap<string, TermRow> => {
    if (rows === undefined) {
      rows = readBlock(bytes!, dimensions);
      bytes = undefined;
      onWhole();
    }
    return rows;
  };
  return {
    find: (term) => (bytes !== undefined && looks++ < mostLooks ? findRow(bytes, dimensions, term) : whole().get(term)),
    rows: whole,
  };
}

function findRow(bytes: Uint8Array, dimensions: number, term: string): TermRow | undefined {
  const wanted = encodeText(term);
  const reader = createByteReader(bytes);
  while (!reader.done) {
    const length = reader.varint();
    const found = length === wanted.length && startsWith(bytes, reader.position, wanted);
    reader.skip(length);
    if (found) return readRow(reader, dimensions);
    reader.skip(8 + dimensions);
  }
  return undefined;
}

function readBlock(bytes: Uint8Array, dimensions: number): ReadonlyMap<string, TermRow> {
  const rows = new Map<string, TermRow>();
  const reader = createByteReader(bytes);
  while (!reader.done) rows.set(reader.text(), readRow(reader, dimensions));
  return rows;
}

function readRow(reader: ByteReader, dimensions: number): TermRow {
  const numbers = reader.bytes(8).slice();
  const view = new DataView(numbers.buffer);
  const row = reader.bytes(dimensions).slice();
  return { weight: view.getFloat32(0, true), scale: view.getFloat32(4, true), row: new Int8Array(row.buffer) };
}
