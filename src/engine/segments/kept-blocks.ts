import { codeMemory } from "../kernels/code-memory.ts";

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
  /** Whether it was used since it came, or since it was passed over. */
  isUsed: boolean;
}

/**
 * Codes and blocks of all columns of the process share it. **Units** bytes. **Source** decision 0413: codes and blocks of 100,000 rows of 384 numbers fit whole.
 */
const sharedBytes = 256 * 2 ** 20;

/** Blocks may take as much beside any codes: those of ten searches, whose steps and legs read many of them again. */
const leastBytes = 32 * 2 ** 20;

/**
 * Blocks that are kept. The first one goes next, unless it was used: then it goes behind the others once.
 *
 * **Source** Corbató, A Paging Experiment with the Multics System (1968). To move each block that is used takes more than a row's score.
 */
const recent = new Set<Kept>();
let bytes = 0;

/** `coded` gives the bytes of all codes in memory. */
export function createKeptBlocks(
  parts: number,
  read: (part: number) => Float32Array,
  coded = () => codeMemory().bytes,
): KeptBlocks {
  const column: (Kept | undefined)[] = Array.from({ length: parts }, () => undefined);
  return {
    get(part) {
      const known = column[part];
      if (known !== undefined) {
        known.isUsed = true;
        return known.block;
      }
      const kept: Kept = { block: read(part), column, part, isUsed: false };
      column[part] = kept;
      recent.add(kept);
      bytes += kept.block.byteLength;
      const most = Math.max(leastBytes, sharedBytes - coded());
      for (const oldest of recent) {
        if (bytes <= most) break;
        if (oldest === kept && recent.size === 1) break;
        recent.delete(oldest);
        if (oldest.isUsed || oldest === kept) {
          oldest.isUsed = false;
          recent.add(oldest);
          continue;
        }
        oldest.column[oldest.part] = undefined;
        bytes -= oldest.block.byteLength;
      }
      return kept.block;
    },
    kept: (part) => column[part]?.block,
  };
}
