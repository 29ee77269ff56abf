/** Blocks of one column, of which those that were read last are kept. */
export interface KeptBlocks {
  /** **Cost** one read, where it is not kept. */
  get(part: number): Float32Array;
  /** The same, where it costs no read. */
  kept(part: number): Float32Array | undefined;
}

interface Kept {
  readonly block: Float32Array;
  /** The blocks of its column, by part. */
  readonly column: (Kept | undefined)[];
  readonly part: number;
}

/**
 * Blocks of all columns of the process share it. **Units** bytes. **Source** a choice: the blocks of 100,000 rows of 384 numbers fit whole. A hybrid search that reads
 * them anew takes a third more processor time. A million rows would take 1.5 GB.
 */
const mostBytes = 256 * 2 ** 20;

/** Blocks that are kept, the one that was used last at the end. */
const recent = new Set<Kept>();
let bytes = 0;

export function createKeptBlocks(parts: number, read: (part: number) => Float32Array): KeptBlocks {
  const column: (Kept | undefined)[] = Array.from({ length: parts }, () => undefined);
  return {
    get(part) {
      const known = column[part];
      if (known !== undefined) {
        recent.delete(known);
        recent.add(known);
        return known.block;
      }
      const kept: Kept = { block: read(part), column, part };
      column[part] = kept;
      recent.add(kept);
      bytes += kept.block.byteLength;
      for (const oldest of recent) {
        if (bytes <= mostBytes || oldest === kept) break;
        recent.delete(oldest);
        oldest.column[oldest.part] = undefined;
        bytes -= oldest.block.byteLength;
      }
      return kept.block;
    },
    kept: (part) => column[part]?.block,
  };
}
